// A lesson's reading column, the card of the derivation beside the picture, and the inputs that a step folds.
#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include <imgui_internal.h>

#include "app/ui/lesson/step_inputs.h"
#include "app/ui/main_window/reading_plan.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/focus_ring.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ReadingWindow {
  WorkbenchState state;
  PanelFixture fixture;

  explicit ReadingWindow(Session session, ImVec2 size = {1280, 800}, float scale = 1,
                         ThemeKind kind = ThemeKind::Dark)
      : fixture(
            std::move(session), [this](UiContext& ui) { draw(ui); }, size, kind, scale) {
    fixture.preferences().motion = false;
    state.lesson.guide = begin_guide(fixture.document().session());
    robot().frames(4);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
  PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  Rect rect(const std::string& widget) { return robot().widget(widget).rect; }
  const LessonSight& sight() const { return state.lesson.sight; }
  void go_to(std::size_t step) {
    state.lesson.guide.wanted = step;
    robot().frames(4);
  }
};

std::vector<std::string> lesson_stems() {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/assets/lessons"))
    if (entry.path().extension() == ".headlight") stems.push_back(entry.path().stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

// The card is inside the window and covers nothing: neither a picture with its labels nor a text or a
// control.
void check_card(ReadingWindow& window) {
  const auto& card = window.state.card.shown;
  if (!card) return;
  const ImVec2 size = window.robot().size();
  CHECK((card->x >= 0 && card->right() <= size.x));
  for (const ProbedWidget& widget : window.robot().probe().widgets()) {
    const bool inside = widget.name.starts_with("card") || widget.name.starts_with("inspector.") ||
                        widget.name == "walk.start" || widget.name.starts_with("spotlight.");
    INFO(widget.name);
    if (!inside) CHECK_FALSE(overlap(outset(*card, -1), widget.rect));
  }
}

void check_words(ReadingWindow& window, int least) {
  INFO(window.sight().in_sight << " of " << window.sight().words << " words");
  CHECK(window.sight().words > 0);
  CHECK(window.sight().in_sight >= std::min(least, window.sight().words));
  // Buttons and pictures of a question may be scrolled in part, lines of the text may not.
  const bool asks =
      window.fixture.document().session().lesson->steps[window.state.lesson.guide.step].question.has_value();
  for (const DrawnText& text : drawn_texts())
    if (text.window.find("lesson") != std::string::npos && !asks) {
      INFO(text.place.x << ", " << text.place.y);
      CHECK_FALSE(text.sliced);
    }
}

// Places of the first step, which every other step must have as well.
struct FixedPlaces {
  Rect panel, title, text, button;
};

FixedPlaces fixed_places(ReadingWindow& window) {
  PanelRobot& robot = window.robot();
  return {window.sight().rectangle, window.rect("lesson.title"), window.rect("lesson.text"),
          window.rect(robot.shows("lesson.next") ? "lesson.next" : "lesson.following")};
}

void check_fixed(const FixedPlaces& now, const FixedPlaces& first) {
  CHECK((now.panel == first.panel));
  CHECK(now.title.x == first.title.x);
  CHECK(now.title.y == first.title.y);
  CHECK(now.text.x == first.text.x);
  CHECK(now.text.y == first.text.y);
  CHECK(std::abs(now.button.right() - first.button.right()) <= 1);
  CHECK(now.button.y == first.button.y);
}

// The words that a window of this size shows at least, if a step has as many.
int least_words(ImVec2 size, float scale) {
  return size.x >= 1280 * scale && size.y >= 800 * scale ? 40 : 30;
}

void check_step(ReadingWindow& window, FixedPlaces& first, std::size_t step, float scale) {
  const ImVec2 size = window.robot().size();
  INFO("step " << step << " in " << size.x << " x " << size.y << " at " << scale);
  check_words(window, least_words(size, scale));
  check_card(window);
  if (step == 1) first = fixed_places(window);  // over the title of step 0 stands what the lesson is about
  if (step > 0) check_fixed(fixed_places(window), first);
}

void walk_lesson(const std::string& stem, const std::vector<ImVec2>& sizes, float scale) {
  ReadingWindow window(lesson_session(stem), sizes.front(), scale);
  std::vector<FixedPlaces> first(sizes.size());
  const std::size_t steps = window.fixture.document().session().lesson->steps.size();
  for (std::size_t step = 0; step < steps; ++step) {
    INFO(stem);
    window.state.lesson.guide.wanted = step;
    window.robot().frames(1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      window.robot().resize(sizes[i]);
      window.robot().frames(2);
      check_step(window, first[i], step, scale);
    }
  }
}

}  // namespace

TEST_CASE("reading plan: a column at the left from 900 planned pixels on, else a page with a footer") {
  for (const double scale : {0.5, 1.0, 2.0, 8.0})
    for (double width = 512; width <= 7680; width += 128)
      for (const double height : {30.0, 250.0, 730.0, 4250.0}) {
        const ReadingRoom room = {{0, 44 * scale, width * scale, height * scale}, scale};
        INFO(width << " x " << height << " at " << scale);
        const ReadingPlan plan = plan_reading(room, 44 * scale);
        CHECK_FALSE(overlap(plan.text, plan.rest));
        CHECK((plan.rest.width > 0 && plan.rest.height >= 0 && plan.text.height >= 0));
        CHECK(has_reading_column(room) == (width >= 900));
        if (!has_reading_column(room)) {
          CHECK(plan.text.bottom() == room.content.bottom());
          CHECK(plan.rest.bottom() <= plan.text.y);
          CHECK(plan.margin.width == 0);
          continue;
        }
        CHECK(plan.text.x == 0);
        CHECK(plan.text.width >= (width >= 1100 ? 360 : 320) * scale);
        CHECK(plan.text.width <= 440 * scale);
        CHECK((plan.text.height == room.content.height && plan.rest.height == room.content.height));
        CHECK(plan.rest.x >= plan.text.right());
        CHECK(plan.rest.right() <= room.content.right());
        if (plan.margin.width == 0) continue;
        CHECK(plan.margin.right() == plan.rest.right());
        CHECK(plan.margin.x - plan.rest.x >= 500 * scale);
      }
}

TEST_CASE("column plan: the text keeps six lines, then come the inputs, then the card") {
  for (double height = 100; height <= 1000; height += 50)
    for (const double text : {150.0, 400.0, 900.0})
      for (const double inputs : {28.0, 200.0, 600.0})
        for (const double card : {0.0, 200.0, 500.0}) {
          INFO(height << ": " << text << ", " << inputs << ", " << card);
          const ColumnPlan plan = plan_column(height, {text, 240, inputs, card}, 1);
          CHECK(plan.text + plan.inputs + plan.card == height);
          CHECK(plan.text >= std::min({text, 240.0, height}));
          CHECK((plan.inputs >= 0 && plan.inputs <= inputs));
          CHECK((plan.card == 0 || plan.card >= std::min(card, 72.0)));
          CHECK((plan.card <= 240 && plan.card <= card));
        }
}

TEST_CASE("page plan: the picture is in sight at once, down to its floor") {
  CHECK(page_picture_height(1200, 800, 90, 280, 1) == 570);
  CHECK(page_picture_height(400, 800, 90, 280, 1) == 490);
  CHECK(page_picture_height(1200, 450, 90, 280, 1) == 450);
  CHECK(page_picture_height(1200, 200, 90, 280, 1) == 370);
}

TEST_CASE("reading: every step of every lesson at seven sizes: words, lines, places, and the card") {
  for (const std::string& stem : lesson_stems()) {
    walk_lesson(stem, {{1024, 700}, {1280, 800}, {1440, 900}, {1920, 1080}, {2560, 1440}, {3840, 2160}}, 1);
    walk_lesson(stem, {{2560, 1600}}, 2);
  }
}

TEST_CASE("reading: at 1280 x 800 the card and the picture have one place in all steps of a stage") {
  for (const std::string& stem : lesson_stems()) {
    ReadingWindow window(lesson_session(stem));
    const std::vector<LessonStep>& steps = window.fixture.document().session().lesson->steps;
    std::map<std::tuple<Stage, bool, bool>, Rect> places;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      INFO(stem << ", step " << step);
      window.go_to(step);
      const bool margin = window.fixture.layer().head_count() == 1;
      if (margin) CHECK(window.state.card.shown.has_value() == window.view().selection.cell.has_value());
      if (window.state.card.shown) CHECK((window.state.card.shown->x == 1012) == margin);
      const std::vector<std::string_view>& named = window.view().offered.named;
      const bool other = std::any_of(named.begin(), named.end(), [](std::string_view control) {
        return control.starts_with("settings.");  // they have a line below the strip
      });
      const auto [first, added] =
          places.emplace(std::tuple(steps[step].stage, other, margin), window.state.picture_at);
      if (!added) CHECK((first->second == window.state.picture_at));
    }
  }
}

