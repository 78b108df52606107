// Sessions and models, opened in the background.
#include "app/shell/file_opening.h"

#include <atomic>
#include <thread>

#include "app/shell/model_session.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/support/random_models.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::filesystem::path golden_folder(const std::string& family) {
  return source_root() + "/tests/golden/models/" + family;
}

// Waits for the result; none if the reading ends without one.
std::optional<OpenedFile> outcome_of(FileOpening& opening) {
  while (opening.running()) {
    if (std::optional<OpenedFile> opened = opening.take()) return opened;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("file opening: the session comes from another thread, with what it was asked for") {
  std::atomic<bool> woken_here{false};
  const auto window = std::this_thread::get_id();
  FileOpening opening([&] { woken_here = std::this_thread::get_id() == window; });
  opening.start({golden_folder("gpt2"), 7});
  const std::optional<OpenedFile> opened = outcome_of(opening);
  REQUIRE(opened);
  REQUIRE(opened->session);
  CHECK_FALSE(woken_here);
  CHECK(opened->requested.revision == 7);
  CHECK(opened->requested.path == golden_folder("gpt2"));
  CHECK(opened->of_model);
  CHECK(opened->failure.empty());
  const Session expected = model_session(golden_folder("gpt2"));
  CHECK(opened->session->title == expected.title);
  CHECK(opened->session->work->ids == expected.work->ids);
  CHECK(same_layer(opened->session->layer, expected.layer));
}

TEST_CASE(
    "file opening: a session comes with its file's stamp, a lesson with the steps that cannot be read") {
  FileOpening opening([] {});
  const TemporaryFolder folder;
  Json text = parse_json(read_file(source_root() + "/assets/lessons/16-causal-mask.headlight"));
  const std::filesystem::path lesson = folder.write("lesson.headlight", text.dump());
  opening.start({.path = lesson, .as_copy = true});
  std::optional<OpenedFile> opened = outcome_of(opening);
  REQUIRE((opened && opened->session));
  CHECK_FALSE(opened->of_model);
  CHECK(opened->requested.as_copy);
  CHECK(opened->faults.empty());
  REQUIRE(opened->stamp);
  CHECK_FALSE(changed_since(lesson, *opened->stamp));
  CHECK(session_text(*opened->session) == session_text(load_session(lesson)));

  text["lesson"]["steps"][1]["text"] = 7;
  folder.write("lesson.headlight", text.dump());
  opening.start({lesson});
  opened = outcome_of(opening);
  REQUIRE((opened && opened->session));
  CHECK(opened->faults.size() == 1);

  folder.write("lesson.headlight", "{");
  opening.start({lesson});
  opened = outcome_of(opening);
  REQUIRE(opened);
  CHECK_FALSE(opened->session);
  CHECK_THAT(opened->failure, ContainsSubstring("lesson.headlight"));
}

TEST_CASE("file opening: what cannot be opened is said, and the next one is") {
  FileOpening opening([] {});
  const TemporaryFolder empty;
  opening.start({empty.path()});
  const std::optional<OpenedFile> refused = outcome_of(opening);
  REQUIRE(refused);
  CHECK_FALSE(refused->session);
  CHECK_THAT(refused->failure, ContainsSubstring("model.safetensors"));
  opening.start({golden_folder("llama3") / "config.json"});
  CHECK(outcome_of(opening)->session);
}

TEST_CASE("file opening: the newest is opened, and nothing once something else is open") {
  FileOpening opening([] {});
  for (const char* family : {"gpt2", "llama", "qwen2", "bert"})
    opening.start({golden_folder(family)});
  const std::optional<OpenedFile> newest = outcome_of(opening);
  REQUIRE(newest);
  CHECK(newest->requested.path == golden_folder("bert"));
  opening.start({golden_folder("gpt2")});
  opening.forget();
  CHECK_FALSE(opening.running());
  CHECK_FALSE(outcome_of(opening));
}
