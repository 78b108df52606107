// *Play*: the motion of a computation over the large picture: started, stopped, scrubbed and told in steps.
#include "app/ui/views/motion_player.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/export/computed_motion.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/views/motion_source.h"
#include "app/ui/widgets/plan_painter.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct Playing : CentrePanel {
  explicit Playing(const std::string& lesson, CellAddress cell, ImVec2 size = {1240, 680})
      : CentrePanel(lesson_session(lesson), size) {
    fixture.view().selection.cell = cell;
    fixture.view().focused_stage = cell.stage;
    robot().frames(3);
  }
  MotionPlayer& player() { return state.stages.motion; }
  void begin() {
    robot().click("focus.play_motion");
    robot().frames(4);
  }
  std::string caption() { return robot().value("play.caption"); }
};

// The whole workbench, with its keys.
struct PlayingWorkbench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit PlayingWorkbench(const std::string& lesson)
      : fixture(
            lesson_session(lesson), [this](UiContext& ui) { draw(ui); }, ImVec2{1280, 800}) {
    fixture.view().focused_stage = Stage::Scores;
    fixture.view().selection.cell = CellAddress{Stage::Scores, 0, 0, 3, 2};
    fixture.robot().frames(5);
  }
  // Moves the robot's window behind the workbench's, which handles the clicks.
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
  }
  MotionPlayer& player() { return state.stages.motion; }
};

const CellAddress kScore = {Stage::Scores, 0, 0, 3, 2};

}  // namespace

TEST_CASE("play: begins with the selected cell, runs to its end, and closes") {
  Playing panel("15-linear-layers", kScore);
  panel.begin();
  REQUIRE(panel.robot().shows("play.stage"));
  CHECK(panel.player().running);
  CHECK(panel.fixture.wakes_within());
  CHECK(panel.robot().value("play.stage") == "scores[with (3), starts (2)]");
  CHECK_THAT(panel.caption(), ContainsSubstring("come together"));
  CHECK_FALSE(panel.robot().shows("focus.scores.h0"));
  for (int i = 0; i < 5; ++i)
    panel.robot().rest(1);
  CHECK(panel.player().t == 1);
  CHECK_FALSE(panel.player().running);
  CHECK(panel.robot().value("play.toggle") == "Again");
  panel.robot().click("play.close");
  panel.robot().frames(2);
  CHECK(panel.robot().shows("focus.scores.h0"));
  CHECK(panel.fixture.view().selection.cell == kScore);
}

TEST_CASE("play: it begins and ends in the picture at rest, which leaves room for the controls only") {
  Playing panel("15-linear-layers", kScore);
  const Rect before = panel.rect("focus.scores.h0");
  panel.begin();
  CHECK_FALSE(panel.robot().shows("focus.scores.h0"));
  for (const Key key : {Key::End, Key::Home}) {
    panel.robot().key(key);
    panel.robot().frames(30);
    REQUIRE(panel.robot().shows("focus.scores.h0"));
    CHECK_FALSE(panel.robot().shows("play.stage"));
    CHECK_FALSE(panel.robot().shows("play.caption"));
    const Rect now = panel.rect("focus.scores.h0"), controls = panel.rect("play.timeline");
    CHECK(now.bottom() <= controls.y);
    CHECK(now.height > 0.8 * before.height);
    CHECK(std::abs(now.width - now.height) < 1);
    panel.robot().key(key == Key::End ? Key::Left : Key::Right);
    panel.robot().frames(2);
    CHECK_FALSE(panel.robot().shows("focus.scores.h0"));
    CHECK(panel.robot().shows("play.stage"));
  }
}