TEST_CASE("reading: a text that does not fit is scrolled by whole lines, and its end can be read") {
  ReadingWindow window(lesson_session("27-what-dropout-does-to-the-mean"), {640, 420});
  window.go_to(4);
  REQUIRE(window.sight().in_sight < window.sight().words);
  for (int i = 0; i < 12; ++i) {
    check_words(window, 0);
    window.robot().wheel_at({static_cast<float>(window.sight().rectangle.x) + 60,
                             static_cast<float>(window.sight().rectangle.y) + 60},
                            -0.7f);
    window.robot().frames(2);
  }
  CHECK(window.robot().shows("lesson.answer.2"));
}

TEST_CASE("reading: with large text the page is scrolled as a whole, and its picture keeps its floor") {
  for (const float scale : {2.0f, 3.0f}) {
    INFO("scale " << scale);
    ReadingWindow window(lesson_session("05-all-queries-at-once"), {1280, 800}, scale);
    window.fixture.preferences().text_scale = scale;
    window.go_to(1);
    REQUIRE(window.state.stages.cache.pictures().size() == 1);
    const LargePicture& picture = window.state.stages.cache.pictures().front();
    if (scale < 3) CHECK(picture.cells.height >= 280);
    if (scale < 3) CHECK(picture.row_labels == 6);
    CHECK(window.sight().in_sight >= std::min(scale < 3 ? 30 : 5, window.sight().words));
    CHECK(window.robot().shows("lesson.next"));
    const double before = picture.cells.y;
    window.robot().wheel_at({300, 200}, -3);
    window.robot().frames(3);
    CHECK(window.state.stages.cache.pictures().front().cells.y < before);
  }
}

