// Gradients in the window: the switch, the pictures, the derivation and the arrows in the grids; goals that
// are chosen and painted.
#include <chrono>
#include <cmath>
#include <thread>

#include "app/ui/inputs/inputs_panel.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/learning/learning_panel.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/views/stages_panel.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

Session with_goal(Session session, GoalPattern pattern = GoalPattern::PreviousToken) {
  session.layer.attention.mask = MaskKind::Causal;
  session.goal = std::make_shared<const Goal>(*pattern_goal(session.layer, pattern));
  return session;
}

// The inputs, the large picture and the inspector side by side, as in the workbench.
struct GradientBench {
  StagesPanelState stages;
  InputsPanelState inputs;
  InspectorState inspector;
  LearningPanelState learning;
  PanelFixture fixture;

  explicit GradientBench(Session session)
      : fixture(std::move(session), [this](UiContext& ui) { draw(ui); }, {1280, 800}) {
    learning.shown = true;
    robot().frames(4);
  }

  void draw(UiContext& ui) {
    ui.view.selection.hovered.now.reset();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const auto place = [&](float x, float width, const char* name, auto body) {
      ImGui::SetCursorScreenPos({at.x + x, at.y});
      ImGui::BeginChild(name, {width, 525});
      body();
      ImGui::EndChild();
    };
    place(0, 340, "inputs", [&] { inputs_panel(ui, inputs); });
    place(350, 500, "stages", [&] { stages_panel(ui, stages); });
    place(860, 380, "inspector", [&] { inspector_panel(ui, inspector); });
    learning_panel(ui, learning, {at.x, at.y + 534}, {1200, 240});
    ui.view.selection.hovered.last = ui.view.selection.hovered.now;
    ui.view.selection.gradient.last = std::exchange(ui.view.selection.gradient.now, std::nullopt);
    request_gradients(ui, learning.shown);
  }

  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void show_gradients() {
    fixture.view().learning.gradients = true;
    robot().frames(4);
  }
  ImVec2 cell(const std::string& picture, int row, int column) {
    const Rect r = robot().widget(picture).rect;
    return {static_cast<float>(r.x + r.width * (column + 0.5) / 6),
            static_cast<float>(r.y + r.height * (row + 0.5) / 6)};
  }
  const Goal* goal() { return fixture.document().session().goal.get(); }
};

float shown_gradient(PanelFixture& fixture, Stage stage, Index row, Index column) {
  for (const auto& tile : fixture.answer()->tiles)
    if (tile && tile->request.stage == stage && tile->request.content == TileContent::Gradient)
      return tile->values(row, column);
  return NAN;
}

}  // namespace

TEST_CASE("gradient view: the pictures show the gradients of their stage") {
  GradientBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.show_gradients();
  const Layer& layer = bench.fixture.layer();
  const Gradients all = gradients(layer, *bench.goal());
  CHECK(shown_gradient(bench.fixture, Stage::Weights, 3, 1) == all.of(Stage::Weights)[0](3, 1));
  bench.fixture.view().focused_stage = Stage::Context;
  bench.robot().frames(4);
  CHECK(shown_gradient(bench.fixture, Stage::Context, 3, 1) == 0);  // the goal does not depend on it
  bench.fixture.view().learning.gradients = false;
  bench.robot().frames(4);
  CHECK(std::isnan(shown_gradient(bench.fixture, Stage::Weights, 3, 1)));
}

TEST_CASE("gradient view: without a goal, and of a goal that does not fit, nothing is shown for it") {
  GradientBench bench(lesson_session("16-causal-mask"));
  bench.show_gradients();
  CHECK(bench.fixture.answer()->gradients == nullptr);
  CHECK_FALSE(bench.robot().shows("inspector.gradient"));
  bench.fixture.document().run(
      SetGoal{std::make_shared<const Goal>(*pattern_goal(bench.fixture.layer(), GoalPattern::Itself))});
  // What it wants of each token itself is closed then.
  Matrix before = Matrix::Zero(6, 6);
  before.triangularView<Eigen::StrictlyLower>().setOnes();
  bench.fixture.document().run(SetMask{MaskKind::Custom, before});
  bench.robot().frames(4);
  REQUIRE(bench.fixture.answer()->gradients);
  CHECK_FALSE(bench.fixture.answer()->gradients->refusal.empty());
  CHECK(bench.robot().value("learning.trouble").find("goal.target") != std::string::npos);
}

