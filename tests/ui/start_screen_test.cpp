// The start screen: its actions, its cards, the progress of lessons, and the message about a failed file.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/ui/main_window/workbench.h"
#include "engine/analysis/text_reading.h"
#include "engine/network/network_pass.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

std::filesystem::path lesson_path(const std::string& stem) {
  return std::filesystem::path(headlight_test::source_root()) / "assets" / "lessons" / (stem + ".headlight");
}

struct StartBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit StartBench(ImVec2 size = {1280, 800})
      : fixture(
            lesson_session("16-causal-mask"), [this](UiContext& ui) { workbench(ui, state); }, size) {
    state.lesson.entries =
        read_lessons({lesson_path("20-two-heads"), lesson_path("01-one-query-dot-products"),
                      lesson_path("16-causal-mask"), lesson_path("05-all-queries-at-once")});
    state.lesson.guide = begin_guide(fixture.document().session());
    state.show_start = true;
    robot().frames(3);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void change_something() {
    fixture.document().run(RenameToken{0, "Dein"});
    REQUIRE_FALSE(fixture.document().saved());
  }
  // As the program does when it opens a session.
  void begin(const std::filesystem::path& last) {
    fixture.document().replace(lesson_session("01-one-query-dot-products"), std::nullopt);
    state.memory.last = last;
    state.show_start = false;
    robot().frames(3);
  }
  std::vector<Action> asked() {
    std::vector<Action> all;
    for (const ActionRequest& request : fixture.actions())
      all.push_back(request.action);
    return all;
  }
};

}  // namespace

TEST_CASE("start screen: it stands in place of the workbench and is left by its buttons only") {
  StartBench bench;
  CHECK(bench.robot().shows("start.course"));
  CHECK_FALSE(bench.robot().shows("toolbar.undo"));
  CHECK_FALSE(bench.robot().shows("start.close"));  // nothing is open
  for (int press = 0; press < 2; ++press) {
    bench.robot().key(Key::Escape);
    bench.robot().frames(2);
  }
  CHECK(bench.robot().shows("start.course"));
  bench.state.opened = true;  // as the program does with what it opens
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.course"));
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  bench.robot().click("start.close");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("toolbar.undo"));
  CHECK_FALSE(bench.robot().shows("start.close"));
}

TEST_CASE("start screen: the lamp at the left of the bar leads there") {
  WorkbenchState state;
  // The bar alone, so that the robot can click it.
  PanelFixture fixture(lesson_session("16-causal-mask"), [&state](UiContext& ui) { top_bar(ui, state); });
  fixture.robot().frames(3);
  CHECK(fixture.robot().widget("toolbar.home").rect.right() <= fixture.robot().widget("toolbar.menu").rect.x);
  fixture.robot().click("toolbar.home");
  REQUIRE(fixture.actions().size() == 1);
  CHECK(fixture.actions()[0].action == Action::ShowStart);
}

TEST_CASE("start screen: keys of the workbench change nothing behind it") {
  StartBench bench;
  const FocusView view = bench.fixture.view().focus_view;
  bench.robot().key(Key::Num2, {.alt = true});
  bench.robot().key(Key::S, {.ctrl = true});
  bench.robot().key(Key::F11);
  bench.robot().frames(2);
  CHECK(bench.asked().empty());
  CHECK(bench.fixture.view().focus_view == view);
  CHECK_FALSE(bench.fixture.view().opened_stage);
  bench.robot().key(Key::O, {.ctrl = true});
  CHECK(bench.asked() == std::vector<Action>{Action::Open});
}

