// The window's dialogs where files are chosen in the desktop's own dialog, and the question about a file that
// another program has written.
#include <utility>

#include "app/shell/dialogs.h"
#include "tests/support/catch.h"
#include "tests/support/fake_file_chooser.h"
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

// The same, with a desktop that has a file dialog.
struct DesktopBench : DialogsBench {
  headlight_test::FakeFileChooser desktop;
  FilePortal portal{[] {}};

  DesktopBench() {
    REQUIRE(desktop.portal.iterate_until([&] { return portal.available(); }));
    dialogs.use(portal, [] { return std::string("x11:7"); });
  }
  void ask_desktop(std::function<void(UiContext&)> asks) {
    const int before = desktop.asked.count;
    in_frame(std::move(asks));
    REQUIRE(desktop.portal.iterate_until([&] { return desktop.asked.count > before; }));
    CHECK_FALSE(robot().shows("dialog.path"));
  }
  void save_session(std::optional<ActionRequest> next = std::nullopt) {
    ask_desktop([this, next](UiContext&) { dialogs.ask_save(document(), next); });
  }
  void respond(guint32 how, const std::filesystem::path& file = {}) {
    result.reset();
    const std::string uri = "file://" + file.string();
    desktop.respond(how, file.empty() ? nullptr : uri.c_str());
    REQUIRE(desktop.portal.iterate_until([&] { return !portal.asking(); }));
    robot().frames(3);
  }
  // Asks for another file while the desktop's dialog is open: that dialog stays the only one.
  void ask_in_vain(std::function<void(UiContext&)> asks) {
    const int before = desktop.asked.count;
    in_frame(std::move(asks));
    CHECK_FALSE(desktop.portal.iterate_until([&] { return desktop.asked.count > before; },
                                             std::chrono::milliseconds(50)));
    CHECK_FALSE(robot().shows("dialog.path"));
  }
};

const ActionRequest kQuit = {Action::Quit, {}, Stage::Weights};

}  // namespace

TEST_CASE("desktop dialogs: the session is saved where the desktop says, and what waited for it follows") {
  DesktopBench bench;
  bench.save_session(kQuit);
  CHECK(bench.desktop.asked.method == "SaveFile");
  CHECK(bench.desktop.asked.parent == "x11:7");
  CHECK(bench.desktop.asked.name == "mine.headlight");
  CHECK(bench.desktop.asked.folder == bench.folder.path().string());
  bench.respond(0, bench.folder / "other");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Saved);
  CHECK(bench.result->path == bench.folder / "other.headlight");  // the ending is added
  REQUIRE(bench.result->next);
  CHECK(bench.result->next->action == Action::Quit);

  bench.ask_desktop([&](UiContext&) { bench.dialogs.ask_open(bench.document()); });
  CHECK(bench.desktop.asked.method == "OpenFile");
  bench.respond(0, bench.folder / "some.npz");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Opened);
  CHECK(bench.result->path == bench.folder / "some.npz");
}

TEST_CASE("desktop dialogs: a file that only the added ending names is replaced after a question") {
  DesktopBench bench;
  bench.folder.write("other.headlight", "another");
  bench.save_session();
  bench.respond(0, bench.folder / "other");
  CHECK_FALSE(bench.result);
  CHECK_THAT(bench.robot().value("dialog.question"), ContainsSubstring("other.headlight exists"));
  bench.click("dialog.replace");
  REQUIRE(bench.result);
  CHECK(bench.result->path == bench.folder / "other.headlight");
}

TEST_CASE("desktop dialogs: cancelled is nothing, and where the desktop fails the window asks itself") {
  DesktopBench bench;
  bench.save_session(kQuit);
  bench.respond(1);
  CHECK_FALSE(bench.result);
  CHECK_FALSE(bench.robot().shows("dialog.path"));
  bench.save_session();
  bench.respond(0, bench.folder / "later.headlight");
  REQUIRE(bench.result);
  CHECK_FALSE(bench.result->next);  // what waited for the cancelled one is forgotten

  bench.save_session(kQuit);
  bench.respond(2);
  CHECK_FALSE(bench.result);
  CHECK(bench.robot().value("dialog.name") == "mine.headlight");
  bench.click("dialog.ok");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Saved);
  REQUIRE(bench.result->next);
}

TEST_CASE(
    "desktop dialogs: what else is asked for while one is open changes nothing in what that one saves") {
  DesktopBench bench;
  bench.save_session();
  bench.ask_in_vain(
      [&](UiContext& ui) { bench.dialogs.ask_save_heads(ui, FileFormat::Csv, "a table of heads"); });
  bench.ask_in_vain([&](UiContext&) { bench.dialogs.ask_save(bench.document(), kQuit); });
  bench.respond(0, bench.folder / "session.headlight");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Saved);
  CHECK_FALSE(bench.result->next);

  bench.ask_desktop([&](UiContext& ui) { bench.dialogs.ask_save_heads(ui, FileFormat::Csv, "the heads"); });
  CHECK_THAT(bench.desktop.asked.name, ContainsSubstring("-heads.csv"));
  bench.ask_in_vain(
      [&](UiContext&) { bench.dialogs.ask_save_answers(bench.document(), "the answers", "", std::nullopt); });
  bench.respond(0, bench.folder / "heads.csv");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::BytesSaved);
  CHECK(bench.result->bytes == "the heads");

  const ActionRequest torch = {Action::CopyPyTorch, {}, Stage::Weights};
  bench.ask_desktop([&](UiContext&) { bench.dialogs.ask_program(bench.document(), torch); });
  CHECK(bench.desktop.asked.name == "weights.py");
  bench.ask_in_vain([&](UiContext&) {
    bench.dialogs.ask_program(bench.document(), {Action::CopyNumPy, {}, Stage::Scores});
  });
  bench.respond(0, bench.folder / "weights.py");
  REQUIRE((bench.result && bench.result->next));
  CHECK(bench.result->kind == DialogResult::Kind::ProgramChosen);
  CHECK(bench.result->next->stage == Stage::Weights);
}

TEST_CASE("desktop dialogs: cancelling one does not take what a question in the window is about") {
  DesktopBench bench;
  bench.ask_desktop([&](UiContext&) { bench.dialogs.ask_open(bench.document()); });
  bench.in_frame([&](UiContext&) { bench.dialogs.ask_unsaved(bench.document(), kQuit); });
  bench.respond(1);
  bench.click("dialog.discard");
  REQUIRE(bench.result);
  CHECK(bench.result->kind == DialogResult::Kind::Discarded);
  REQUIRE(bench.result->next);
  CHECK(bench.result->next->action == Action::Quit);
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
