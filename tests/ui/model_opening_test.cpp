// Models that are opened beside the window.
#include "app/shell/model_opening.h"

#include <atomic>
#include <thread>

#include "app/shell/model_session.h"
#include "engine/core/error.h"
#include "engine/interpretation/model_work.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::filesystem::path golden_folder(const std::string& family) {
  return std::string(HEADLIGHT_SOURCE_DIR "/tests/golden/models/") + family;
}

// Waits for what comes; none where nothing does.
std::optional<OpenedModel> outcome_of(ModelOpening& opening) {
  while (opening.running()) {
    if (std::optional<OpenedModel> opened = opening.take()) return opened;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("model opening: the session comes from another thread, with what it was asked for") {
  std::atomic<bool> woken_here{false};
  const auto window = std::this_thread::get_id();
  ModelOpening opening([&] { woken_here = std::this_thread::get_id() == window; });
  opening.start(golden_folder("gpt2"), 7);
  const std::optional<OpenedModel> opened = outcome_of(opening);
  REQUIRE(opened);
  REQUIRE(opened->session);
  CHECK_FALSE(woken_here);
  CHECK(opened->revision == 7);
  CHECK(opened->path == golden_folder("gpt2"));
  CHECK(opened->failure.empty());
  const Session expected = model_session(golden_folder("gpt2"));
  CHECK(opened->session->title == expected.title);
  CHECK(opened->session->work->ids == expected.work->ids);
  CHECK(same_model(opened->session->model, expected.model));
}

TEST_CASE("model opening: what cannot be opened is said, and the next one is") {
  ModelOpening opening([] {});
  const TemporaryFolder empty;
  opening.start(empty.path(), 1);
  const std::optional<OpenedModel> refused = outcome_of(opening);
  REQUIRE(refused);
  CHECK_FALSE(refused->session);
  CHECK_THAT(refused->failure, ContainsSubstring("model.safetensors"));
  opening.start(golden_folder("llama3") / "config.json", 2);
  CHECK(outcome_of(opening)->session);
}

TEST_CASE("model opening: the newest is opened, and nothing once something else is open") {
  ModelOpening opening([] {});
  for (const char* family : {"gpt2", "llama", "qwen2", "bert"})
    opening.start(golden_folder(family), 1);
  const std::optional<OpenedModel> newest = outcome_of(opening);
  REQUIRE(newest);
  CHECK(newest->path == golden_folder("bert"));
  opening.start(golden_folder("gpt2"), 1);
  opening.forget();
  CHECK_FALSE(opening.running());
  CHECK_FALSE(outcome_of(opening));
}
