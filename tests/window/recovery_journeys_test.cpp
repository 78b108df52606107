// Recovery after an unexpected end of the program, in the real window.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kEditedLesson = "05-all-queries-at-once";
constexpr const char* kCell = "inputs.embeddings[2,0]";

fs::path state_of(const WindowSession& window) {
  return window.folder() / "home" / "headlight";
}

std::vector<std::string> kept_files(const WindowSession& window) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(state_of(window) / "recovery", missing))
    names.push_back(entry.path().filename().string());
  return names;
}

// A copy of the edited lesson, as a user's file.
fs::path own_file(const WindowSession& window) {
  const fs::path file = window.folder() / "mine.headlight";
  fs::copy_file(lesson_file(kEditedLesson), file, fs::copy_options::overwrite_existing);
  return file;
}

void end_by(WindowSession& window, int signal) {
  REQUIRE(::kill(window.program_pid(), signal) == 0);
  CHECK(window.wait_for_exit() == 128 + signal);
}

// The time in which a change is certainly written to the recovery files.
void wait_a_second() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

double saved_number(const fs::path& file) {
  return Json::parse(text_of(file)).at("embeddings").at(2).at(0);
}

}  // namespace

TEST_CASE("a number that was not saved when the program was killed is recovered at the next start") {
  WindowSession window;
  const fs::path file = own_file(window);
  end_by(window, SIGKILL);
  window.start_again({file.string()});
  CHECK(window.state().at("recoverable") == 0);
  set_cell(window, kCell, "-0.25");
  wait_a_second();
  end_by(window, SIGKILL);
  CHECK_FALSE(kept_files(window).empty());

  window.start_again();
  CHECK(window.state().at("recoverable") == 1);
  CHECK_THAT(window.value("recovery.item.0"), ContainsSubstring("1 number of the embeddings"));
  CHECK_THAT(window.value("recovery.item.0"), ContainsSubstring("mine.headlight"));
  window.key("Return");
  window.until_value(kCell, "−0.25");
  const Json document = window.state().at("document");
  CHECK(document.at("path") == file.string());
  CHECK(document.at("saved") == false);
  CHECK(saved_number(file) != -0.25);

  end_by(window, SIGKILL);  // the recovered session is written again
  window.start_again();
  window.click("recovery.recover.0");
  window.until_value(kCell, "−0.25");
  window.key("ctrl+s");
  window.until("it is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved") == true; });
  CHECK(saved_number(file) == -0.25);
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  CHECK(kept_files(window).empty());
}

TEST_CASE("what was kept can be looked at, left for later and discarded") {
  WindowSession window;
  open_lesson(window, kEditedLesson);
  set_cell(window, kCell, "0.5");
  end_by(window, SIGTERM);
  window.start_again();
  window.click("recovery.look.0");
  window.until_value(kCell, "0.5");
  CHECK(window.state().at("document").at("path").is_null());
  CHECK(window.state().at("recoverable") == 1);
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);

  window.start_again();
  window.widget("recovery.item.0");
  window.key("Escape");
  window.until_gone("recovery.item.0");
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);

  window.start_again();
  window.click("recovery.discard.0");
  window.until_gone("recovery.item.0");
  CHECK(window.state().at("recoverable") == 0);
  CHECK(kept_files(window).empty());
}

TEST_CASE("SIGTERM, SIGINT and SIGHUP lose nothing, however short before") {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    WindowSession window;
    open_lesson(window, kEditedLesson);
    for (const char* number : {"1", "2", "3", "4.5"})
      set_cell(window, kCell, number);
    end_by(window, signal);
    window.start_again();
    window.key("Return");
    window.until_value(kCell, "4.5");
  }
}

TEST_CASE("a display that goes away takes nothing along") {
  WindowSession window;
  open_lesson(window, kEditedLesson);
  set_cell(window, kCell, "4.5");
  window.end_display();
  CHECK(window.wait_for_exit() == 1);
  window.start_display_again();
  window.start_again();
  window.key("Return");
  window.until_value(kCell, "4.5");
}

TEST_CASE("a clean end leaves nothing behind, and what the person gives up is gone") {
  WindowSession window;
  open_file(window, own_file(window));
  window.until("the file is open",
               [](const Moment& moment) { return !moment.state.at("document").at("path").is_null(); });
  set_cell(window, kCell, "0.5");
  wait_a_second();
  CHECK_FALSE(kept_files(window).empty());
  window.key("ctrl+q");
  window.click_and_end("dialog.discard");
  CHECK(window.wait_for_exit() == 0);
  CHECK(kept_files(window).empty());
}

TEST_CASE("what is tried in a lesson is kept while the program runs, and goes with a clean end") {
  WindowSession window;
  open_lesson(window, kEditedLesson);
  set_cell(window, kCell, "0.5");
  wait_a_second();
  CHECK_FALSE(kept_files(window).empty());
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  CHECK(kept_files(window).empty());
}