TEST_CASE("gradient view: the derivation ends at the gradient of the cell") {
  GradientBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.fixture.view().selection.cell = CellAddress{Stage::Scores, 0, 0, 3, 2};
  bench.show_gradients();
  const Gradients all = gradients(bench.fixture.layer(), *bench.goal());
  CHECK(std::abs(std::stof(bench.robot().value("inspector.gradient")) - all.of(Stage::Scores)[0](3, 2)) <
        1e-7f);
  CHECK(bench.robot().shows("inspector.step.gradient.weights"));
  CHECK(bench.robot().shows("inspector.step.gradient.scores"));
  CHECK_FALSE(bench.robot().shows("inspector.value"));
}

TEST_CASE("gradient view: cells of the weights have arrows, and the one pointed at its derivation") {
  GradientBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.show_gradients();
  const Gradients all = gradients(bench.fixture.layer(), *bench.goal());
  bench.robot().hover("inputs.query[1,0]");
  bench.robot().frames(3);
  CHECK(bench.robot().value("inputs.query.arrow[1,0]") ==
        (all.matrix(Parameter::Query)(1, 0) < 0 ? "up" : "down"));
  CHECK(bench.robot().value("inspector.cell") == "W_query[1, 0]");
  CHECK(std::abs(std::stof(bench.robot().value("inspector.gradient")) - all.matrix(Parameter::Query)(1, 0)) <
        1e-7f);
}

TEST_CASE("goals: one is chosen by name, for all heads or one, and taken away") {
  GradientBench bench(lesson_session("16-causal-mask"));
  bench.robot().click("learning.goal");
  bench.robot().click("learning.goal.previous_token");
  bench.robot().frames(4);
  REQUIRE(bench.goal());
  CHECK(*bench.goal() == *pattern_goal(bench.fixture.layer(), GoalPattern::PreviousToken));
  const double loss = gradients(bench.fixture.layer(), *bench.goal(), {0, 0}).loss;
  CHECK(std::abs(std::stod(bench.robot().value("learning.loss")) - loss) < 1e-6);
  bench.fixture.document().undo();
  bench.robot().frames(2);
  CHECK_FALSE(bench.goal());
  bench.robot().click("learning.goal");
  bench.robot().click("learning.goal.induction");  // no token of this text stands twice
  bench.robot().frames(2);
  CHECK_FALSE(bench.goal());
  CHECK(bench.robot().value("learning.trouble").find("stands twice") != std::string::npos);
}

TEST_CASE("goals: the weights of another head can be wanted, whatever the pictures show") {
  for (const bool gradients_shown : {false, true}) {
    GradientBench bench(with_goal(lesson_session("20-two-heads")));
    if (gradients_shown) bench.show_gradients();
    bench.fixture.view().picture.by_value = !gradients_shown;
    bench.learning.head = 0;
    bench.robot().frames(4);
    bench.robot().click("learning.goal");
    bench.robot().click("learning.goal.like.1");
    bench.robot().frames(4);
    REQUIRE(bench.goal());
    const Matrix wanted = evaluate(bench.fixture.layer()).matrix(Stage::Weights, 0, 1);
    CHECK(*bench.goal() == *likeness_goal(bench.fixture.layer(), wanted, 0));
  }
}

TEST_CASE("goals: a stroke with a brush paints the goal, as one undo step") {
  GradientBench bench(lesson_session("16-causal-mask"));
  bench.robot().click("learning.brush.want");
  bench.robot().frames(4);
  bench.robot().stroke(bench.cell("focus.weights.h0", 5, 0), bench.cell("focus.weights.h0", 5, 2));
  bench.robot().frames(4);
  REQUIRE(bench.goal());
  const Matrix& target = bench.goal()->target.of(0, 0);
  CHECK(target(5, 0) == 1);
  CHECK(target(5, 1) == 1);
  CHECK(target(5, 2) == 1);
  CHECK(target(5, 3) == 0);
  CHECK(std::isnan(target(4, 0)));
  CHECK(bench.fixture.document().unsaved_steps() == 1);
  bench.fixture.document().undo();
  CHECK_FALSE(bench.goal());
}

