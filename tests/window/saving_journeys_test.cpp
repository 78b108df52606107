// What is saved beside the session, in the real window: answers, pictures, programs; and what is said where
// that cannot be done.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kChangedLesson = "05-all-queries-at-once";

std::string until_said(WindowSession& window, const std::string& part) {
  const Moment moment = window.until("a message with \"" + part + "\"", [&](const Moment& candidate) {
    return candidate.state.at("message").get<std::string>().find(part) != std::string::npos;
  });
  return moment.state.at("message");
}

void until_open(WindowSession& window, const fs::path& file) {
  window.until(file.string() + " is open", [&](const Moment& candidate) {
    return candidate.state.at("document").at("path") == file.string();
  });
}

// Runs the first entry of the palette for these words.
void run_command(WindowSession& window, const std::string& words) {
  window.key("ctrl+p");
  window.widget("palette.query");
  window.type(words);
  window.key("Return");
  window.until_gone("palette.query");
}

void fill_name(WindowSession& window, const fs::path& folder, const std::string& name) {
  if (window.value("dialog.path") != folder.string()) {  // there Return would save under the proposed name
    window.fill("dialog.path", folder.string());
    window.key("Return");
  }
  window.fill("dialog.name", name);
}

void save_under(WindowSession& window, const fs::path& folder, const std::string& name) {
  fill_name(window, folder, name);
  window.click("dialog.ok");
}

// A copy of the lesson in which these steps have numbers for texts.
std::string with_broken_steps(const std::string& lesson, int count) {
  Json text = Json::parse(lesson);
  for (int step = 0; step < count; ++step)
    text["lesson"]["steps"][static_cast<std::size_t>(step) + 1]["text"] = 7;
  return text.dump();
}

// A file of a lesson whose first step asks a question.
std::string asking_lesson(const TemporaryFolder& folder) {
  Json lesson = Json::parse(text_of(lesson_file("16-causal-mask")));
  lesson["title"] = "A lesson of my own";
  lesson["lesson"]["steps"][0]["ask"] = {
      {"question", "Which grows?"},
      {"answers", {"The first", "The second"}},
      {"right", 1},
      {"replies", {"No.", "Yes."}},
      {"change", {{"numbers", {{{"of", "embeddings"}, {"row", 1}, {"column", 0}, {"value", 2}}}}}}};
  folder.write("asking.headlight", lesson.dump());
  return (folder.path() / "asking.headlight").string();
}

}  // namespace

TEST_CASE("saving: a session goes under another name, and not where nothing can be written") {
  WindowSession window({lesson_file(kChangedLesson).string()});
  set_cell(window, "inputs.embeddings[2,0]", "-0.25");
  window.key("ctrl+shift+s");
  save_under(window, "/proc", "mine");
  CHECK_THAT(until_said(window, "/proc/mine.headlight"), !ContainsSubstring("Saved"));
  CHECK(window.state().at("document").at("saved") == false);
  CHECK(window.state().at("document").at("path") == lesson_file(kChangedLesson).string());
  window.key("ctrl+shift+s");
  save_under(window, window.folder(), "mine");
  until_said(window, "Saved as");
  CHECK(window.state().at("document").at("path") == (window.folder() / "mine.headlight").string());
  CHECK(Json::parse(text_of(window.folder() / "mine.headlight")).at("embeddings")[2][0] == -0.25);
}

TEST_CASE("saving: the answers to a lesson's questions, once there are any") {
  const TemporaryFolder folder;
  const std::string file = asking_lesson(folder);
  REQUIRE(::setenv("USER", "ann.b", 1) == 0);  // each test case is a process of its own
  WindowSession window({file});
  run_command(window, "save my answers");
  until_said(window, "No question of this lesson is answered yet");
  window.click("lesson.answer.1");
  run_command(window, "save my answers");
  CHECK(window.value("dialog.name") == "ann.b.json");
  save_under(window, window.folder(), "ann");
  until_said(window, "ann.json");
  const Json answers = Json::parse(text_of(window.folder() / "ann.json"));
  CHECK(answers.at("answers").at(0).at("question") == "Which grows?");
  CHECK(answers.at("answers").at(0).at("guess") == Json({0, 1}));
  // They are kept by what the lesson asks, and answering has changed no file.
  window.click("lesson.do");
  window.until("the change is made",
               [](const Moment& moment) { return moment.find("lesson.reply") != nullptr; });
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  window.start_again({file});
  run_command(window, "save my answers");
  CHECK(window.value("dialog.name") == "ann.json");  // the name of the first time
}