TEST_CASE("start screen: it has few controls, with a model and with what was open last") {
  StartBench bench;
  std::vector<std::filesystem::path> files;
  const std::filesystem::path lessons = lesson_path("20-two-heads").parent_path();
  for (const auto& file : std::filesystem::directory_iterator(lessons))
    if (file.path().extension() == ".headlight") files.push_back(file.path());
  bench.state.lesson.entries = read_lessons(files);
  bench.state.start.model = "/assets/words/who-gave-what.headlight";
  bench.state.start.learning = "/assets/words/see-it-learn.headlight";
  bench.state.memory.recent = {"/a.headlight", "/b.headlight"};
  bench.state.memory.last = lesson_path("16-causal-mask");
  NetworkPass pass(std::make_shared<const Network>(headlight_test::source_root() + "/assets/examples/words"));
  SentenceState& sentence = bench.state.start.sentence;
  sentence.reading = std::make_shared<const TextReading>(read_text(pass, sentence.text, 3));
  for (const bool opened : {false, true}) {
    bench.state.opened = opened;
    bench.robot().frames(3);
    REQUIRE(bench.robot().shows("sentence.head"));
    CHECK(bench.robot().probe().controls_in_sight() <= 20);
  }
  bench.robot().click("start.menu");
  bench.robot().frames(2);
  bench.robot().click("menu.recent");
  bench.robot().frames(2);
  CHECK(bench.robot().value("menu.recent.1") == "/b.headlight");
}

TEST_CASE("start screen: the bundled model is offered by name where it is installed") {
  StartBench bench;
  CHECK_FALSE(bench.robot().shows("start.words"));
  bench.state.start.model = "/assets/words/who-gave-what.headlight";
  bench.robot().frames(2);
  bench.robot().click("start.words");
  bench.robot().frames(2);
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions().front().action == Action::OpenLesson);
  CHECK(bench.fixture.actions().front().path == bench.state.start.model);
}

TEST_CASE("start screen: the checkpoints of the bundled model are offered where they are installed") {
  StartBench bench;
  CHECK_FALSE(bench.robot().shows("start.learn"));
  bench.state.start.learning = "/assets/words/see-it-learn.headlight";
  bench.robot().frames(2);
  bench.robot().click("start.learn");
  bench.robot().frames(2);
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions().front().action == Action::OpenLesson);
  CHECK(bench.fixture.actions().front().path == bench.state.start.learning);
}

TEST_CASE("start screen: the course begins with the first lesson, and each card opens its own") {
  StartBench bench;
  bench.robot().click("start.course");
  REQUIRE(bench.asked() == std::vector<Action>{Action::OpenLesson});
  CHECK(bench.fixture.actions()[0].path == lesson_path("01-one-query-dot-products"));
  bench.fixture.clear();
  const auto chapters = chapters_of(bench.state.lesson.entries);
  bench.robot().click("start.chapter." + std::to_string(chapters.size() - 1));
  bench.robot().frames(2);
  bench.robot().click("start.lesson.20-two-heads");
  REQUIRE(bench.asked() == std::vector<Action>{Action::OpenLesson});
  CHECK(bench.fixture.actions()[0].path == lesson_path("20-two-heads"));
}

TEST_CASE("start screen: the way into the course stays, and leads to the first lesson that is not read") {
  StartBench bench;
  CHECK(bench.robot().shows("start.course"));
  bench.state.memory.last = lesson_path("20-two-heads");
  const LessonEntry& first = bench.state.lesson.entries.front();
  bench.state.memory.lessons = {{first.stem, 100}, {"05-all-queries-at-once", 2}};
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.continue"));
  bench.robot().click("start.course");
  REQUIRE(bench.asked() == std::vector<Action>{Action::OpenLesson});
  CHECK(bench.fixture.actions()[0].path == lesson_path("05-all-queries-at-once"));
}

