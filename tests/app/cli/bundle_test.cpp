// `headlight bundle`, and sessions whose model is named anew.
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"
#include "engine/session/model_folder_field.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/environment.h"
#include "tests/support/model_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ModelSession {
  TemporaryFolder folder, cache;
  Variable variable{"XDG_CACHE_HOME", cache.path().c_str()};
  ModelCopy model{"gpt2"};

  ModelSession() {
    OpenModel work;
    work.network = std::make_shared<const Network>(model.path());
    work.ids = {1, 2, 3, 4};
    set_head(work, 1, 0, HeadState::Off);
    Session session;
    session.title = "bundled";
    session.layer = shown_layer(work);
    session.work = std::make_shared<const OpenModel>(std::move(work));
    save_session(session, folder / "x.headlight");
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  // Leaves the model where no session says.
  std::filesystem::path move_model() const {
    const std::filesystem::path moved = folder / "moved";
    std::filesystem::rename(model.path(), moved);
    return moved;
  }
};

}  // namespace

TEST_CASE("bundles: a small model goes in, and the bundle gives the same numbers without the folder") {
  const ModelSession place;
  const Outcome before = run({"print", place.path("x.headlight"), "--stage", "weights"});
  REQUIRE(before.status() == 0);
  const Outcome saved = run({"bundle", place.path("x.headlight"), "-o", place.path("b.headlight")});
  INFO(saved.err);
  REQUIRE(saved.status() == 0);
  CHECK_THAT(saved.err, ContainsSubstring("are in it"));
  CHECK_THAT(saved.out, ContainsSubstring("b.headlight saved"));
  place.move_model();
  CHECK(run({"print", place.path("b.headlight"), "--stage", "weights"}).out == before.out);
  CHECK(run({"bundle", place.path("b.headlight"), "-o", place.path("b.headlight"), "--force"}).status() == 1);
  CHECK_THAT(run({"bundle", place.path("b.headlight"), "-o", place.path("b.zip")}).err,
             ContainsSubstring("saved as .headlight"));
  CHECK(run({"bundle", place.path("b.headlight"), "-o", place.path("c.headlight")}).status() == 0);
  CHECK_THAT(run({"bundle", place.path("b.headlight"), "-o", place.path("c.headlight")}).err,
             ContainsSubstring("--force"));
  CHECK(run({"bundle", place.path("b.headlight"), "-o", "d.headlight", "--with-model", "some"}).status() ==
        2);
}

TEST_CASE("bundles: without its model it is named, and --model says where it is") {
  const ModelSession place;
  const Outcome before = run({"print", place.path("x.headlight"), "--stage", "weights"});
  const Outcome saved =
      run({"bundle", place.path("x.headlight"), "-o", place.path("b.headlight"), "--with-model", "never"});
  REQUIRE(saved.status() == 0);
  CHECK_THAT(saved.err, ContainsSubstring("is not in it"));
  const std::string moved = place.move_model().string();
  for (const char* name : {"x.headlight", "b.headlight"}) {
    INFO(name);
    const Outcome missing = run({"print", place.path(name), "--stage", "weights"});
    CHECK(missing.status() == 1);
    CHECK(line_count(missing.err) == 1);
    CHECK_THAT(missing.err, ContainsSubstring("is not there"));
    CHECK_THAT(missing.err, ContainsSubstring("--model"));
    const Outcome found = run({"print", place.path(name), "--stage", "weights", "--model", moved});
    INFO(found.err);
    CHECK(found.status() == 0);
    CHECK(found.out == before.out);
    const Outcome other = run({"print", place.path(name), "--stage", "weights", "--model",
                               source_root() + "/tests/golden/models/llama"});
    CHECK(other.status() == 1);
    CHECK_THAT(other.err, ContainsSubstring("another model"));
  }
  // The changes of a session whose model is not there apply to that model elsewhere.
  const Outcome changed =
      run({"ask", moved, "loss", "--ids", "1,2,3,4", "--changes", place.path("x.headlight")});
  INFO(changed.err);
  CHECK(changed.status() == 0);
}

TEST_CASE("bundles: --model goes with a session of a model") {
  const Workplace place;
  const std::string model = source_root() + "/tests/golden/models/gpt2";
  const Outcome alone = run({"print", place.session(), "--stage", "weights", "--model", model});
  CHECK(alone.status() == 1);
  CHECK_THAT(alone.err, ContainsSubstring("has no model"));
  CHECK(run({"print", model, "--ids", "1,2", "--model", model}).status() == 2);
  CHECK(run({"print", model, "--ids", "1,2", "--layer", "0", "--stage", "weights", "--model", model})
            .status() == 1);
}
