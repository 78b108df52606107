// The export dialog in the real window: files, folders and the clipboard, against the command line's exports.
#include <filesystem>
#include <set>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

const char* const kLesson = "20-two-heads";

void until_message_has(WindowSession& window, const std::string& part) {
  window.until("a message with \"" + part + "\"", [&](const Moment& moment) {
    return moment.state.at("message").get<std::string>().find(part) != std::string::npos;
  });
}

void open_dialog(WindowSession& window) {
  window.key("ctrl+e");
  window.until_value("dialog.preview", "picture");
}

// The file that the command line exports from the lesson.
std::string from_command(WindowSession& window, const std::string& name, std::vector<std::string> options) {
  const fs::path file = window.folder() / ("command-" + name);
  std::vector<std::string> command = {headlight_program().string(),
                                      "export",
                                      lesson_file(kLesson).string(),
                                      "--stage",
                                      "weights",
                                      "-o",
                                      file.string()};
  command.insert(command.end(), options.begin(), options.end());
  const RunResult result = run(command);
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  return text_of(file);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("a figure for one column and its numbers are those of the command line") {
  WindowSession window({lesson_file(kLesson).string()});
  window.click("stage.weights");
  open_dialog(window);
  window.choose("dialog.preset", "one_column");
  CHECK(window.value("dialog.width") == "89");
  CHECK_THAT(window.value("dialog.size"), ContainsSubstring("89.0 ×"));
  window.click("dialog.format.pdf");
  CHECK_THAT(window.value("dialog.file"), ContainsSubstring("vector cells"));
  window.fill("dialog.path", window.folder().string());
  window.fill("dialog.name", "column.pdf");
  window.click("dialog.ok");
  until_message_has(window, "column.pdf");
  window.until_gone("dialog.ok");
  CHECK(text_of(window.folder() / "column.pdf") ==
        from_command(window, "column.pdf", {"--preset", "one_column"}));

  window.key("ctrl+e");
  window.click("dialog.format.csv");
  window.until_value("dialog.preview", "numbers");
  window.fill("dialog.name", "numbers.csv");
  window.key("Return");
  until_message_has(window, "numbers.csv");
  CHECK(text_of(window.folder() / "numbers.csv") == from_command(window, "numbers.csv", {}));
}

TEST_CASE("a picture is copied as other programs take it, in one part or in many, and text after it") {
  WindowSession window({lesson_file(kLesson).string()});
  window.click("stage.weights");
  open_dialog(window);
  window.click("dialog.theme.light");
  window.click("dialog.copy");
  window.until_value("dialog.note", "Picture copied");
  CHECK_THAT(window.clipboard("TARGETS"), ContainsSubstring("image/png"));
  CHECK(window.clipboard("image/png") == from_command(window, "plain.png", {}));

  window.choose("dialog.preset", "poster");
  window.click("dialog.copy");
  const std::string large = from_command(window, "poster.png", {"--preset", "poster"});
  CHECK(large.size() > 150'000);  // transferred in several parts
  window.until("the large picture is there",
               [&](const Moment&) { return window.clipboard("image/png") == large; });

  window.click("dialog.format.md");
  window.click("dialog.copy");
  window.until_value("dialog.note", "Copied “weights” as Markdown");
  CHECK(window.clipboard() == from_command(window, "table.md", {}));
  window.key("Escape");
  window.until_gone("dialog.ok");
  window.click("stage.weights.menu");
  window.click("stage.weights.copy_tex");
  until_message_has(window, "LaTeX");
  CHECK(window.clipboard() == from_command(window, "table.tex", {}));
}

TEST_CASE("the command that is copied saves the numbers of the stage, and an unsaved session has none") {
  WindowSession window({lesson_file(kLesson).string()});
  window.click("stage.weights");
  window.click("toolbar.share");
  window.click("menu.copy_command");
  until_message_has(window, "Copied the command");
  std::string command = window.clipboard();
  REQUIRE(command.starts_with("headlight export "));
  CHECK_THAT(command, ContainsSubstring("--stage weights"));
  command.replace(0, std::string("headlight").size(), headlight_program().string());
  const RunResult saved = run({"sh", "-c", "cd '" + window.folder().string() + "' && " + command});
  INFO(saved.output);
  REQUIRE(saved.exit_status == 0);
  CHECK(text_of(window.folder() / "answer.npz") == from_command(window, "again.npz", {}));

  window.click("toolbar.menu");
  window.click("menu.new");
  window.click("inputs.add_token");
  window.click("toolbar.share");
  window.click("menu.copy_command");
  until_message_has(window, "not saved");
}

TEST_CASE("all stages are saved in a folder as the command line does, and replaced only when asked") {
  WindowSession window({lesson_file(kLesson).string()});
  const fs::path folder = window.folder() / "stages", expected = window.folder() / "expected";
  fs::create_directories(folder);
  open_dialog(window);
  window.click("dialog.theme.light");
  window.click("dialog.format.svg");
  window.fill("dialog.path", folder.string());
  window.click("dialog.every_stage");
  until_message_has(window, "12 files saved");
  const RunResult result = run({headlight_program().string(), "export", lesson_file(kLesson).string(),
                                "--stage", "all", "--format", "svg", "-o", expected.string() + "/"});
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  CHECK(names_in(folder) == names_in(expected));
  for (const std::string& name : names_in(expected)) {
    INFO(name);
    CHECK(text_of(folder / name) == text_of(expected / name));
  }

  window.key("ctrl+e");
  window.click("dialog.every_stage");
  CHECK_THAT(window.value("dialog.question"), ContainsSubstring("and 11 more exist"));
  window.click("dialog.keep");
  CHECK(window.shows("dialog.ok"));
  window.fill("dialog.path", "/proc");  // no file can be written there
  window.click("dialog.every_stage");
  window.until("the dialog says why", [](const Moment& moment) {
    const Widget* message = moment.find("dialog.message");
    return message && message->value.find("Nothing was saved") != std::string::npos;
  });
  CHECK(window.shows("dialog.ok"));
}

TEST_CASE("the folder of an export is chosen in a browser, and the dialog comes back") {
  WindowSession window({lesson_file(kLesson).string()});
  open_dialog(window);
  window.click("dialog.browse");
  window.click("dialog.up");
  window.key("Escape");
  window.until_value("dialog.preview", "picture");
  window.key("Escape");
  window.until_gone("dialog.preview");
}

TEST_CASE("how one exported is remembered over a restart") {
  WindowSession window({lesson_file(kLesson).string()});
  open_dialog(window);
  window.choose("dialog.preset", "slide");
  window.click("dialog.transparent");
  window.fill("dialog.path", window.folder().string());
  window.click("dialog.ok");
  until_message_has(window, "Saved as");
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  window.start_again({lesson_file(kLesson).string()});
  open_dialog(window);
  CHECK(window.value("dialog.preset") == "changed");
  CHECK(window.value("dialog.transparent") == "on");
  CHECK(window.value("dialog.width") == "13.33");
  CHECK(window.value("dialog.path") == window.folder().string());
}

TEST_CASE("a program of too many numbers to be copied alone is saved with them") {
  const TemporaryFolder folder;
  headlight::Session session;
  session.layer.tokens.assign(150, "t");
  session.layer.embeddings = {headlight::Matrix::Constant(150, 150, 0.01f)};
  session.layer.attention.d_out = 150;
  save_session(session, folder.path() / "many.headlight");
  WindowSession window({(folder.path() / "many.headlight").string()});
  window.click("stage.weights");
  window.key("ctrl+p");
  window.widget("palette.query");
  window.type("copy numpy");
  window.key("Return");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "mine");
  window.click("dialog.ok");
  until_message_has(window, "mine.npz");
  const fs::path program = window.folder() / "mine.py";
  CHECK_THAT(text_of(program), ContainsSubstring("\"mine.npz\"") && ContainsSubstring("print(weights)"));
  CHECK(fs::file_size(window.folder() / "mine.npz") > 150 * 150 * 4);
}