TEST_CASE("a file that another program has written since is not replaced without a question") {
  WindowSession window;
  const fs::path file = own_file(window);
  end_by(window, SIGKILL);
  window.start_again({file.string()});
  set_cell(window, kCell, "0.5");
  std::ofstream(file) << "another program's";
  window.key("ctrl+s");
  CHECK_THAT(window.value("dialog.question"), ContainsSubstring("mine.headlight"));
  window.key("Escape");
  window.until_gone("dialog.question");
  CHECK(text_of(file) == "another program's");
  CHECK(window.state().at("document").at("saved") == false);

  window.key("ctrl+s");
  window.key("Return");  // the default answer: another name
  window.fill("dialog.name", "other");
  window.key("Return");
  window.until("it is saved elsewhere", [&](const Moment& moment) {
    return moment.state.at("document").at("path") == (window.folder() / "other.headlight").string();
  });
  CHECK(text_of(file) == "another program's");
  CHECK(saved_number(window.folder() / "other.headlight") == 0.5);

  set_cell(window, kCell, "0.75");
  fs::copy_file(lesson_file(kEditedLesson), window.folder() / "other.headlight",
                fs::copy_options::overwrite_existing);
  window.key("ctrl+s");
  window.click("dialog.overwrite");
  window.until("it is saved all the same",
               [](const Moment& moment) { return moment.state.at("document").at("saved") == true; });
  CHECK(saved_number(window.folder() / "other.headlight") == 0.75);
}

TEST_CASE("a program that was killed just after it had saved finds its own file again") {
  WindowSession window;
  const fs::path file = own_file(window), aside = window.folder() / "aside";
  Json session = Json::parse(text_of(file));
  session["notes"] = std::string(std::size_t{5} << 20, 'n');  // too large to be read for the list
  std::ofstream(file) << session;
  end_by(window, SIGKILL);
  window.start_again({file.string()});
  set_cell(window, kCell, "0.5");
  wait_a_second();
  fs::copy(state_of(window) / "recovery", aside);
  window.key("ctrl+s");
  window.until("it is saved",
               [](const Moment& moment) { return moment.state.at("document").at("saved") == true; });
  end_by(window, SIGKILL);
  fs::remove_all(state_of(window) / "recovery");
  fs::rename(aside, state_of(window) / "recovery");

  window.start_again();
  window.key("Return");
  window.until_value(kCell, "0.5");
  CHECK(window.state().at("document").at("saved") == false);
  window.key("ctrl+s");
  window.until("it is saved without a question",
               [](const Moment& moment) { return moment.state.at("document").at("saved") == true; });
}

TEST_CASE("two windows keep their own sessions, and neither is offered the other's") {
  WindowSession one;
  open_lesson(one, kEditedLesson);
  set_cell(one, kCell, "0.5");
  wait_a_second();
  WindowSession two({}, {}, FirstStart::Known, one.folder() / "home");
  CHECK(two.state().at("recoverable") == 0);
  open_lesson(two, kEditedLesson);
  set_cell(two, kCell, "0.75");
  wait_a_second();
  end_by(one, SIGKILL);
  one.start_again();
  CHECK(one.state().at("recoverable") == 1);
  one.key("Return");
  one.until_value(kCell, "0.5");
  CHECK(two.value(kCell) == "0.75");
}

TEST_CASE("settings that are damaged, or a pipe, are put aside and never stop a start") {
  WindowSession window;
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  std::ofstream(state_of(window) / "preferences.json") << std::string(100000, '[');
  fs::remove(state_of(window) / "window.json");
  REQUIRE(::mkfifo((state_of(window) / "window.json").c_str(), 0600) == 0);
  window.start_again();
  CHECK_THAT(message_of(window), ContainsSubstring("preferences.json.damaged"));
  CHECK_THAT(message_of(window), ContainsSubstring("window.json.damaged"));
  CHECK(fs::exists(state_of(window) / "preferences.json.damaged"));
  CHECK(fs::exists(state_of(window) / "window.json.damaged"));
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  CHECK(fs::is_regular_file(state_of(window) / "window.json"));
}

TEST_CASE("a window remembered from another screen, too small or too large, opens with a size to work in") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  const auto start_with = [&window](const std::string& memory) {
    window.key_and_end("ctrl+q");
    CHECK(window.wait_for_exit() == 0);
    std::ofstream(state_of(window) / "window.json") << memory;
    window.start_again({lesson_file("16-causal-mask").string()});
    // The side panels are visible.
    hide_lesson_text(window);  // else the lesson has the right column
    CHECK(window.widget("splitter.inputs").x > 200);
    CHECK(window.widget("splitter.inspector").x < 1080);
    CHECK(window.widget("walk.start").y < 800);
  };
  start_with(
      R"({"hint_seen": true, "width": 30000, "height": 30000, "inputs_width": 1, "inspector_width": 1})");
  CHECK_THAT(message_of(window), ContainsSubstring("The window had 30000 x 30000 on its last screen"));
  start_with(R"({"hint_seen": true, "width": 1, "height": 1})");
  CHECK_THAT(message_of(window), ContainsSubstring("\"width\" is 1"));
  CHECK(text_of(state_of(window) / "window.json.damaged").find("\"width\": 1,") != std::string::npos);

  // The smallest size is not stored.
  window.resize({1, 1});
  window.key_and_end("ctrl+q");
  CHECK(window.wait_for_exit() == 0);
  const Json kept = Json::parse(text_of(state_of(window) / "window.json"));
  CHECK(kept.at("width") != 1);
}

TEST_CASE("a scale that a screen has no room for is made less, and said") {
  WindowSession window({"--scale", "8", lesson_file("16-causal-mask").string()});
  CHECK_THAT(message_of(window), ContainsSubstring("A scale of 8 is too large for a screen of 1280 x 800"));
  const Moment moment = window.now();
  for (const char* name : {"toolbar.menu", "toolbar.view", "message.close"}) {
    INFO(name);
    const Widget* widget = moment.find(name);
    REQUIRE(widget);
    CHECK(widget->x >= 0);
    CHECK(widget->x + widget->width <= 1280);
    CHECK(widget->y + widget->height <= 800);
  }
}
