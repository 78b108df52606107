// The dialogs for choosing files, for exports, and for unsaved changes.
#include <filesystem>
#include <optional>
#include <string>

#include "app/ui/dialogs/confirm_dialog.h"
#include "app/ui/dialogs/file_browser.h"
#include "engine/core/digits.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

// A temporary folder with three sessions, one of them hidden, a text file, and a folder with another session.
struct Folder : TemporaryFolder {
  Folder() {
    for (const char* name :
         {"alpha.headlight", "Beta.headlight", "notes.txt", ".hidden.headlight", "more/inner.headlight"})
      write(name, "{}");
  }
};

struct Browser {
  Folder folder;
  FileBrowserState state;
  std::optional<fs::path> chosen;
  PanelFixture fixture;

  explicit Browser(FileBrowserMode mode, const std::string& name = "", ImVec2 size = {1280, 800})
      : fixture(
            lesson_session("01-one-query-dot-products"),
            [this](UiContext& ui) {
              if (const auto path = file_browser(ui, state)) chosen = path;
            },
            size) {
    open_file_browser(state, {mode, "A file", ".headlight", folder.path(), name});
    robot().frames(3);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void write_path(const std::string& text) {
    robot().click("dialog.path");
    robot().key(Key::A, {.ctrl = true});
    robot().type(text);
  }
};

}  // namespace

TEST_CASE("dialogs: the browser lists folders first, then files of its kind") {
  Folder folder;
  const FolderListing listing = list_folder(folder.path(), ".headlight");
  REQUIRE(listing.entries.size() == 3);
  CHECK(listing.entries[0].name == "more");
  CHECK(listing.entries[0].folder);
  CHECK(listing.entries[1].name == "alpha.headlight");
  CHECK(listing.entries[2].name == "Beta.headlight");
  CHECK(listing.entries[1].bytes == std::filesystem::file_size(folder / "alpha.headlight"));
  CHECK(listing.entries[1].written.has_value());
  CHECK(find_entry(listing.entries, "b") == 2);
  CHECK(find_entry(listing.entries, "zz") == -1);
  CHECK_THAT(list_folder(folder / "gone", ".headlight").error, ContainsSubstring("cannot be read"));
}

TEST_CASE("dialogs: sizes and dates of files are told in a few letters") {
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(999) == "999 bytes");
  CHECK(bytes_text(1000) == "1.0 kB");
  CHECK(bytes_text(123456) == "123 kB");
  CHECK(bytes_text(999999) == "1.0 MB");
  CHECK(bytes_text(4'300'000'000) == "4.3 GB");
  const std::string date = date_text(std::filesystem::file_time_type::clock::now());
  REQUIRE(date.size() == 16);  // as 2026-03-14 09:26
  CHECK(date[4] == '-');
  CHECK(date[13] == ':');
}

TEST_CASE(
    "dialogs: a question that comes while another dialog is open is asked, and the other one comes back") {
  Folder folder;
  FileBrowserState browser;
  ConfirmState confirm;
  std::optional<ConfirmAnswer> answer;
  const bool question_first = GENERATE(false, true);  // the order of drawing in each frame
  CAPTURE(question_first);
  PanelFixture fixture(lesson_session("01-one-query-dot-products"), [&](UiContext& ui) {
    const auto ask = [&] {
      if (const auto given = confirm_dialog(ui, confirm)) answer = given;
    };
    if (question_first) ask();
    file_browser(ui, browser);
    if (!question_first) ask();
  });
  auto& robot = fixture.robot();
  open_file_browser(browser, {FileBrowserMode::Open, "A file", ".headlight", folder.path(), ""});
  robot.frames(3);
  robot.click("dialog.path");
  robot.type("/typed");
  open_confirm_dialog(confirm, "a session", "quit");
  robot.frames(4);
  for (int frame = 0; frame < 3; ++frame) {
    CHECK(robot.shows("dialog.discard"));
    CHECK_FALSE(robot.shows("dialog.path"));
    robot.frames(1);
  }
  robot.click("dialog.cancel");
  CHECK(answer == ConfirmAnswer::Cancel);
  robot.frames(4);
  CHECK_FALSE(robot.shows("dialog.discard"));
  CHECK_THAT(robot.value("dialog.path"), ContainsSubstring("/typed"));
  robot.click("dialog.cancel");
  robot.frames(2);
  CHECK_FALSE(robot.shows("dialog.path"));
}

TEST_CASE("dialogs: a file is opened by the pointer, through a folder") {
  Browser browser(FileBrowserMode::Open);
  CHECK_FALSE(browser.robot().shows("dialog.entry.notes.txt"));
  browser.robot().double_click("dialog.entry.more");
  CHECK(browser.robot().value("dialog.path") == (browser.folder / "more").string());
  browser.robot().click("dialog.up");
  browser.robot().click("dialog.entry.alpha.headlight");
  CHECK_FALSE(browser.chosen.has_value());
  browser.robot().click("dialog.ok");
  CHECK(browser.chosen == browser.folder / "alpha.headlight");
  browser.robot().frames(2);
  CHECK_FALSE(browser.robot().shows("dialog.path"));
}

TEST_CASE("dialogs: a file is opened by the keyboard alone") {
  Browser browser(FileBrowserMode::Open);
  SECTION("with arrows, into a folder and on") {
    browser.robot().key(Key::Down);
    browser.robot().key(Key::Enter);
    browser.robot().key(Key::Down);
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "more" / "inner.headlight");
  }
  SECTION("by its first letters") {
    browser.robot().type("be");
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "Beta.headlight");
  }
  SECTION("by its path") {
    browser.write_path((browser.folder / "more" / "inner.headlight").string());
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "more" / "inner.headlight");
  }
  SECTION("Escape chooses nothing") {
    browser.robot().key(Key::Down);
    browser.robot().key(Key::Escape);
    CHECK_FALSE(browser.chosen.has_value());
    CHECK_FALSE(browser.state.open);
  }
}