TEST_CASE("goals: numbers are wanted of a stage that is no weights, by typing and painting") {
  GradientBench bench(lesson_session("16-causal-mask"));
  bench.fixture.view().focused_stage = Stage::Scores;
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("learning.brush.want"));
  bench.robot().click("learning.number");
  bench.robot().frames(1);
  bench.robot().key(Key::A, {true, false});
  bench.robot().type("-1.5");
  bench.robot().key(Key::Enter);
  bench.robot().frames(2);
  bench.robot().click("learning.brush.number");
  bench.robot().frames(2);
  bench.robot().stroke(bench.cell("focus.scores.h0", 2, 0), bench.cell("focus.scores.h0", 2, 1));
  bench.robot().frames(4);
  REQUIRE(bench.goal());
  CHECK(bench.goal()->stage == Stage::Scores);
  CHECK(bench.goal()->loss == Loss::Squared);
  CHECK(bench.goal()->target.of(0, 0)(2, 0) == -1.5f);
  CHECK(bench.goal()->target.of(0, 0)(2, 1) == -1.5f);
  CHECK(wanted_count(bench.fixture.layer(), *bench.goal()) == 2);
  CHECK(bench.robot().shows("learning.loss"));
}

TEST_CASE("goals: the numbers of the kept state can be wanted") {
  GradientBench bench(lesson_session("16-causal-mask"));
  Layer kept = bench.fixture.layer();
  kept.embeddings[0] *= 2;
  bench.fixture.view().baseline = {std::make_shared<const Layer>(kept), "before"};
  bench.fixture.view().focused_stage = Stage::Context;
  bench.robot().frames(4);
  bench.robot().click("learning.goal");
  bench.robot().click("learning.goal.kept");
  bench.robot().frames(4);
  REQUIRE(bench.goal());
  CHECK(bench.goal()->stage == Stage::Context);
  CHECK(gradients(kept, *bench.goal()).loss < 1e-10);
  bench.fixture.view().focused_stage = Stage::Weights;
  bench.robot().frames(2);
  bench.robot().click("learning.goal");
  bench.robot().click("learning.goal.kept");
  bench.robot().frames(4);
  CHECK(bench.goal()->loss == Loss::CrossEntropy);
  CHECK(share_reached(kept, *bench.goal(), gradients(kept, *bench.goal()).loss) > 0.9999);
}

TEST_CASE("nudges: a number, its matrix and everything move a step against their gradients") {
  GradientBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.show_gradients();
  const Layer before = bench.fixture.layer();
  const Gradients all = gradients(before, *bench.goal());
  bench.robot().hover("inputs.query[1,0]");
  bench.robot().frames(3);
  bench.robot().click("inspector.nudge.number");
  bench.robot().frames(4);
  const auto query = [&] { return bench.fixture.layer().weights.matrix(Parameter::Query); };
  Matrix expected = before.weights.matrix(Parameter::Query);
  expected(1, 0) -= 0.5f * all.matrix(Parameter::Query)(1, 0);
  CHECK(query().isApprox(expected, 1e-6f));
  bench.fixture.document().undo();
  bench.robot().hover("inputs.query[1,0]");
  bench.robot().frames(4);
  bench.robot().click("inspector.nudge.matrix");
  bench.robot().frames(4);
  CHECK(
      query().isApprox(before.weights.matrix(Parameter::Query) - 0.5f * all.matrix(Parameter::Query), 1e-6f));
  CHECK(bench.fixture.layer().weights.matrix(Parameter::Key) == before.weights.matrix(Parameter::Key));
  bench.fixture.document().undo();
  bench.robot().hover("inputs.query[1,0]");
  bench.robot().frames(4);
  bench.robot().click("inspector.nudge.all");
  bench.robot().frames(4);
  CHECK_FALSE(bench.fixture.layer().weights.matrix(Parameter::Key) == before.weights.matrix(Parameter::Key));
  CHECK_FALSE(bench.fixture.layer().embeddings == before.embeddings);
  CHECK(gradients(bench.fixture.layer(), *bench.goal()).loss < all.loss);
  CHECK(bench.fixture.document().undo_name() == "Nudge everything");
}

namespace {

// The learning panel alone, with the run that follows each frame.
struct LearningBench {
  LearningPanelState learning;
  PanelFixture fixture;