TEST_CASE("play: the numbers on screen are the engine's") {
  Playing panel("15-linear-layers", kScore);
  panel.begin();
  panel.robot().frames(2);
  const auto trace = panel.fixture.answer()->find(kScore);
  REQUIRE(trace);
  const MotionPlan& plan = panel.player().plan;
  CHECK_THAT(plan.steps[2].caption, ContainsSubstring(number_text(trace->value, 4)));
  for (const Term& term : trace->terms) {
    const auto written = [&](float value) {
      return std::any_of(plan.actors.begin(), plan.actors.end(),
                         [&](const MotionActor& actor) { return actor.text == number_text(value, 4); });
    };
    CHECK(written(term.left));
    CHECK(written(term.right));
    CHECK(written(term.product()));
  }
}

TEST_CASE("play: a click pauses, the arrows step, the timeline is scrubbed, Escape closes") {
  Playing panel("15-linear-layers", kScore);
  panel.begin();
  panel.robot().click("play.stage");
  CHECK_FALSE(panel.player().running);
  const double paused = panel.player().t;
  panel.robot().rest(1);
  CHECK(panel.player().t == paused);
  panel.robot().key(Key::Right);
  CHECK(panel.player().t == panel.player().plan.steps[0].end);
  panel.robot().key(Key::Right);
  CHECK(panel.player().t == panel.player().plan.steps[1].end);
  panel.robot().key(Key::Left);
  CHECK(panel.player().t == panel.player().plan.steps[0].end);
  CHECK(panel.fixture.view().selection.cell == kScore);
  panel.robot().key(Key::End);
  CHECK(panel.player().t == 1);
  const Rect line = panel.rect("play.timeline");
  panel.robot().click_at({static_cast<float>(line.x + line.width / 2), static_cast<float>(line.y + 4)});
  CHECK(std::abs(panel.player().t - 0.5) < 0.02);
  panel.robot().key(Key::Escape);
  panel.robot().frames(2);
  CHECK_FALSE(panel.player().shown());
  CHECK(panel.fixture.view().selection.cell == kScore);  // only the motion was closed
  panel.robot().key(Key::Escape);
  CHECK_FALSE(panel.fixture.view().selection.cell);
}

TEST_CASE("play: without motion it is told in steps, and each click is the next one") {
  Playing panel("15-linear-layers", kScore);
  panel.fixture.preferences().motion = false;
  panel.begin();
  CHECK_FALSE(panel.player().running);
  CHECK(panel.player().t == panel.player().plan.steps[0].end);
  for (std::size_t step = 1; step < panel.player().plan.steps.size(); ++step) {
    panel.robot().click("play.stage");
    CHECK(panel.player().t == panel.player().plan.steps[step].end);
    if (panel.player().moves()) CHECK(panel.caption() == panel.player().plan.steps[step].caption);
  }
  CHECK_FALSE(panel.player().moves());
  panel.robot().frames(3);
  CHECK(panel.robot().value("play.toggle") == "Again");
}

TEST_CASE("play: the pointer held on a cell begins its motion, a click does not") {
  PlayingWorkbench bench("15-linear-layers");
  const Rect cells = bench.fixture.robot().widget("focus.scores.h0").rect;
  const ImVec2 at = {static_cast<float>(cells.x + cells.width * 4.5 / 6),
                     static_cast<float>(cells.y + cells.height * 1.5 / 6)};
  bench.fixture.robot().click_at(at);
  bench.fixture.robot().rest(1);
  bench.fixture.robot().frames(2);
  CHECK_FALSE(bench.player().shown());
  bench.fixture.robot().stroke(at, at, 45);
  CHECK(bench.player().cell == CellAddress{Stage::Scores, 0, 0, 1, 4});
  bench.fixture.robot().frames(2);
  CHECK(bench.player().shown());
}