TEST_CASE("start screen: arrays and a sentence go into a session of their own") {
  for (const bool changed : {false, true})
    for (const std::string card : {"start.arrays", "start.text"}) {
      INFO(card << (changed ? ", with an unsaved change behind it" : ""));
      StartBench bench;
      if (changed) bench.change_something();
      bench.robot().click(card.c_str());
      bench.robot().frames(3);
      CHECK(bench.asked() == std::vector<Action>{Action::New});
      CHECK_FALSE(bench.robot().shows("text.input"));  // the session behind it is still the open one
      bench.fixture.clear();
      bench.begin("");
      CHECK(bench.robot().shows("text.input") == (card == "start.text"));
      if (card == "start.arrays") CHECK(bench.asked() == std::vector<Action>{Action::OpenArrays});
    }
}

TEST_CASE("start screen: words do not go into a file that is opened in place of the new session") {
  StartBench bench;
  bench.change_something();
  bench.robot().click("start.text");
  bench.begin(lesson_path("20-two-heads"));  // the question about the change was answered by Cancel
  CHECK_FALSE(bench.robot().shows("text.input"));
}

TEST_CASE("start screen: it goes on with what was open last, at the step that was reached") {
  StartBench bench;
  CHECK_FALSE(bench.robot().shows("start.continue"));
  bench.state.memory.last = lesson_path("16-causal-mask");
  bench.state.memory.lessons = {{"16-causal-mask", 3}};
  bench.robot().frames(2);
  bench.robot().click("start.continue");
  CHECK(bench.asked() == std::vector<Action>{Action::OpenLesson});
  bench.state.show_start = false;  // as the program does after opening the lesson
  bench.robot().frames(3);
  CHECK(bench.robot().value("lesson.step") == "3 of 5");

  bench.state.memory.last = "/nowhere/gone.headlight";
  bench.state.show_start = true;
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("start.continue"));
}

TEST_CASE(
    "start screen: a lesson's card continues an unfinished lesson, and opens a finished one at its first "
    "step") {
  for (const int read : {0, 3, 5}) {
    StartBench bench;
    bench.state.memory.lessons = {{"16-causal-mask", read}};
    const auto chapters = chapters_of(bench.state.lesson.entries);
    for (std::size_t i = 0; i < chapters.size(); ++i)
      for (const LessonEntry& entry : chapters[i])
        if (entry.stem == "16-causal-mask") bench.state.start.course.chapter = i;
    bench.robot().frames(2);
    const bool unfinished = read == 3;
    REQUIRE(bench.robot().shows("start.continue.16-causal-mask") == unfinished);
    if (unfinished) CHECK(bench.robot().value("start.continue.16-causal-mask") == "Continue at step 3");
    CHECK(bench.robot().shows("start.done.16-causal-mask") == (read == 5));
    bench.robot().click("start.lesson.16-causal-mask");
    bench.state.show_start = false;  // as the program does after opening the lesson
    bench.robot().frames(3);
    CHECK(bench.robot().value("lesson.step") == (unfinished ? "3 of 5" : "1 of 5"));
  }
}

TEST_CASE("start screen: a session that was open last is offered by its title") {
  StartBench bench;
  bench.state.memory.last =
      std::filesystem::path(headlight_test::source_root()) / "assets/examples/words/who-gave-what.headlight";
  bench.robot().frames(2);
  CHECK(bench.state.start.last.title == "Who gave what");
  bench.state.memory.last = std::filesystem::path(headlight_test::source_root()) / "assets/examples/words";
  bench.robot().frames(2);
  CHECK(bench.state.start.last.title == "words");
}