TEST_CASE("card: it opens with its first step in sight where it is nearly as high as its contents") {
  ReadingWindow window(lesson_session("16-causal-mask"), {1024, 700});
  REQUIRE(window.robot().shows("card"));
  CHECK(window.robot().shows("inspector.step.scores"));
}

TEST_CASE("header: a lesson's steps leave the controls of the picture their names and places") {
  for (const ImVec2 size : {ImVec2{1024, 700}, ImVec2{1280, 800}, ImVec2{1920, 1080}}) {
    ReadingWindow window(lesson_session("20-two-heads"), size);
    const std::size_t steps = window.fixture.document().session().lesson->steps.size();
    for (const char* name : {"focus.play_motion", "focus.open", "focus.export"}) {
      window.go_to(0);
      const bool shown = window.robot().shows(name);
      const double width = window.rect("focus.area").width;
      const std::string label = shown ? window.robot().value(name) : "";
      const double right = shown ? window.rect(name).right() : 0;
      for (std::size_t step = 1; step < steps; ++step) {
        INFO(name << " in step " << step << ", " << size.x << " wide");
        window.go_to(step);
        if (window.rect("focus.area").width != width) continue;  // beside inputs that the step unfolds
        REQUIRE(window.robot().shows(name) == shown);
        if (!shown) continue;
        CHECK(window.robot().value(name) == label);
        CHECK(window.rect(name).right() == right);
      }
    }
    window.go_to(0);
    CHECK(window.robot().shows("focus.play_motion"));
  }
}

TEST_CASE("presenting: the head that a step speaks of is large, with numbers, and without controls") {
  constexpr float kPresented = 1.5f;
  for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
    ReadingWindow window(lesson_session("20-two-heads"), {1280, 800}, kPresented, kind);
    window.state.presenting = true;
    window.go_to(2);
    REQUIRE(window.state.stages.cache.pictures().size() == 1);
    const LargePicture& picture = window.state.stages.cache.pictures().front();
    CHECK(picture.numbers);
    CHECK(picture.cells.height >= 400);
    for (const char* control : {"view.heatmap", "focus.open", "focus.export", "focus.play_motion",
                                "focus.colours", "notes.fold", "focus.head.h0.on", "stages.heads"})
      CHECK_FALSE(window.robot().shows(control));
    CHECK(window.robot().value("focus.head.h0.name") == "head 0");
    window.state.presenting = false;
    window.robot().frames(3);
    CHECK(window.robot().shows("focus.more"));
  }
}