TEST_CASE("saving: who quits with unsaved answers to a lesson of one's own saves them and ends") {
  const TemporaryFolder folder;
  WindowSession window({asking_lesson(folder)});
  window.click("lesson.answer.1");
  window.key("ctrl+q");
  CHECK_THAT(window.value("dialog.question"), ContainsSubstring("Your answers to"));
  window.click("dialog.save");
  fill_name(window, window.folder(), "ann");
  window.click_and_end("dialog.ok");
  CHECK(window.wait_for_exit() == 0);
  CHECK(Json::parse(text_of(window.folder() / "ann.json")).at("answers").at(0).at("guess") == Json({0, 1}));
}

TEST_CASE("saving: who is asked for the answers and goes on is not asked again") {
  const TemporaryFolder folder;
  WindowSession window({asking_lesson(folder)});
  window.click("lesson.answer.0");
  window.key("ctrl+q");
  window.click("dialog.cancel");
  window.until_gone("dialog.cancel");
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
}

TEST_CASE("saving: the large picture, as a figure where the view has one, else its pixels") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.click("toolbar.share");
  window.click("menu.save_picture");
  save_under(window, window.folder(), "figure.svg");
  until_said(window, "figure.svg");
  CHECK_THAT(text_of(window.folder() / "figure.svg"), ContainsSubstring("<svg"));
  window.click("focus.more");
  window.click("view.vectors");
  const Widget area = window.widget("focus.area");
  window.click("toolbar.share");
  window.click("menu.save_picture");
  save_under(window, window.folder(), "pixels");
  until_said(window, "pixels.png");
  const Picture picture = read_png(window.folder() / "pixels.png");
  CHECK(std::abs(picture.width - area.width) <= 2);
  CHECK(std::abs(picture.height - area.height) <= 2);
}

TEST_CASE("saving: the session as a page for a browser") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.click("toolbar.share");
  window.click("menu.save_page");
  save_under(window, window.folder(), "layer");
  until_said(window, "layer.html");
  CHECK_THAT(text_of(window.folder() / "layer.html"), ContainsSubstring("dataset.ready=\"live\""));
}

TEST_CASE("saving: the computation of a cell as an animation") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  window.click("toolbar.share");
  window.click("menu.save_animation");
  save_under(window, window.folder(), "cell");
  until_said(window, "cell.gif");
  CHECK(text_of(window.folder() / "cell.gif").starts_with("GIF89a"));
}

TEST_CASE("saving: a bundle opens without the model's folder, and a session without its model asks for it") {
  const TemporaryFolder folder;
  const fs::path moved = folder / "moved";
  const ModelCopy model("gpt2");
  WindowSession window({model.path().string()});
  window.click("toolbar.share");
  window.click("menu.save_bundle");
  const std::string proposed = window.value("dialog.name");  // of the whole model, not of the shown layer
  CHECK(proposed.ends_with("-bundle.headlight"));
  CHECK_THAT(proposed, !ContainsSubstring("layer"));
  save_under(window, folder.path(), "all");
  until_said(window, "all.headlight");
  window.key("ctrl+s");
  save_under(window, folder.path(), "plain");
  until_said(window, "plain.headlight");
  fs::rename(model.path(), moved);

  open_file(window, folder / "all.headlight");
  until_open(window, folder / "all.headlight");

  open_file(window, folder / "plain.headlight");
  CHECK_THAT(window.value("missing.why"), ContainsSubstring("is not there"));
  CHECK_THAT(window.value("missing.why"), ContainsSubstring("--model"));
  window.click("missing.choose");
  window.fill("dialog.path", (fs::path(source_root()) / "tests/golden/models/llama/config.json").string());
  window.key("Return");
  window.until_gone("dialog.path");
  CHECK_THAT(window.value("missing.why"), ContainsSubstring("another model"));
  window.click("missing.choose");
  window.fill("dialog.path", (moved / "config.json").string());
  window.key("Return");
  until_open(window, folder / "plain.headlight");
}

