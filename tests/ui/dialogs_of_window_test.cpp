// What the window's dialogs lead to: what is saved, what follows, and the questions before changes are lost.
#include <utility>

#include "app/shell/dialogs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct DialogsBench {
  headlight_test::TemporaryFolder folder;
  Dialogs dialogs;
  std::optional<DialogResult> result;
  std::function<void(UiContext&)> ask;
  PanelFixture fixture;

  DialogsBench() : fixture(lesson_session("20-two-heads"), [this](UiContext& ui) { draw(ui); }) {
    document().set_file(folder / "mine.headlight", std::nullopt);
    robot().frames(3);
  }
  void draw(UiContext& ui) {
    if (ask) std::exchange(ask, nullptr)(ui);
    if (auto own = dialogs.draw(ui)) result = std::move(own);
  }
  void in_frame(std::function<void(UiContext&)> asks) {
    ask = std::move(asks);
    robot().frames(3);
  }
  void click(const std::string& name) {
    robot().click(name);
    robot().frames(2);
  }
  Document& document() { return fixture.document(); }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
};

const ActionRequest kQuit = {Action::Quit, {}, Stage::Weights};

}  // namespace

TEST_CASE(
    "dialogs: what waits for the session to be saved follows it, and is forgotten with a cancelled one") {
  DialogsBench bench;
  const auto save = [&](std::optional<ActionRequest> next) {
    bench.result.reset();
    bench.in_frame([&](UiContext&) { bench.dialogs.ask_save(bench.document(), next); });
    CHECK(bench.robot().value("dialog.name") == "mine.headlight");
  };
  save(kQuit);
  bench.click("dialog.ok");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Saved);
  CHECK(bench.result->path == bench.folder / "mine.headlight");
  REQUIRE(bench.result->next);
  CHECK(bench.result->next->action == Action::Quit);

  save(kQuit);
  bench.click("dialog.cancel");
  CHECK_FALSE(bench.result);
  save(std::nullopt);
  bench.click("dialog.ok");
  REQUIRE(bench.result);
  CHECK_FALSE(bench.result->next);
}

TEST_CASE("dialogs: each file is saved with its own bytes and under its own name") {
  DialogsBench bench;
  bench.in_frame([&](UiContext& ui) { bench.dialogs.ask_save_heads(ui, FileFormat::Csv, "the heads"); });
  CHECK_THAT(bench.robot().value("dialog.name"), ContainsSubstring("-heads.csv"));
  bench.click("dialog.ok");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::BytesSaved);
  CHECK(bench.result->bytes == "the heads");

  bench.result.reset();
  bench.in_frame([&](UiContext&) {
    bench.dialogs.ask_program(bench.document(), {Action::CopyPyTorch, {}, Stage::Weights});
  });
  CHECK(bench.robot().value("dialog.name") == "weights.py");
  bench.click("dialog.ok");
  REQUIRE((bench.result && bench.result->next));
  CHECK(bench.result->kind == DialogResult::Kind::ProgramChosen);
  CHECK(bench.result->next->stage == Stage::Weights);
}

TEST_CASE("dialogs: a file that has changed is replaced, saved elsewhere or left, with what follows") {
  DialogsBench bench;
  bench.in_frame([&](UiContext&) { bench.dialogs.ask_changed(bench.document(), kQuit); });
  CHECK_THAT(bench.robot().value("dialog.question"), ContainsSubstring("\"mine.headlight\" was written by"));
  SECTION("replaced") {
    bench.click("dialog.overwrite");
    REQUIRE(bench.result);
    CHECK(bench.result->kind == DialogResult::Kind::SaveAnyway);
    REQUIRE(bench.result->next);
    CHECK(bench.result->next->action == Action::Quit);
  }
  SECTION("saved elsewhere, which is what Enter does") {
    const bool by_key = GENERATE(false, true);
    if (by_key)
      bench.robot().key(Key::Enter);
    else
      bench.click("dialog.save_as");
    bench.robot().frames(2);
    REQUIRE(bench.result);
    CHECK(bench.result->kind == DialogResult::Kind::SaveElsewhere);
    REQUIRE(bench.result->next);
    CHECK(bench.result->next->action == Action::Quit);
  }
  SECTION("left") {
    const bool by_key = GENERATE(false, true);
    if (by_key)
      bench.robot().key(Key::Escape);
    else
      bench.click("dialog.cancel");
    bench.robot().frames(2);
    CHECK_FALSE(bench.result);
  }
  CHECK_FALSE(bench.robot().shows("dialog.question"));
}

TEST_CASE("dialogs: a question about unsaved changes says what they are in the way of") {
  for (const auto& [action, words] :
       {std::pair(Action::Quit, "quit"), std::pair(Action::New, "start a new session"),
        std::pair(Action::OpenLesson, "open the lesson"),
        std::pair(Action::OpenPath, "open another session")}) {
    DialogsBench bench;
    bench.in_frame([&](UiContext&) {
      bench.dialogs.ask_unsaved(bench.document(), {action, {}, Stage::Weights});
    });
    CHECK_THAT(bench.robot().value("dialog.question"), ContainsSubstring(words));
  }
}

TEST_CASE("dialogs: array files and folders of models are looked for by their own endings") {
  DialogsBench bench;
  for (const char* name :
       {"a.npz", "b.safetensors", "c.csv", "config.json", "d.headlight", "e.txt", "f.gguf"})
    bench.folder.write(name, "");
  const auto lists = [&](const std::string& name) { return bench.robot().shows("dialog.entry." + name); };
  bench.in_frame([&](UiContext&) { bench.dialogs.ask_arrays(bench.document()); });
  CHECK((lists("a.npz") && lists("b.safetensors") && lists("c.csv")));
  CHECK_FALSE((lists("d.headlight") || lists("config.json") || lists("e.txt")));
  bench.click("dialog.cancel");
  bench.in_frame([&](UiContext&) { bench.dialogs.ask_model(bench.document()); });
  CHECK((lists("config.json") && lists("f.gguf")));
  CHECK_FALSE((lists("a.npz") || lists("d.headlight")));
  bench.click("dialog.cancel");
  bench.in_frame([&](UiContext&) { bench.dialogs.ask_open(bench.document()); });
  CHECK((lists("d.headlight") && lists("a.npz") && lists("f.gguf")));
}