namespace {

// Whether what is asked, or is to be done, is whole on screen beside a picture.
void check_asked(ReadingWindow& window) {
  PanelRobot& robot = window.robot();
  for (const char* name :
       {"lesson.question", "lesson.note", "lesson.try", "lesson.guess.give", "lesson.do", "lesson.change"}) {
    INFO(name);
    if (!robot.shows(name)) continue;
    const Rect rect = robot.widget(name).rect;
    CHECK(rect.bottom() <= window.sight().rectangle.bottom() + 1);
    CHECK(rect.height >= 12);
  }
  const LessonStep& step = window.fixture.document().session().lesson->steps[window.state.lesson.guide.step];
  if (step.question) CHECK(robot.shows("lesson.question"));
  if (!step.question && !step.try_it.empty()) CHECK(robot.shows("lesson.try"));
  CHECK(window.sight().rectangle.bottom() <= robot.size().y);
  CHECK(robot.widget("lesson.text").rect.height >= 40);
}

}  // namespace

TEST_CASE("presenting: what is asked is in sight beside the picture, at 1024 x 768 too") {
  CHECK(presented_type(1280) == 1.5f);
  CHECK(presented_type(1920) == 1.5f);
  CHECK(presented_type(1024) < 1.3f);
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1280, 800}})
    for (const std::string& stem : lesson_stems()) {
      ReadingWindow window(lesson_session(stem), size, presented_type(size.x));
      window.state.presenting = true;
      const auto& steps = window.fixture.document().session().lesson->steps;
      for (std::size_t step = 0; step < steps.size(); ++step) {
        if (!steps[step].question && steps[step].try_it.empty()) continue;
        INFO(stem << " step " << step + 1 << " at " << size.x);
        window.go_to(step);
        window.robot().frames(4);
        check_asked(window);
      }
    }
}

TEST_CASE("inputs: unfolded beside a question they cover neither it nor the text") {
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1280, 800}})
    for (const char* stem :
         {"00-why-attention", "16-causal-mask", "20-two-heads", "26-what-a-mask-changes"}) {
      ReadingWindow window(lesson_session(stem), size);
      const auto& steps = window.fixture.document().session().lesson->steps;
      window.state.inputs.folds.tokens.chosen = true;
      for (std::size_t step = 0; step < steps.size(); ++step) {
        if (!steps[step].question) continue;
        INFO(stem << " step " << step + 1 << " at " << size.x);
        window.go_to(step);
        window.state.inputs.folds.tokens.chosen = true;
        window.robot().frames(4);
        check_asked(window);
        CHECK(window.robot().shows("inputs.embeddings[0,0]"));
      }
    }
}

TEST_CASE("presenting: with a ring around Next, Space goes one step, and the ring of before is forgotten") {
  WorkbenchState state;
  const Session session = lesson_session("17-causal-batch-of-two");
  state.lesson.guide = begin_guide(session);
  PanelFixture fixture(session, [&](UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
    follow_focus(ui, state.focus);
  });
  PanelRobot& robot = fixture.robot();
  robot.frames(6);
  state.focus = {"toolbar.menu", true};
  robot.key(Key::F5);
  robot.frames(4);
  REQUIRE(state.presenting);
  CHECK_FALSE(state.focus.shown);
  state.focus = {"lesson.next", true};
  robot.frames(2);
  robot.key(Key::Space);
  robot.frames(6);
  CHECK(robot.value("lesson.step").starts_with("2 of "));
}

TEST_CASE("presenting: Leave of a walk is never covered, and dots too small to be seen are no controls") {
  constexpr float kPresented = 1.5f;
  for (const ImVec2 size : {ImVec2{1024, 768}, ImVec2{1280, 800}}) {
    WorkbenchState state;
    const Session session = lesson_session("17-causal-batch-of-two");
    state.lesson.guide = begin_guide(session);
    bool walks = true;
    PanelFixture fixture(
        session,
        [&](UiContext& ui) {
          if (std::exchange(walks, false)) start_walk(ui, state.lesson.guide);
          workbench(ui, state);
        },
        size, ThemeKind::Dark, kPresented);
    state.presenting = true;
    fixture.robot().frames(10);
    const auto count = state.lesson.guide.walk->steps.size();
    for (std::size_t step = 0; step < count; ++step) {
      const Rect leave = fixture.robot().widget("walk.leave").rect;
      CHECK(leave.right() <= fixture.robot().widget("lesson.next").rect.x);
      CHECK(fixture.robot().widget("walk.leave").in_sight);
      for (std::size_t dot = 0; dot < count; ++dot) {
        const std::string name = "lesson.dot." + std::to_string(dot);
        if (fixture.robot().shows(name)) CHECK(fixture.robot().widget(name).rect.width >= 8 * kPresented);
      }
      fixture.robot().key(Key::PageDown);
      fixture.robot().frames(4);
    }
  }
}