TEST_CASE("start screen: a lesson that was read to its end has a tick") {
  StartBench bench;
  const auto chapter_of = [&](const std::string& stem) {
    const auto chapters = chapters_of(bench.state.lesson.entries);
    for (std::size_t i = 0; i < chapters.size(); ++i)
      for (const LessonEntry& entry : chapters[i])
        if (entry.stem == stem) return i;
    return chapters.size();
  };
  bench.state.start.course.chapter = chapter_of("16-causal-mask");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.lesson.16-causal-mask"));
  CHECK_FALSE(bench.robot().shows("start.done.16-causal-mask"));
  bench.state.opened = true;
  bench.robot().frames(2);
  bench.robot().click("start.close");
  bench.robot().frames(2);
  for (int step = 0; step < 4; ++step) {
    bench.robot().key(Key::PageDown, {.alt = true});
    bench.robot().frames(2);
  }
  CHECK(bench.state.memory.lessons.at("16-causal-mask") == 5);
  bench.state.show_start = true;
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.done.16-causal-mask"));
  bench.state.start.course.chapter = chapter_of("20-two-heads");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.lesson.20-two-heads"));
  CHECK_FALSE(bench.robot().shows("start.done.20-two-heads"));
  bench.robot().click("start.chapters");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.chapter." + std::to_string(chapter_of("16-causal-mask")) + ".done"));
}

TEST_CASE(
    "start screen: a chapter's dots are its lessons, those that are read are filled wherever they stand") {
  std::vector<LessonEntry> chapter(4);
  for (std::size_t i = 0; i < chapter.size(); ++i) {
    chapter[i].stem = std::to_string(i);
    chapter[i].steps = 3;
  }
  chapter[1].variation_of = 0;
  WindowMemory memory;
  memory.lessons = {{"0", 3}, {"1", 3}, {"2", 2}, {"3", 3}};
  CHECK(read_lessons_of(chapter, memory) == std::vector<bool>{true, false, true});
}

TEST_CASE("start screen: variations of a lesson are folded, and not counted") {
  StartBench bench;
  bench.state.lesson.entries =
      read_lessons({lesson_path("02-dividing-by-the-sum"), lesson_path("06-attention-mechanism-sum")});
  bench.state.start.course.chapter = 0;
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.lesson.02-dividing-by-the-sum"));
  CHECK_FALSE(bench.robot().shows("start.lesson.06-attention-mechanism-sum"));
  bench.robot().click("start.variations");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("start.lesson.06-attention-mechanism-sum"));
}

TEST_CASE("start screen: a chapter's card names whole lessons, or how many there are") {
  StartBench bench({static_cast<float>(GENERATE(640, 1280, 1920)), 1400});
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(lesson_path("20-two-heads").parent_path()))
    if (file.path().extension() == ".headlight") paths.push_back(file.path());
  bench.state.lesson.entries = read_lessons(paths);
  bench.robot().frames(3);
  const auto chapters = chapters_of(bench.state.lesson.entries);
  REQUIRE(chapters.size() > 4);
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    std::vector<std::string> whole = {};
    std::string titles;
    std::size_t lessons = 0;
    for (const LessonEntry& lesson : chapters[i])
      lessons += lesson.variation_of ? 0 : 1;
    for (const LessonEntry& lesson : chapters[i]) {
      if (lesson.variation_of) continue;
      titles += (titles.empty() ? "" : " · ") + lesson.title;
      whole.push_back(titles);
    }
    whole.push_back(std::to_string(lessons) + (lessons == 1 ? " lesson" : " lessons"));
    const std::string told = bench.robot().value("start.chapter." + std::to_string(i));
    CAPTURE(told);
    const std::string shown = told.substr(told.find(": ") + 2);
    CHECK(std::find(whole.begin(), whole.end(), shown) != whole.end());
  }
}

TEST_CASE("start screen: it stays where it is while a chapter is opened and closed") {
  StartBench bench({1280, 1400});
  const auto top = [&] { return bench.robot().widget("start.course").rect.y; };
  const double closed = top();
  bench.robot().click("start.chapter.0");
  bench.robot().frames(3);
  REQUIRE(bench.robot().shows("start.chapters"));
  CHECK(top() == closed);
  bench.robot().click("start.chapters");
  bench.robot().frames(3);
  CHECK(top() == closed);
}

