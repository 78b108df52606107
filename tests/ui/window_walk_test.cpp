// The window in many sizes: nothing is cut off, nothing overlaps, and pictures fill their area. At a scale or
// text size of 2 the layout is that of half the size, except for rounding: most of these cases are checked at
// half the size, a few as they are.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include <imgui_internal.h>

#include "app/lesson_text/lesson_controls.h"
#include "app/shell/default_session.h"
#include "app/ui/main_window/workbench.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/thinned.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const ImVec2 kSizes[] = {{1024, 700}, {1280, 800}, {1920, 1080}, {2560, 1440}, {3840, 2160}};
const ImVec2 kOfScaleTwo[] = {{960, 540}, {1280, 720}, {1920, 1080}};
// 1024 x 700 and 1280 x 800 with text of 200 %, and 1280 x 800 with text of 80 %.
const ImVec2 kOfTextSizes[] = {{512, 350}, {640, 400}, {1600, 1000}};

struct WalkedWindow {
  WorkbenchState state;
  PanelFixture fixture;

  WalkedWindow(Session session, ImVec2 size, float scale)
      : fixture(
            std::move(session), [this](UiContext& ui) { draw(ui); }, size, ThemeKind::Dark, scale) {
    state.lesson.guide = begin_guide(fixture.document().session());
    fixture.robot().rest(1);  // until the lesson's highlight is at rest
    fixture.robot().frames(8);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
};

std::string told(const DrawnText& text) {
  return text.window + " at " + std::to_string(text.place.x) + ", " + std::to_string(text.place.y) + ", " +
         std::to_string(text.place.width) + " x " + std::to_string(text.place.height);
}

bool texts_overlap(const Rect& a, const Rect& b) {
  constexpr double kTouch = 2;  // boxes of glyphs have a small margin
  return a.x + kTouch < b.right() && b.x + kTouch < a.right() && a.y + kTouch < b.bottom() &&
         b.y + kTouch < a.bottom();
}

void check_texts() {
  const std::vector<DrawnText> texts = drawn_texts();
  REQUIRE(texts.size() > 10);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(told(texts[i]));
    CHECK_FALSE(texts[i].cut);
    for (std::size_t j = 0; j < i; ++j)
      if (texts[i].window == texts[j].window && texts_overlap(texts[i].place, texts[j].place)) {
        INFO(told(texts[j]));
        CHECK_FALSE(texts_overlap(texts[i].place, texts[j].place));
      }
  }
}

// Checks that shortened texts have a tooltip.
void check_shortened(WalkedWindow& window) {
  PanelRobot& robot = window.fixture.robot();
  for (const DrawnText& text : drawn_texts()) {
    if (!text.shortened || text.sliced) continue;  // what is scrolled in part cannot be pointed at
    robot.move_to({static_cast<float>(text.place.x + text.place.width / 2),
                   static_cast<float>(text.place.y + text.place.height / 2)});
    for (int i = 0; i < 4; ++i)
      robot.rest(0.25f);
    INFO(told(text));
    CHECK(robot.shows("tooltip"));
  }
  robot.move_to({-1, -1});
  robot.frames(2);
}

// Whether two widgets overlap, and neither is inside the other.
bool covers(const Rect& a, const Rect& b) {
  const auto inside = [](const Rect& small, const Rect& large) {
    return small.x >= large.x - 4 && small.y >= large.y - 4 && small.right() <= large.right() + 4 &&
           small.bottom() <= large.bottom() + 4;
  };
  return texts_overlap(outset(a, -2), outset(b, -2)) && !inside(a, b) && !inside(b, a);
}

// A large picture, or a line above or below one.
bool is_picture(const ProbedWidget& widget) {
  constexpr double kLeastHeight = 40;
  const bool line = widget.name.ends_with(".caption") || widget.name.ends_with(".summary");
  return widget.name.starts_with("focus.") && (line || widget.rect.height > kLeastHeight);
}