TEST_CASE("header: what a lesson does not name is in menus, and does there what its buttons do") {
  ReadingWindow window(lesson_session("16-causal-mask"));
  PanelRobot& robot = window.robot();
  const auto choose = [&](const char* menu, const char* name) {
    robot.click(menu);
    robot.frames(2);
    robot.click(name);
    robot.frames(3);
  };
  for (const char* hidden : {"view.flow", "focus.colours", "focus.open", "focus.export", "walk.start"})
    CHECK_FALSE(robot.shows(hidden));
  choose("focus.more", "view.row");
  CHECK(window.view().focus_view == FocusView::Row);
  choose("focus.more", "view.heatmap");
  CHECK(window.view().focus_view == FocusView::Heatmap);
  choose("focus.more", "focus.colours");
  CHECK(robot.shows("colours.reset"));
  robot.key(Key::Escape);
  robot.frames(2);
  choose("focus.more", "focus.open");
  CHECK(window.view().opened_stage == Stage::Scaled);
  choose("focus.more", "focus.close");
  CHECK_FALSE(window.view().opened_stage);
  choose("card.more", "inspector.code");
  CHECK(window.state.inspector.code.shown);
  choose("inputs.fold.tokens", "inputs.more");
  CHECK(robot.shows("inputs.add_token"));
  CHECK_FALSE(robot.shows("inputs.draw"));  // of the section that is folded
}

TEST_CASE("strip: a lesson's line has the stages that it teaches, and the others behind a button") {
  ReadingWindow window(lesson_session("16-causal-mask"));
  PanelRobot& robot = window.robot();
  for (const char* taught : {"stage.embeddings", "stage.scaled", "stage.masked", "stage.weights"})
    CHECK(robot.shows(taught));
  CHECK_FALSE(robot.shows("stage.context"));
  CHECK_FALSE(robot.shows("settings.mask"));
  robot.click("strip.settings");
  robot.frames(2);
  CHECK(robot.shows("settings.mask"));
  robot.click("strip.stage");
  robot.frames(2);
  robot.click("strip.stage.context");
  robot.frames(3);
  robot.key(Key::Escape);
  robot.frames(3);
  CHECK(window.view().focused_stage == Stage::Context);
  CHECK(robot.shows("stage.context"));
  window.go_to(4);  // its text speaks of the setting
  CHECK(robot.shows("settings.mask"));
}

TEST_CASE("card: Escape and its cross close it, a selected cell opens it") {
  ReadingWindow window(lesson_session("05-all-queries-at-once"));
  CHECK(window.robot().shows("inspector.value"));
  window.robot().click("card.close");
  window.robot().frames(2);
  CHECK_FALSE(window.robot().shows("card"));
  CHECK_FALSE(window.view().selection.cell);
  window.view().selection.cell = CellAddress{Stage::Scores, 0, 0, 2, 3};
  window.robot().frames(4);
  CHECK(window.robot().shows("card"));
  CHECK(window.robot().value("inspector.cell") == "scores[starts (2), with (3)]");
  window.robot().key(Key::Escape);
  window.robot().frames(2);
  CHECK_FALSE(window.robot().shows("card"));
}

TEST_CASE("card: a factor in it leads to its cell or its grid, which is unfolded") {
  ReadingWindow window(lesson_session("20-two-heads"));
  CHECK(window.robot().value("inputs.fold.weights") == "");
  window.robot().click("inspector.step.queries.term.0.right");
  window.robot().frames(4);
  CHECK(window.robot().value("inputs.fold.weights") == "open");
  REQUIRE(window.view().selection.input);
  CHECK(window.view().selection.input->parameter == Parameter::Query);
}

TEST_CASE("reading: without a step, or folded away, the derivation has the right column") {
  ReadingWindow window(lesson_session("16-causal-mask"));
  CHECK(window.robot().shows("card"));
  window.robot().click("toolbar.view");
  window.robot().frames(2);
  window.robot().click("menu.lesson.text");
  window.robot().frames(3);
  CHECK_FALSE(window.robot().shows("card"));
  CHECK(window.robot().shows("inspector.value"));
  CHECK(window.robot().shows("splitter.inspector"));
  CHECK_FALSE(window.robot().shows("inputs.fold.weights"));
  window.robot().click("notes.fold");
  window.robot().frames(3);
  CHECK(window.robot().shows("card"));
}