TEST_CASE("play: ends when another cell, stage or view is chosen, or its cell is gone") {
  Playing panel("15-linear-layers", kScore);
  const auto begun = [&] {
    panel.fixture.view().focused_stage = Stage::Scores;
    panel.fixture.view().focus_view = FocusView::Heatmap;
    panel.fixture.view().selection.cell = kScore;
    panel.robot().frames(3);
    panel.begin();
    REQUIRE(panel.player().shown());
  };
  begun();
  panel.fixture.view().selection.cell->column = 1;
  panel.robot().frames(2);
  CHECK_FALSE(panel.player().shown());
  begun();
  panel.fixture.view().focused_stage = Stage::Weights;
  panel.robot().frames(2);
  CHECK_FALSE(panel.player().shown());
  begun();
  panel.fixture.view().focus_view = FocusView::Compare;
  panel.robot().frames(2);
  CHECK_FALSE(panel.player().shown());
  begun();
  while (panel.fixture.layer().token_count() > 2)
    panel.fixture.document().run(RemoveToken{0});
  panel.robot().frames(3);
  CHECK_FALSE(panel.player().shown());
}

TEST_CASE("play: numbers that are edited meanwhile are played anew") {
  Playing panel("15-linear-layers", kScore);
  panel.begin();
  const std::string before = panel.player().plan.steps[2].caption;
  panel.fixture.document().run(SetCells{{InputKind::Embeddings, 0}, 3, 0, Matrix::Constant(1, 1, 2.5F)});
  panel.robot().frames(4);
  REQUIRE_FALSE(panel.player().plan.empty());
  CHECK(panel.player().plan.steps[2].caption != before);
}

TEST_CASE("play: every stage that computes has a motion, in every kind of layer") {
  for (const char* lesson : {"04-softmax-and-context", "22-two-heads-with-dropout", "29-grouped-queries",
                             "30-rotary-positions", "31-sliding-window", "32-cross-attention"}) {
    CentrePanel panel(lesson_session(lesson), {900, 620});
    const Layer& layer = panel.fixture.layer();
    for (const Stage stage : stages_in_use(layer)) {
      if (!has_motion(layer, stage)) continue;
      panel.fixture.view().focused_stage = stage;
      panel.fixture.view().selection.cell = CellAddress{stage, 0, 0, stage_rows(layer, stage) - 1, 0};
      panel.robot().frames(3);
      INFO(lesson << ", " << stage_info(stage).name);
      panel.robot().click("focus.play_motion");
      panel.robot().frames(6);
      CHECK_FALSE(panel.state.stages.motion.plan.empty());
      CHECK(panel.robot().shows("play.timeline"));
      panel.robot().key(Key::Escape);
      panel.robot().frames(1);
    }
  }
}

namespace {

// All that can be seen of a plan.
std::string described(const MotionPlan& plan) {
  std::ostringstream text;
  const auto add = [&](const Rect& place, Color color) {
    text << place.x << ' ' << place.y << ' ' << place.width << ' ' << place.height << ' ' << int{color.r}
         << ' ' << int{color.g} << ' ' << int{color.b} << ' ' << int{color.a} << '\n';
  };
  for (const PlannedFill& fill : plan.rest.fills)
    add(fill.rect, fill.color);
  for (const PlannedText& words : plan.rest.texts)
    text << words.text << '\n';
  for (const MotionActor& actor : plan.actors) {
    text << actor.text << '\n';
    for (const MotionActor::Key& key : actor.keys)
      add(key.place, key.color);
  }
  for (const MotionStep& step : plan.steps)
    text << step.caption << '\n';
  return text.str();
}

}  // namespace

TEST_CASE("play: a file shows what the window shows") {
  for (const char* lesson : {"22-two-heads-with-dropout", "29-grouped-queries", "30-rotary-positions"}) {
    CellAddress cell;
    std::string on_screen, in_file;
    const Session open = lesson_session(lesson);
    const Evaluator evaluator = evaluate(open.layer);
    const ComputedSession computed(evaluator, "");
    PanelFixture fixture(lesson_session(lesson), [&](UiContext& ui) {
      on_screen = described(motion_of(ui, cell, 700, 420));
      const MeasureText measure = imgui_measure(ui.theme);
      ComputedMotionNumbers numbers(computed,
                                    {ui.counting(), ui.view.picture.decimals, ui.view.picture.colors});
      in_file = described(motion_of(numbers, cell, {ui.theme.figure, 700, 420, measure}));
    });
    for (const Stage stage : stages_in_use(open.layer)) {
      if (!has_motion(open.layer, stage)) continue;
      cell = {stage, 0, 0, stage_rows(open.layer, stage) - 1, 0};
      fixture.robot().frames(6);
      INFO(lesson << ", " << stage_info(stage).name);
      CHECK_FALSE(on_screen.empty());
      CHECK(on_screen == in_file);
    }
  }
}