void check_covered(WalkedWindow& window) {
  std::vector<ProbedWidget> widgets = window.fixture.robot().probe().widgets();
  // Spotlights are outlines and connecting lines, which cannot be clicked.
  std::erase_if(widgets, [](const ProbedWidget& widget) { return widget.name.starts_with("spotlight."); });
  // In a window without other room the card of the derivation is drawn over cells that it is not about.
  if (const auto card = window.state.card.shown)
    std::erase_if(widgets, [&](const ProbedWidget& widget) {
      return is_picture(widget) && texts_overlap(widget.rect, *card);
    });
  for (std::size_t i = 0; i < widgets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (covers(widgets[i].rect, widgets[j].rect)) {
        INFO(widgets[i].name << " and " << widgets[j].name);
        CHECK_FALSE(covers(widgets[i].rect, widgets[j].rect));
      }
}

void check_widgets(WalkedWindow& window, ImVec2 size) {
  for (const ProbedWidget& widget : window.fixture.robot().probe().widgets()) {
    INFO(widget.name);
    CHECK(widget.rect.x >= -1);
    CHECK(widget.rect.y >= -1);
    CHECK(widget.rect.right() <= size.x + 1);
    CHECK(widget.rect.bottom() <= size.y + 1);
  }
}

// Cells cover at least 0.45 of the pictures' areas, or are as large as they may be: 128 pixels, or as wide as
// a number if they are not square. Square pictures in a long area may cover less: then they fill it in one
// direction, side by side together: the last has the colour bar.
void check_pictures(WalkedWindow& window, double scale) {
  constexpr double kLeastShare = 0.45, kMostCell = 127;
  const auto& pictures = window.state.stages.cache.pictures();
  REQUIRE_FALSE(pictures.empty());
  double cells = 0, room = 0, cells_wide = 0, room_wide = 0;
  for (const LargePicture& picture : pictures) {
    cells_wide += picture.cells.width;
    room_wide += picture.room.width;
  }
  bool grown = true, row_labels = false, column_labels = false;
  for (const LargePicture& picture : pictures) {
    cells += picture.cells.width * picture.cells.height;
    room += picture.room.width * picture.room.height;
    const bool fills = picture.cells.height >= 0.8 * picture.room.height || cells_wide >= 0.8 * room_wide;
    grown = grown && (std::max(picture.cell_width, picture.cell_height) >= scale * kMostCell || fills);
    row_labels = row_labels || picture.row_labels > 0;
    column_labels = column_labels || picture.column_labels > 0;
  }
  INFO(cells / room);
  CHECK((cells >= kLeastShare * room || grown));
  CHECK(row_labels);
  CHECK(column_labels);
}

void check_window(const Session& session, ImVec2 size, float scale = 1) {
  INFO(size.x << " x " << size.y << " at " << scale);
  WalkedWindow window(session, size, scale);
  check_texts();
  check_widgets(window, size);
  check_covered(window);
  const bool steps = session.lesson && !session.lesson->steps.empty();
  const LessonView view = steps ? session.lesson->steps.front().view : LessonView::Heatmap;
  const bool no_cells = view == LessonView::Vectors || view == LessonView::Model;
  // In smaller windows labels are dropped first, and pictures get the remaining area.
  if (!no_cells && size.x >= scale * kSizes[0].x && size.y >= scale * kSizes[0].y)
    check_pictures(window, scale);
}

std::vector<std::string> sessions_of(const std::string& folder) {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/assets/" + folder))
    if (entry.path().extension() == ".headlight") stems.push_back(entry.path().stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

}  // namespace

TEST_CASE("walk: what is cut off or stands on another text is found") {
  PanelRobot robot;
  robot.draw_with([] {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText({10, 10}, IM_COL32_WHITE, "whole");
    list.PushClipRect({10, 40}, {28, 60});
    list.AddText({10, 40}, IM_COL32_WHITE, "cutoff");
    list.PopClipRect();
    list.AddText({14, 12}, IM_COL32_WHITE, "over");
    list.AddRectFilled({0, 100}, {50, 150}, IM_COL32_WHITE);
  });
  robot.frames(2);
  const std::vector<DrawnText> texts = drawn_texts();
  REQUIRE(texts.size() == 3);
  CHECK_FALSE(texts[0].cut);
  CHECK(texts[1].cut);
  CHECK(texts_overlap(texts[0].place, texts[2].place));
  CHECK_FALSE(texts_overlap(texts[0].place, texts[1].place));
}

TEST_CASE("walk: every lesson and both examples, in a window of every size") {
  for (const char* folder : {"lessons", "examples"})
    for (const std::string& stem : sessions_of(folder)) {
      INFO(stem);
      const Session session = lesson_session(stem);
      for (const ImVec2 size : kSizes)
        check_window(session, size);
      check_window(session, kOfScaleTwo[0]);
      for (const ImVec2 size : kOfTextSizes)
        check_window(session, size);
    }
}

TEST_CASE("walk: every step of every lesson") {
  for (const std::string& stem : sessions_of("lessons"))
    for (const ImVec2 size : {kSizes[0], kSizes[1]}) {
      const Session session = lesson_session(stem);
      WalkedWindow window(session, size, 1);
      for (std::size_t step = 1; step < session.lesson->steps.size(); ++step) {
        INFO(stem << ", step " << step << " in " << size.x << " x " << size.y);
        window.state.lesson.guide.wanted = step;
        window.fixture.robot().rest(1);
        window.fixture.robot().frames(3);
        CHECK(window.state.lesson.guide.step == step);
        check_texts();
        check_widgets(window, size);
        check_covered(window);
      }
    }
}

namespace {

// A window in which lessons are read, and the size of its text.
struct ReadingSize {
  ImVec2 window;
  float text;
};
constexpr std::size_t kMostControls = 25;
// The first is tried with every lesson.
const ReadingSize kReadingSizes[] = {{{1280, 800}, 1},  {{900, 600}, 1},      {{900, 600}, 1.25f},
                                     {{900, 600}, 2},   {{1024, 700}, 1},     {{1024, 700}, 1.25f},
                                     {{1024, 700}, 2},  {{1280, 800}, 1.25f}, {{1280, 800}, 2},
                                     {{1920, 1080}, 1}, {{2560, 1440}, 1}};

// At least six lines of the text are in sight, or all of it. In a window lower than 16 such lines the page
// begins with the text, and is scrolled.
void check_lines(WalkedWindow& window, float text) {
  constexpr double kLines = 6, kLine = 24, kLeastWindow = 16 * kLine;
  if (window.fixture.robot().size().y < kLeastWindow * double{text}) {
    CHECK(window.fixture.robot().shows("lesson.title"));
    return;
  }
  PanelRobot& robot = window.fixture.robot();
  const double whole = double{window.state.lesson.sight.text_height};
  CHECK(robot.widget("lesson.text").rect.height >= std::min(whole, kLines * kLine * double{text}) - 1);
  const LessonGuide& guide = window.state.lesson.guide;
  const LessonStep& step = window.fixture.document().session().lesson->steps[guide.step];
  const bool asks = step.question.has_value();  // its bars and answers may be scrolled in part
  for (const DrawnText& drawn : drawn_texts())
    if (drawn.window.find("lesson body") != std::string::npos && !asks) CHECK_FALSE(drawn.sliced);
}

// Pictures of pairs have square cells; together they are no smaller than the floor, with their labels.
void check_floor(WalkedWindow& window, double floor) {
  constexpr double kLabels = 60;
  Rect all = {1e9, 1e9, 0, 0};
  double right = 0, bottom = 0;
  for (const LargePicture& picture : window.state.stages.cache.pictures()) {
    if (!is_pair(picture.stage)) continue;
    INFO(picture.cells.width << " x " << picture.cells.height);
    CHECK(std::abs(picture.cell_width - picture.cell_height) <= 1);
    all.x = std::min(all.x, picture.cells.x);
    all.y = std::min(all.y, picture.cells.y);
    right = std::max(right, picture.cells.right());
    bottom = std::max(bottom, picture.cells.bottom());
  }
  INFO(right - all.x << " x " << bottom - all.y);
  if (right > 0) CHECK(std::max(right - all.x, bottom - all.y) >= floor - kLabels);
}

ImVec2 middle_of(const Rect& rect) {
  return {static_cast<float>(rect.x + rect.width / 2), static_cast<float>(rect.y + rect.height / 2)};
}

// What is in sight, and what comes into sight where the page or the inputs below a low column scroll at `at`.
std::set<std::string> names_in_sight(PanelRobot& robot, std::optional<ImVec2> at) {
  constexpr int kTurns = 30;
  constexpr float kLines = 1;
  std::set<std::string> names;
  const auto add = [&] {
    for (const ProbedWidget& widget : robot.probe().widgets())
      names.insert(widget.name);
  };
  add();
  for (int turn = 0; at && turn < kTurns; ++turn) {
    robot.wheel_at(*at, -kLines);
    add();
  }
  if (at) robot.wheel_at(*at, kTurns * kLines);
  return names;
}

// The controls that the text names, and the try once the question is answered, are on screen while they are.
int check_named(WalkedWindow& window, bool answered, std::optional<ImVec2> scrolled) {
  const Session& session = window.fixture.document().session();
  const LessonStep& step = session.lesson->steps[window.state.lesson.guide.step];
  std::vector<const LessonControl*> named = controls_of(step.text.pieces());
  if (answered || !step.question)
    for (const LessonControl* control : controls_of(step.try_it.pieces()))
      named.push_back(control);
  // What comes on screen once another control was used is looked for where it is used (lesson_walk_test.cpp).
  const auto stage = std::find_if(named.begin(), named.end(), [](const LessonControl* control) {
    return control->place == ControlPlace::Stage;
  });
  if (stage != named.end()) named.erase(stage + 1, named.end());
  const OfferedControls& offered = window.fixture.view().offered;  // in the branches that are shown
  std::erase_if(named, [&](const LessonControl* control) {
    return control->place == ControlPlace::Changed || !offered.names(control->probe) ||
           !control_missing(*control, step, window.fixture.layer(), session, {}).empty();
  });
  if (named.empty()) return 0;
  const std::set<std::string> names = names_in_sight(window.fixture.robot(), scrolled);
  for (const LessonControl* control : named) {
    INFO(control->name);
    CHECK(names.contains(control->probe));
  }
  return static_cast<int>(named.size());
}

// An answer to the question of the step, right or not.
GivenAnswer any_answer(const LessonQuestion& question, const Layer& layer) {
  GivenAnswer answer;
  if (question.cell)
    answer.cell =
        CellAddress{question.cell->stage, 0, question.cell->head, question.cell->at[0], question.cell->at[1]};
  if (question.has_shape()) {
    const GuessShape shape = guess_shape(question, layer);
    answer.guess = Matrix::Zero(shape.rows, shape.columns);
  }
  return answer;
}

// How far a walk has come.
struct Seen {
  int named = 0;
  std::size_t controls = 0;  // the most of a step
};

void check_reading(WalkedWindow& window, const ReadingSize& size, bool answered, Seen& seen) {
  PanelRobot& robot = window.fixture.robot();
  const bool page = window.state.lesson.sight.rectangle.width > double{size.window.x} * 0.6;
  const bool low = size.window.y < 700 * size.text;
  std::optional<ImVec2> scrolled;
  if (page) scrolled = ImVec2{6, size.window.y / 2};
  if (!page && low && robot.shows("inputs.fold.tokens"))
    scrolled = middle_of(robot.widget("inputs.fold.tokens").rect);
  check_texts();
  check_widgets(window, size.window);
  check_covered(window);
  if (!answered) check_lines(window, size.text);  // a reply may be scrolled to
  check_floor(window, size.window.x < 1100 ? 240 : 280);
  const LessonGuide& guide = window.state.lesson.guide;
  const bool last = guide.step + 1 == window.fixture.document().session().lesson->steps.size();
  // These lessons are opened as one's own: behind the last step stand the answers to save.
  CHECK((robot.shows(last ? "lesson.following" : "lesson.next") ||
         (last && robot.shows("lesson.save_answers"))));
  seen.named += check_named(window, answered, scrolled);
  const std::size_t controls = robot.probe().controls_in_sight();
  if (size.window.x <= 1280) seen.controls = std::max(seen.controls, controls);
  // In larger windows what is scrolled here is in sight as well.
  CHECK(controls <= kMostControls + (size.window.x > 1280 ? 1 : 0));
}

void read_lesson(const std::string& stem, const ReadingSize& size, Seen& seen) {
  const Session session = lesson_session(stem);
  WalkedWindow window(session, size.window, size.text);
  window.fixture.preferences().text_scale = size.text;
  window.fixture.preferences().motion = false;
  for (std::size_t step = 0; step < session.lesson->steps.size(); ++step) {
    INFO(stem << ", step " << step << " in " << size.window.x << " x " << size.window.y << ", text "
              << size.text);
    window.state.lesson.guide.wanted = step;
    window.fixture.robot().frames(4);
    check_reading(window, size, false, seen);
    const auto& question = session.lesson->steps[step].question;
    if (!question) continue;
    INFO("answered");
    window.state.lesson.guide.answers[step] = any_answer(*question, window.fixture.layer());
    window.fixture.robot().frames(4);
    check_reading(window, size, true, seen);
  }
}

}  // namespace

TEST_CASE("walk: lessons keep the floors of text and picture, and what a text names is on screen") {
  Seen seen;
  int turn = 0;
  for (const std::string& stem : sessions_of("lessons"))
    for (std::size_t size = 0; size < std::size(kReadingSizes); ++size)
      if (size == 0 || turn++ % size_steps() == 0) read_lesson(stem, kReadingSizes[size], seen);
  CHECK(seen.named > 30);
  CHECK(seen.controls + 1 >= kMostControls);  // the limit is not far from what is reached
}

namespace {

// What *New session* opens, and the sessions of the course and of the examples without their lessons.
std::vector<Session> plain_sessions() {
  std::vector<Session> sessions = {new_session()};
  for (const char* folder : {"lessons", "examples"})
    for (const std::string& stem : sessions_of(folder)) {
      sessions.push_back(lesson_session(stem));
      sessions.back().lesson.reset();
    }
  return sessions;
}

void check_plain(const Session& session, const ReadingSize& size, std::size_t& most) {
  constexpr std::size_t kMost = 40;
  WalkedWindow window(session, size.window, size.text);
  window.fixture.preferences().text_scale = size.text;
  const bool scrolls = size.window.x < 1000 && size.text > 1.5f;  // the side has no room for its texts
  if (!scrolls) check_texts();
  check_widgets(window, size.window);
  check_covered(window);
  const Stage stage = window.fixture.view().focused_stage;
  for (const bool chosen : {false, true}) {
    if (chosen) window.fixture.view().selection.cell = CellAddress{stage, 0, 0, 1, 0};
    window.fixture.robot().frames(4);
    const std::size_t controls = window.fixture.robot().probe().controls_in_sight();
    INFO((chosen ? "with a cell: " : "at rest: ") << controls);
    CHECK(controls <= kMost);
    most = std::max(most, controls);
  }
}

}  // namespace

TEST_CASE("walk: a session without a lesson has few controls in sight, in windows of every size") {
  std::size_t most = 0, turn = 0;
  for (const Session& session : plain_sessions())
    for (std::size_t size = 0; size < std::size(kReadingSizes); ++size) {
      if (size > 0 && turn++ % 4 != 0) continue;
      INFO(session.title << " in " << kReadingSizes[size].window.x << " x " << kReadingSizes[size].window.y
                         << ", text " << kReadingSizes[size].text);
      check_plain(session, kReadingSizes[size], most);
    }
  CHECK(most >= 38);  // the limit is not far from what is reached
}

TEST_CASE(
    "walk: the strip of a session is a line that a button and Alt+S unfold, and so is what was dragged") {
  WalkedWindow window(new_session(), {1280, 800}, 1);
  PanelRobot& robot = window.fixture.robot();
  const auto settle = [&] { robot.frames(3); };
  const Rect line = robot.widget("stage.weights").rect;
  CHECK_FALSE(robot.shows("settings.mask"));
  robot.click("strip.fold");
  settle();
  CHECK(robot.shows("settings.scale"));
  CHECK(robot.shows("stage.weights.h0"));
  check_covered(window);
  robot.click("strip.fold");
  settle();
  CHECK((robot.widget("stage.weights").rect == line));
  robot.key(Key::S, {.alt = true});
  settle();
  CHECK(robot.shows("settings.scale"));
  window.state.strip.unfolded = false;
  window.state.strip.height = window.state.memory.pipeline_height = 200;  // dragged, in an earlier session
  settle();
  CHECK(robot.shows("settings.scale"));
  robot.key(Key::S, {.alt = true});
  settle();
  CHECK((robot.widget("stage.weights").rect == line));
  CHECK(window.state.memory.pipeline_height == 0);
}

TEST_CASE("walk: forty tokens in twelve heads and thousands in four, in a window of every size") {
  for (const Session& session : {large_session(40, 12), large_session(2048, 4)}) {
    INFO(session.layer.token_count() << " tokens");
    for (const ImVec2 size : kSizes)
      check_window(session, size);
    for (const ImVec2 size : kOfScaleTwo)
      check_window(session, size);
    for (const ImVec2 size : kOfTextSizes)
      check_window(session, size);
  }
}

TEST_CASE("walk: the other views of few tokens and heads, and of many") {
  const Session sessions[] = {lesson_session("05-all-queries-at-once"),
                              lesson_session("22-two-heads-with-dropout"), lesson_session("induction-head"),
                              large_session(40, 12)};
  for (const Session& session : sessions)
    for (const ImVec2 size : {kSizes[0], kSizes[1], kSizes[2], kOfTextSizes[1]}) {
      WalkedWindow window(session, size, 1);
      for (const FocusView view : {FocusView::Flow, FocusView::Row, FocusView::Vectors, FocusView::Compare}) {
        INFO(session.title << ", view " << static_cast<int>(view) << " in " << size.x << " x " << size.y);
        window.fixture.view().focus_view = view;
        window.fixture.robot().rest(1);
        window.fixture.robot().frames(4);
        check_texts();
        check_widgets(window, size);
        check_covered(window);
      }
    }
}

TEST_CASE("walk: some of each chapter at scales and text sizes as they are") {
  for (const char* stem : {"05-all-queries-at-once", "11-scaled-scores", "18-dropout-after-the-weights",
                           "22-two-heads-with-dropout", "induction-head"}) {
    INFO(stem);
    const Session session = lesson_session(stem);
    for (const float scale : {0.8f, 2.0f}) {
      check_window(session, {1280, 800}, scale);
      check_window(session, {2560, 1600}, scale);
    }
  }
}

TEST_CASE("walk: what is shortened has its whole in a tooltip") {
  for (const char* stem : {"05-all-queries-at-once", "20-two-heads", "induction-head"})
    for (const ImVec2 size : {kSizes[0], kSizes[1], kOfTextSizes[1]}) {
      INFO(stem << " in " << size.x << " x " << size.y);
      WalkedWindow window(lesson_session(stem), size, 1);
      check_shortened(window);
    }
}

TEST_CASE("window: the strip's lower edge is dragged down again from its line of names") {
  WalkedWindow window(lesson_session("20-two-heads"), {1920, 1080}, 1);
  headlight_test::PanelRobot& robot = window.fixture.robot();
  const auto drags = [&](float down) {
    robot.drag("stages.splitter", 0, down);
    robot.frames(6);
    return window.state.strip.height;
  };
  CHECK(drags(-200) > 0);
  const double names = robot.widget("stages.splitter").rect.y;
  CHECK(names < 240);
  drags(150);
  CHECK(robot.widget("stages.splitter").rect.y > names + 60);
  CHECK(robot.shows("stage.scores"));
}