TEST_CASE("inputs: those that a step does not use are folded, a click unfolds them for the lesson") {
  ReadingWindow window(lesson_session("16-causal-mask"));
  PanelRobot& robot = window.robot();
  CHECK(robot.value("inputs.fold.tokens") == "");
  CHECK(robot.value("inputs.fold.weights") == "");
  CHECK_FALSE(robot.shows("inputs.embeddings[0,0]"));
  const Rect before = window.state.picture_at;
  robot.click("inputs.fold.tokens");
  robot.frames(3);
  CHECK(robot.shows("inputs.embeddings[0,0]"));
  CHECK((window.state.picture_at == before));  // what opens moves nothing
  window.go_to(1);
  CHECK(robot.shows("inputs.embeddings[0,0]"));
  robot.click("inputs.fold.tokens");
  robot.frames(3);
  CHECK(window.state.picture_at.width == before.width);
}

TEST_CASE("inputs: a step uses what its pointer, its texts, its question or its change names") {
  LessonStep step;
  step.text = "The score of “{token[1]}” is {scores[1,2]}.";
  CHECK(inputs_of(step) == StepInputs{});
  step.text = "{if embeddings[0,0] > 1}Large.{else}Small.{end}";  // a condition shows nothing
  CHECK(inputs_of(step) == StepInputs{});
  step.text = "It is {embeddings[1,0]}.";
  CHECK(inputs_of(step) == StepInputs{true, false});
  step.text = "It is {W_query[1,0]}.";
  CHECK(inputs_of(step) == StepInputs{false, true});
  step.text = "Words.";
  step.weight = Parameter::Key;
  CHECK(inputs_of(step) == StepInputs{false, true});
  step.weight.reset();
  step.try_it = "Type {type 3} as the first number of “{token[1]}”.";
  CHECK(inputs_of(step) == StepInputs{true, false});
  step.try_it = "Set {control dropout} to {type 0.8}. Then press {control many_draws}.";
  CHECK(inputs_of(step) == StepInputs{});
  step.try_it = "Set the first number of W_value to {type 0}.";
  CHECK(inputs_of(step) == StepInputs{false, true});
  step.try_it = {};
  step.question = LessonQuestion{};
  step.question->change = LessonChange{};
  step.question->change->numbers = {{Parameter::Value, 0, 0, 1}};
  CHECK(inputs_of(step) == StepInputs{false, true});
  step.question->change->numbers = {{std::nullopt, 0, 0, 1}};
  CHECK(inputs_of(step) == StepInputs{true, false});
  step.question.reset();
  step.stage = Stage::Embeddings;
  CHECK(inputs_of(step) == StepInputs{true, false});
}

TEST_CASE("inputs: every number that a lesson's question changes is in sight in its step") {
  int checked = 0;
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      if (!step.question || !step.question->change) continue;
      for (const ChangedNumber& number : step.question->change->numbers) {
        INFO(stem << ", " << step.title);
        CHECK((number.parameter ? inputs_of(step).weights : inputs_of(step).embeddings));
        ++checked;
      }
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("inputs: one section is unfolded beside an open one, whatever room is left") {
  ReadingWindow window(lesson_session("15-linear-layers"));
  PanelRobot& robot = window.robot();
  const Rect name = window.rect("inputs.fold.tokens");
  robot.frames(1);
  CHECK((window.rect("inputs.fold.tokens") == name));  // its place is the same in each frame
  robot.click("inputs.fold.tokens");
  robot.frames(8);
  CHECK(robot.shows("inputs.fold.tokens"));
  CHECK(robot.value("inputs.fold.tokens") == "open");
  CHECK(robot.shows("inputs.embeddings[0,0]"));
}

TEST_CASE("inputs: a field below the text takes what is typed") {
  ReadingWindow window(lesson_session("12-draw-order-key-first"));
  PanelRobot& robot = window.robot();
  window.go_to(3);  // its text sends the reader to the field
  const Rect before = window.rect("inputs.init_seed");
  robot.frames(2);
  CHECK((window.rect("inputs.init_seed") == before));
  robot.click("inputs.init_seed");
  robot.type("123");
  robot.key(Key::Enter);
  robot.frames(4);
  CHECK(robot.value("inputs.init_seed") == "123");
}