  explicit LearningBench(Session session)
      : fixture(std::move(session),
                [this](UiContext& ui) {
                  follow_learning(ui, learning);
                  learning_panel(ui, learning, ImGui::GetCursorScreenPos(), {900, 200});
                  request_gradients(ui, true);
                },
                {960, 300}) {
    learning.shown = true;
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  // Frames until the run is at a step.
  bool reaches(Index step) {
    for (int i = 0; i < 2000; ++i) {
      robot().frames(1);
      const TrainingReport* const report = learning.training.run.report();
      const auto& training = fixture.document().session().training;
      if (report && report->step == step && (step == 0 || (training && training->steps == step))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
};

}  // namespace

TEST_CASE("learning: steps change the weights, back and undo take them back") {
  LearningBench bench(with_goal(lesson_session("16-causal-mask")));
  const Weights before = bench.fixture.layer().weights;
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(1));
  const Weights one = bench.fixture.layer().weights;
  CHECK_FALSE(one.matrices == before.matrices);
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(2));
  bench.robot().click("learning.back");
  REQUIRE(bench.reaches(1));
  CHECK(bench.fixture.layer().weights.matrices == one.matrices);
  CHECK(bench.robot().value("learning.curve") == "1");
  CHECK(bench.fixture.document().undo_name() == "Learn");
  bench.fixture.document().undo();
  CHECK(bench.fixture.layer().weights.matrices == before.matrices);
  CHECK_FALSE(bench.fixture.document().session().training);
  bench.robot().frames(3);
  CHECK(bench.learning.training.run.report() == nullptr);
  bench.fixture.document().redo();
  CHECK(bench.fixture.layer().weights.matrices == one.matrices);
}

TEST_CASE("learning: it plays until it is paused, and the loss falls") {
  LearningBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(1));
  const double first = bench.learning.training.run.report()->loss;
  bench.robot().click("learning.learn");
  for (int i = 0; i < 4000 && bench.learning.training.run.report()->step < 40; ++i) {
    bench.robot().frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(bench.fixture.view().learning.plays);
  bench.robot().click("learning.learn");
  bench.robot().frames(4);
  CHECK_FALSE(bench.fixture.view().learning.plays);
  CHECK(bench.learning.training.run.report()->loss < first);
}

TEST_CASE("learning: an edit pauses it, and the next step goes on from the edited numbers") {
  LearningBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(1));
  bench.fixture.document().run(SetCells{{InputKind::Weight, 0, Parameter::Query}, 0, 0, Matrix::Ones(1, 1)});
  bench.robot().frames(2);
  const Layer edited = bench.fixture.layer();
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(2));
  LayerTraining alone(edited, *bench.fixture.document().session().goal, [] {
    TrainingSettings settings;
    settings.optimizer = OptimizerKind::Adam;
    settings.rate = 0.05;
    return settings;
  }());
  CHECK(bench.learning.training.run.report()->curve.count() == 3);
  bench.robot().click("learning.back");
  REQUIRE(bench.reaches(1));
  CHECK(bench.fixture.layer().weights.matrices == edited.weights.matrices);
  CHECK(alone.loss() == bench.learning.training.run.report()->loss);
}

TEST_CASE("learning: a rate that is too large stops with the reason") {
  Session session = with_goal(lesson_session("16-causal-mask"));
  session.training = TrainingSettings{};
  session.training->rate = 1e38;
  LearningBench bench(std::move(session));
  bench.robot().click("learning.learn");
  for (int i = 0; i < 4000; ++i) {
    bench.robot().frames(1);
    const TrainingReport* const report = bench.learning.training.run.report();
    if (report && report->divergence) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(bench.learning.training.run.report());
  REQUIRE(bench.learning.training.run.report()->divergence);
  bench.robot().frames(2);
  CHECK(bench.robot().value("learning.state").find("stopped at step") != std::string::npos);
  CHECK_FALSE(bench.fixture.view().learning.plays);
}

TEST_CASE("learning: the optimizer, the rate and what may move are settings of the session") {
  LearningBench bench(with_goal(lesson_session("16-causal-mask")));
  bench.robot().click("learning.optimizer");
  bench.robot().click("learning.optimizer.sgd");
  bench.robot().frames(2);
  REQUIRE(bench.fixture.document().session().training);
  CHECK(bench.fixture.document().session().training->optimizer == OptimizerKind::Sgd);
  bench.robot().click("learning.rate");
  bench.robot().frames(1);
  bench.robot().key(Key::A, {true, false});
  bench.robot().type("0.25");
  bench.robot().key(Key::Enter);
  bench.robot().frames(2);
  CHECK(bench.fixture.document().session().training->rate == 0.25);
  bench.robot().click("learning.parts");
  bench.robot().frames(2);
  bench.robot().click("learning.part.value");
  bench.robot().frames(2);
  CHECK(bench.fixture.document().session().training->parameters ==
        std::vector<TrainedPart>{TrainedPart::Query, TrainedPart::Key});
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  const Matrix values = bench.fixture.layer().weights.matrix(Parameter::Value);
  bench.robot().click("learning.step");
  REQUIRE(bench.reaches(1));
  CHECK(bench.fixture.layer().weights.matrix(Parameter::Value) == values);
}
