// Saving and opening files in the real window.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string until_message(WindowSession& window, const std::string& part) {
  const Moment moment = window.until("a message with \"" + part + "\"", [&](const Moment& candidate) {
    return candidate.state.at("message").get<std::string>().find(part) != std::string::npos;
  });
  return moment.state.at("message");
}

std::size_t color_count(const Picture& picture) {
  std::set<std::tuple<int, int, int>> colors;
  for (const Pixel& pixel : picture.pixels)
    colors.insert({pixel.r, pixel.g, pixel.b});
  return colors.size();
}

}  // namespace

TEST_CASE("a heatmap is exported as a PNG: the picture that the command line makes of the same session") {
  WindowSession window({lesson_file("05-all-queries-at-once").string()});
  window.click("stage.weights.menu");
  window.click("stage.weights.export");
  window.fill("dialog.name", "from-window");
  window.fill("dialog.path", window.folder().string());
  window.click("dialog.theme.light");
  window.click("dialog.scale.2");
  window.click("dialog.ok");
  const fs::path file = window.folder() / "from-window.png";
  const std::string message = until_message(window, "from-window.png");
  CHECK_THAT(message, ContainsSubstring(file.string()));

  const Picture picture = read_png(file);
  CHECK(picture.width > 300);
  CHECK(picture.height > 300);
  CHECK(picture.at(0, 0) == Pixel{255, 255, 255});
  CHECK(picture.at(picture.width - 1, picture.height - 1) == Pixel{255, 255, 255});
  CHECK(color_count(picture) > 100);  // cells and a bar of 256 colours: the page is not empty

  const fs::path from_command = window.folder() / "from-command.png";
  const RunResult result =
      run({headlight_program().string(), "export", lesson_file("05-all-queries-at-once").string(), "--stage",
           "weights", "-o", from_command.string()});
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  const Picture expected = read_png(from_command);
  CHECK(picture.width == expected.width);
  CHECK(picture.height == expected.height);
  CHECK(picture.pixels == expected.pixels);

  window.key("ctrl+e");
  window.fill("dialog.name", "drawn.png");
  window.click("dialog.format.svg");
  window.fill("dialog.path", window.folder().string());
  window.click("dialog.ok");
  until_message(window, "drawn.svg");
  std::ostringstream svg;
  svg << std::ifstream(window.folder() / "drawn.svg").rdbuf();
  CHECK_THAT(svg.str(), ContainsSubstring("<svg"));
  CHECK_THAT(svg.str(), ContainsSubstring("journey"));
}

TEST_CASE("a changed session is saved where one says, and the command line reads the same numbers from it") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  set_cell(window, "inputs.embeddings[2,0]", "-0.25");
  window.key("ctrl+s");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "mine");
  window.click("dialog.ok");
  const fs::path file = window.folder() / "mine.headlight";
  window.until("the session is saved", [&](const Moment& moment) {
    return moment.state.at("document").at("path") == file.string() &&
           moment.state.at("document").at("saved") == true;
  });
  CHECK(Json::parse(text_of(file)).at("embeddings")[2][0] == -0.25);

  const Rows weights = simple_attention_weights(shown_embeddings(window, 6, 3), false);
  const RunResult printed = run({headlight_program().string(), "print", file.string(), "--stage", "weights"});
  CHECK(printed.exit_status == 0);
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, "%.4f", weights[2][2]);
  CHECK_THAT(printed.output, ContainsSubstring(wanted));

  set_cell(window, "inputs.embeddings[2,0]", "0.5");
  window.key("ctrl+s");  // now the path is known
  window.until("it is saved again",
               [](const Moment& moment) { return moment.state.at("document").at("saved") == true; });
  CHECK(Json::parse(text_of(file)).at("embeddings")[2][0] == 0.5);
}

TEST_CASE("a broken file is answered with one message, and the open session stays") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  window.key("ctrl+z");
  const Json before = window.state().at("document");
  write(window.folder() / "broken.headlight", "{ \"format\": \"headlight-session\", \"version\": 1, ");
  window.key("ctrl+o");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.click("dialog.entry.broken.headlight");
  window.click("dialog.ok");
  CHECK_THAT(until_message(window, "broken.headlight"), ContainsSubstring("line 1"));
  CHECK(window.state().at("document") == before);
  CHECK(window.value("inputs.embeddings[0,0]") == "0.43");
  CHECK(window.value("message") == message_of(window));

  std::string unknown = text_of(lesson_file("05-all-queries-at-once"));
  unknown.replace(unknown.find("\"tokens\""), 8, "\"tokenz\"");
  write(window.folder() / "unknown.headlight", unknown);
  open_file(window, window.folder() / "unknown.headlight");
  CHECK_THAT(until_message(window, "tokenz"), ContainsSubstring("tokens"));
  CHECK(window.state().at("document") == before);

  open_file(window, lesson_file("16-causal-mask"));  // a valid file still opens
  window.until_value("settings.mask", "causal");
  CHECK(message_of(window) == "");
}