TEST_CASE("start screen: the sentence is typed in place, and opens with its model") {
  StartBench bench;
  CHECK_FALSE(bench.robot().shows("start.own"));  // there is no model
  bench.state.start.model = "/assets/words/who-gave-what.headlight";
  NetworkPass pass(std::make_shared<const Network>(headlight_test::source_root() + "/assets/examples/words"));
  SentenceState& sentence = bench.state.start.sentence;
  sentence.reading = std::make_shared<const TextReading>(read_text(pass, sentence.text, 3));
  bench.robot().frames(2);
  bench.robot().click("start.own");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("sentence.text"));
  bench.robot().click("sentence.done");
  bench.robot().frames(2);
  bench.robot().click("start.inside");
  CHECK(bench.asked() == std::vector<Action>{Action::OpenSentence});
}

TEST_CASE("start screen: pictures are computed beside it, and a file that is gone leaves its place empty") {
  StartBench bench;
  const auto frames_until_there = [&](std::size_t count) {
    for (int i = 0; i < 10000 && bench.state.start.course.pictures.tiles.size() < count; ++i) {
      bench.robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(bench.state.start.course.pictures.tiles.size() == count);
  };
  frames_until_there(4);
  CHECK(bench.state.start.course.pictures.tiles.at(lesson_path("16-causal-mask").string()).values.rows() ==
        6);
  bench.state.lesson.entries[0].path = "/nowhere/gone.headlight";
  frames_until_there(5);
  CHECK(bench.state.start.course.pictures.tiles.at("/nowhere/gone.headlight").values.size() == 0);
  CHECK(bench.robot().shows("start.chapter.0"));
}

TEST_CASE("start screen: it says which file could not be opened and why") {
  StartBench bench;
  CHECK_FALSE(bench.robot().shows("start.message"));
  bench.state.message = {"broken.headlight: it is no JSON", true, 0};
  bench.robot().frames(2);
  CHECK(bench.robot().value("start.message") == "broken.headlight: it is no JSON");
}

TEST_CASE("start screen: all ways in are in the window, however small it is") {
  const ImVec2 size = GENERATE(ImVec2(1280, 800), ImVec2(640, 480), ImVec2(360, 480));
  StartBench bench(size);
  bench.robot().frames(2);
  for (const char* name : {"start.menu", "start.course", "start.arrays", "start.model", "start.text"}) {
    INFO(name);
    const Rect rect = bench.robot().widget(name).rect;
    CHECK(rect.x >= 0);
    CHECK(rect.right() <= static_cast<double>(size.x));
    CHECK(rect.bottom() <= static_cast<double>(size.y));
  }
}

TEST_CASE("start screen: what has come to be below the pointer is pointed at once the pointer moves") {
  RestingPointer pointer;
  CHECK(pointer.rests(1, {5, 7}));
  CHECK(pointer.rests(1, {5, 7}));
  CHECK_FALSE(pointer.rests(1, {6, 7}));
  CHECK_FALSE(pointer.rests(1, {5, 7}));  // it has moved once
  CHECK(pointer.rests(2, {5, 7}));        // another session
  CHECK_FALSE(pointer.rests(2, {5, 8}));
}

TEST_CASE("start screen: ranges that were held come to rest where no picture is drawn") {
  for (const bool start : {true, false}) {
    StartBench bench({320, 200});
    bench.state.show_start = start;
    bench.robot().frames(2);
    REQUIRE_FALSE(bench.robot().shows("focus.scaled.h0"));
    bench.fixture.view().picture.held_ranges.hold(ImGui::GetTime());
    bench.robot().frames(1);
    CHECK(bench.fixture.view().picture.held_ranges.waiting());
    bench.robot().rest(static_cast<float>(HeldRanges::kRestSeconds + HeldRanges::kMoveSeconds));
    bench.robot().rest(static_cast<float>(HeldRanges::kMoveSeconds));
    bench.robot().frames(1);
    CHECK_FALSE(bench.fixture.view().picture.held_ranges.waiting());
    CHECK_FALSE(bench.fixture.view().picture.held_ranges.moving());
  }
}