TEST_CASE("dialogs: what cannot be opened is answered inside the dialog") {
  Browser browser(FileBrowserMode::Open);
  SECTION("a file that is not there") {
    browser.write_path("gone.headlight");
    browser.robot().click("dialog.ok");
    CHECK_THAT(browser.robot().value("dialog.message"), ContainsSubstring("gone.headlight is not there"));
  }
  SECTION("a folder that is not there") {
    browser.write_path("/no/such/folder/x.headlight");
    browser.robot().click("dialog.ok");
    CHECK_THAT(browser.robot().value("dialog.message"), ContainsSubstring("there is no folder"));
  }
  SECTION("nothing chosen") {
    browser.robot().click("dialog.ok");
    CHECK_THAT(browser.robot().value("dialog.message"), ContainsSubstring("choose a file"));
  }
  CHECK_FALSE(browser.chosen.has_value());
  CHECK(browser.state.open);
}

TEST_CASE("dialogs: a name to save under gets the extension") {
  Browser browser(FileBrowserMode::Save, "proposed");
  browser.robot().frames(3);
  SECTION("as proposed") {
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "proposed.headlight");
  }
  SECTION("as typed over it") {
    browser.robot().key(Key::A, {.ctrl = true});
    browser.robot().type("mine");
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "mine.headlight");
  }
  SECTION("in another folder, by its path") {
    browser.write_path((browser.folder / "more" / "new.headlight").string());
    browser.robot().click("dialog.ok");
    CHECK(browser.chosen == browser.folder / "more" / "new.headlight");
  }
}

TEST_CASE("dialogs: a file that exists is replaced only after a question") {
  Browser browser(FileBrowserMode::Save, "alpha");
  browser.robot().frames(3);
  browser.robot().key(Key::Enter);
  CHECK_FALSE(browser.chosen.has_value());
  CHECK_THAT(browser.robot().value("dialog.question"), ContainsSubstring("alpha.headlight exists"));
  SECTION("Keep goes back to the name") {
    browser.robot().click("dialog.keep");
    CHECK_FALSE(browser.chosen.has_value());
    CHECK(browser.state.open);
    CHECK(browser.robot().shows("dialog.ok"));
  }
  SECTION("Escape keeps the file and the dialog") {
    browser.robot().key(Key::Escape);
    CHECK(browser.state.open);
    CHECK_FALSE(browser.chosen.has_value());
  }
  SECTION("Replace") {
    browser.robot().click("dialog.replace");
    CHECK(browser.chosen == browser.folder / "alpha.headlight");
  }
  SECTION("Enter") {
    browser.robot().key(Key::Enter);
    CHECK(browser.chosen == browser.folder / "alpha.headlight");
  }
}

TEST_CASE("dialogs: nothing is clipped in a window of 640 x 400") {
  Browser browser(FileBrowserMode::Save, "alpha", {640, 400});
  for (const char* name : {"dialog.up", "dialog.path", "dialog.name", "dialog.ok", "dialog.cancel"}) {
    INFO(name);
    const Rect rect = browser.robot().widget(name).rect;
    CHECK(rect.x >= 0);
    CHECK(rect.right() <= 640);
    CHECK(rect.bottom() <= 400);
    CHECK(rect.height >= 20);
  }
}

TEST_CASE("dialogs: unsaved changes are saved, lost or kept open, as the person says") {
  ConfirmState state;
  std::optional<ConfirmAnswer> answer;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"), [&](UiContext& ui) {
    if (const auto given = confirm_dialog(ui, state)) answer = given;
  });
  open_confirm_dialog(state, "Causal attention", "quit");
  fixture.robot().frames(3);
  SECTION("Save") {
    fixture.robot().click("dialog.save");
    CHECK(answer == ConfirmAnswer::Save);
  }
  SECTION("Discard") {
    fixture.robot().click("dialog.discard");
    CHECK(answer == ConfirmAnswer::Discard);
  }
  SECTION("Cancel") {
    fixture.robot().click("dialog.cancel");
    CHECK(answer == ConfirmAnswer::Cancel);
  }
  SECTION("Escape cancels") {
    fixture.robot().key(Key::Escape);
    CHECK(answer == ConfirmAnswer::Cancel);
  }
  SECTION("Enter saves") {
    fixture.robot().key(Key::Enter);
    CHECK(answer == ConfirmAnswer::Save);
  }
  CHECK_FALSE(state.open);
  fixture.robot().frames(2);
  CHECK_FALSE(fixture.robot().shows("dialog.save"));
}

TEST_CASE("dialogs: the key that opens a dialog does not answer it") {
  ConfirmState state;
  std::optional<ConfirmAnswer> answer;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"), [&](UiContext& ui) {
    if (!state.open && !answer && key_pressed(Key::Enter)) open_confirm_dialog(state, "", "quit");
    if (const auto given = confirm_dialog(ui, state)) answer = given;
  });
  fixture.robot().key(Key::Enter);
  CHECK(state.open);
  CHECK_FALSE(answer.has_value());
}