TEST_CASE("a broken file on the command line is told on the start screen, and nothing else is opened") {
  const TemporaryFolder folder;
  write(folder.path() / "broken.headlight", "");
  WindowSession window({(folder.path() / "broken.headlight").string()});
  CHECK_THAT(message_of(window), ContainsSubstring("broken.headlight"));
  CHECK_THAT(window.value("start.message"), ContainsSubstring("broken.headlight"));
  window.key("Escape");
  CHECK_FALSE(window.shows("inputs.embeddings[0,0]"));
  CHECK_FALSE(window.shows("start.close"));
}

TEST_CASE("what is tried in a lesson goes without a question when one quits") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
}

TEST_CASE("words from the start screen become a session of their own, whatever is open and changed") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  window.key("ctrl+l");
  window.click("start.text");
  window.widget("text.input");
  CHECK(window.state().at("document").at("title") == "New session");
  window.key("Escape");

  write(window.folder() / "mine.headlight", text_of(lesson_file("05-all-queries-at-once")));
  open_file(window, window.folder() / "mine.headlight");
  window.until("the file is open",
               [](const Moment& moment) { return !moment.state.at("document").at("path").is_null(); });
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  window.key("ctrl+l");
  window.click("start.text");
  window.click("dialog.cancel");
  window.until_gone("dialog.cancel");
  CHECK_FALSE(window.shows("text.input"));
  window.click("start.text");
  window.click("dialog.discard");
  window.widget("text.input");
  CHECK(window.state().at("document").at("title") == "New session");
}

TEST_CASE("quitting asks before changes are lost") {
  WindowSession window;
  write(window.folder() / "mine.headlight", text_of(lesson_file("05-all-queries-at-once")));
  open_file(window, window.folder() / "mine.headlight");
  window.until("the file is open",
               [](const Moment& moment) { return !moment.state.at("document").at("path").is_null(); });
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  window.key("ctrl+q");
  window.click("dialog.cancel");
  window.until_gone("dialog.cancel");
  CHECK(window.value("inputs.embeddings[0,0]") == "0.5");
  window.click("toolbar.menu");
  window.click("menu.quit");
  window.click_and_end("dialog.discard");
  CHECK(window.wait_for_exit() == 0);
  CHECK(window.output() == "");
}

TEST_CASE("closing the window asks before changes are lost, whichever dialog is open") {
  WindowSession window;
  write(window.folder() / "mine.headlight", text_of(lesson_file("05-all-queries-at-once")));
  open_file(window, window.folder() / "mine.headlight");
  window.until("the file is open",
               [](const Moment& moment) { return !moment.state.at("document").at("path").is_null(); });
  set_cell(window, "inputs.embeddings[0,0]", "0.5");
  const struct {
    const char *key, *shown;
  } dialogs[] = {
      {"ctrl+o", "dialog.path"}, {"ctrl+e", "dialog.ok"}, {"F1", "manual.close"}, {"shift+F1", "keys.close"}};
  for (const auto& dialog : dialogs) {
    CAPTURE(dialog.key);
    window.key(dialog.key);
    window.widget(dialog.shown);
    window.close_window();
    window.widget("dialog.discard");
    window.click("dialog.cancel");
    window.until_gone("dialog.discard");
    window.widget(dialog.shown);  // the first dialog is shown again
    window.key("Escape");
    window.until_gone(dialog.shown);
  }
  window.key("ctrl+e");
  window.widget("dialog.ok");
  window.close_window();
  window.click_and_end("dialog.discard");
  CHECK(window.wait_for_exit() == 0);
}

TEST_CASE(
    "a session that is dropped on an open dialog of arrays takes its place, and a change is asked about") {
  const fs::path arrays = fs::path(source_root()) / "tests/fixtures/arrays/safetensors/gpt2.safetensors";
  const auto until_title = [](WindowSession& window, const std::string& part) {
    window.until("\"" + part + "\" is open", [&](const Moment& moment) {
      return moment.state.at("document").at("title").get<std::string>().find(part) != std::string::npos;
    });
  };
  WindowSession window({lesson_file("05-all-queries-at-once").string(), arrays.string()});
  window.widget("arrays.apply");
  const std::string title = window.state().at("document").at("title");
  window.drop({lesson_file("16-causal-mask")});
  until_title(window, "ausal");
  CHECK_FALSE(window.shows("arrays.apply"));
  CHECK(window.state().at("document").at("title") != title);

  set_cell(window, "inputs.embeddings[0,0]", "0.75");
  window.drop({arrays});
  window.widget("arrays.apply");
  window.drop({lesson_file("05-all-queries-at-once")});
  window.widget("dialog.discard");
  window.click("dialog.cancel");
  window.until_gone("dialog.discard");
  window.widget("arrays.apply");
  window.drop({lesson_file("05-all-queries-at-once")});
  window.click("dialog.discard");
  window.until_gone("dialog.discard");
  until_title(window, title);
  CHECK_FALSE(window.shows("arrays.apply"));
}