TEST_CASE("play: matrices have the names of stages that do something") {
  const auto names = [](const std::string& lesson, Stage stage) {
    Playing panel(lesson, CellAddress{stage, 0, 0, 2, 0});
    panel.begin();
    std::string all;
    for (const MotionActor& actor : panel.player().plan.actors)
      all += actor.text + " ";
    for (const PlannedText& text : panel.player().plan.rest.texts)
      all += text.text + " ";
    return all;
  };
  const std::string plain = names("00-why-attention", Stage::Context);
  CHECK_FALSE(ContainsSubstring("dropped").match(plain));
  CHECK(ContainsSubstring("weights").match(plain));
  CHECK(ContainsSubstring("dropped").match(names("18-dropout-after-the-weights", Stage::Context)));
}

TEST_CASE("play: Space begins, pauses and goes on; a drag with Space and a control in the ring keep it") {
  PlayingWorkbench bench("15-linear-layers");
  bench.fixture.robot().key(Key::Space);
  bench.fixture.robot().frames(4);
  REQUIRE(bench.player().shown());
  CHECK(bench.player().running);
  bench.fixture.robot().key(Key::Space);
  CHECK_FALSE(bench.player().running);
  bench.fixture.robot().key(Key::Right);
  CHECK(bench.fixture.view().selection.cell == kScore);
  bench.fixture.robot().key(Key::Escape);
  bench.fixture.robot().frames(2);
  CHECK_FALSE(bench.player().shown());
  bench.state.focus.shown = true;
  bench.fixture.robot().key(Key::Space);
  bench.fixture.robot().frames(2);
  CHECK_FALSE(bench.player().shown());
}

TEST_CASE("play: a step of a walk begins with its motion, and leaving ends it") {
  PlayingWorkbench bench("16-causal-mask");
  bench.fixture.robot().click("walk.start");
  bench.fixture.robot().frames(6);
  CHECK_FALSE(bench.player().shown());  // an embedding is given
  bench.fixture.robot().click("lesson.next");
  bench.fixture.robot().frames(6);
  REQUIRE(bench.player().shown());
  CHECK(bench.player().cell->stage == Stage::Queries);
  CHECK(bench.player().running);
  bench.fixture.robot().key(Key::Escape);
  bench.fixture.robot().frames(2);
  CHECK_FALSE(bench.player().shown());
  CHECK(bench.fixture.robot().shows("walk.leave"));
  bench.fixture.robot().click("lesson.next");
  bench.fixture.robot().frames(6);
  REQUIRE(bench.player().shown());
  bench.fixture.robot().click("walk.leave");
  bench.fixture.robot().frames(3);
  CHECK_FALSE(bench.player().shown());
}

TEST_CASE("play: the parts of the player are in its area, which may have no room") {
  for (const double width : {0.0, 30.0, 300.0, 2000.0})
    for (const double height : {0.0, 10.0, 60.0, 150.0, 400.0, 2000.0}) {
      const MotionPlayerPlan plan = plan_motion_player({5, 7, width, height}, 14, 24, 8);
      CHECK(plan.stage.height >= 0);
      CHECK(plan.stage.bottom() <= 7 + height + 1e-9);
      CHECK(plan.at_rest.height >= plan.stage.height);
      for (const Rect& part : {plan.caption, plan.controls})
        if (part.height > 0) {
          CHECK(part.y >= plan.stage.bottom());
          CHECK(part.bottom() <= 7 + height + 1e-9);
        }
    }
}