TEST_CASE("saving: pictures go into the report, whose text is edited and saved as a page") {
  const TemporaryFolder folder;
  headlight::Session session;
  session.title = "Three tokens";
  session.layer.tokens = {"a", "b", "c"};
  session.layer.embeddings = {headlight::Matrix::Identity(3, 3)};
  session.layer.attention.d_out = 3;
  save_session(session, folder / "x.headlight");
  WindowSession window({(folder / "x.headlight").string()});
  window.click("stage.weights");
  window.click("toolbar.share");
  window.click("menu.add_to_report");
  until_said(window, "report.md");
  CHECK_THAT(text_of(folder / "x.report/report.md"), ContainsSubstring(".png)"));
  window.click("toolbar.share");
  window.click("menu.report");
  CHECK_THAT(window.value("report.text"), ContainsSubstring("Three tokens"));
  window.click("report.text");
  window.key("ctrl+End");
  window.type("Seen here.");
  window.click("report.save_as");
  save_under(window, folder.path(), "out");
  window.click("report.close");
  CHECK_THAT(text_of(folder / "x.report/report.md"), ContainsSubstring("Seen here."));
  CHECK_THAT(text_of(folder / "out.html"), ContainsSubstring("Seen here."));
  CHECK_THAT(text_of(folder / "out.html"), ContainsSubstring("data:image/png;base64,"));
}

TEST_CASE("saving: a program does not replace numbers that may not be its own") {
  const TemporaryFolder folder;
  headlight::Session session;
  session.layer.tokens.assign(150, "t");
  session.layer.embeddings = {headlight::Matrix::Constant(150, 150, 0.01f)};
  session.layer.attention.d_out = 150;
  save_session(session, folder.path() / "many.headlight");
  WindowSession window({(folder.path() / "many.headlight").string()});
  std::ofstream(window.folder() / "mine.npz") << "another program's";
  window.click("stage.weights");
  run_command(window, "copy numpy");
  save_under(window, window.folder(), "mine");
  CHECK_THAT(until_said(window, "mine.npz"), ContainsSubstring("give the program another name"));
  CHECK(text_of(window.folder() / "mine.npz") == "another program's");
  CHECK_FALSE(fs::exists(window.folder() / "mine.py"));
}

TEST_CASE("lessons: steps that cannot be read are told, and the mended file is read anew where one was") {
  const TemporaryFolder folder;
  const std::string whole = text_of(lesson_file("16-causal-mask"));
  const fs::path file = folder.write("mine.headlight", with_broken_steps(whole, 1));
  WindowSession window({file.string()});
  CHECK_THAT(message_of(window), ContainsSubstring("A step of this lesson cannot be read"));
  folder.write("mine.headlight", with_broken_steps(whole, 2));
  until_said(window, "There are 2 mistakes in steps of this lesson. The first: ");
  folder.write("mine.headlight", whole);
  until_said(window, "The lesson's file has changed: it was read anew");
  window.click("lesson.next");
  window.until_value("lesson.step", "2 of 5");
  folder.write("mine.headlight", whole + "\n");
  until_said(window, "read anew");
  CHECK(window.value("lesson.step") == "2 of 5");
}

TEST_CASE("opening: a model's folder by its config.json, and nothing is recovered where nothing was left") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  run_command(window, "kept sessions");
  until_said(window, "Nothing was left behind");
  run_command(window, "open model folder");
  window.fill("dialog.path", source_root() + "/tests/golden/models/gpt2/config.json");
  window.key("Return");
  window.until("the model is open", [](const Moment& moment) { return moment.find("model.page.text"); });
  window.click("model.page.text");
  const std::string text = window.value("model.text");
  window.click("model.continue");
  window.until("a token is added", [&](const Moment& moment) {
    const Widget* now = moment.find("model.text");
    return now && now->value.size() > text.size();
  });
}
