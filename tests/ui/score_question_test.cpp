// Why a head gives a pair of tokens its score: the ways that lead from a cell to *Questions > Score parts*.
#include <algorithm>
#include <array>

#include "tests/support/catch.h"
#include "tests/ui/support/model_window.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kWhy = "inspector.step.scores.why";
constexpr const char* kScoredSentence = "When Ann and Tom went out , Tom gave the key to";

// Layer 1 and head 2 of a model, with a pair of tokens selected.
struct ScoreWindow : ModelWindow {
  explicit ScoreWindow(Session session = model_session(source_root() + "/assets/examples/words",
                                                       kScoredSentence))
      : ModelWindow(1, std::move(session)) {
    fixture.view().baseline = {};
    show(LayerPlace(1));
    fixture.view().head = 2;
    const Index last = fixture.layer().token_count() - 1;
    select(Stage::Weights, 2, std::min<Index>(6, last), std::min<Index>(3, last));
  }
  void show(LayerPlace layer) {
    fixture.document().run(EditOpenModel{ShowLayer{layer}, "Another layer"});
    settle();
  }
  void change(OpenModelEdit edit) {
    fixture.document().run(EditOpenModel{std::move(edit), "Change"});
    settle();
  }
  void select(Stage stage, Index head, Index query, Index key) {
    fixture.view().focused_stage = stage;
    fixture.view().selection.cell = CellAddress{stage, 0, head, query, key};
    settle();
  }
  const AnalysisRun& answer() {
    const AnalysisView& page = fixture.view().model.analyses;
    REQUIRE(page.fresh);
    REQUIRE_FALSE(page.run->failure);
    REQUIRE(page.run->analysis.kind == AnalysisKind::Score);
    return *page.run;
  }
  // What stands at the control while the pointer rests on it.
  std::string told(const std::string& name) {
    fixture.robot().move_to({2, 2});
    fixture.robot().frames(2);
    fixture.robot().hover(name);
    fixture.robot().rest(0.7f);
    fixture.robot().frames(2);
    return fixture.robot().shows("tooltip") ? fixture.robot().value("tooltip") : "";
  }
};

// Layer, head, query and key.
using Asked = std::array<Index, 4>;

Asked asked(const AnalysisRun& run) {
  return {run.analysis.layer, run.analysis.head, run.analysis.query.value(), run.analysis.key.value()};
}

}  // namespace

TEST_CASE("score question: the link at a score shows its parts, which sum to the number beside it") {
  ScoreWindow window;
  PanelRobot& robot = window.fixture.robot();
  window.fixture.view().opened_stage = Stage::Weights;  // where the pages have no room
  window.settle();
  robot.click(kWhy);
  window.settle();
  CHECK_FALSE(window.fixture.view().opened_stage);
  CHECK(robot.value("model.page.questions") == "chosen");
  CHECK(robot.value("model.question") == "score");
  CHECK(asked(window.answer()) == Asked{1, 2, 6, 3});
  const auto trace = window.fixture.answer()->find(*window.fixture.view().selection.cell);
  REQUIRE(trace);
  CHECK_THAT(window.answer().result.tables[0].values.cast<double>().sum(),
             WithinAbs(double{trace->chain.scaled}, 1e-3));
  // What is selected next is asked about in its place.
  window.select(Stage::Scores, 2, 7, 0);
  CHECK(asked(window.answer()) == Asked{1, 2, 7, 0});
  window.show(LayerPlace(2));
  CHECK(asked(window.answer())[0] == 2);
}

TEST_CASE("score question: it is of the cell's head, of the open text, also where a set is asked about") {
  ScoreWindow window;
  window.fixture.view().head = 3;
  window.fixture.view().model.set.asks = true;
  window.fixture.view().model.analyses.layer = 0;
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 4};
  window.settle();
  window.fixture.robot().click(kWhy);
  window.settle();
  CHECK(asked(window.answer()) == Asked{1, 1, 4, 4});
  CHECK_FALSE(window.fixture.view().model.set.asks);
}

TEST_CASE("score question: the menu of the cell and the field of all commands ask the same") {
  ScoreWindow window;
  PanelRobot& robot = window.fixture.robot();
  window.fixture.view().selection.cell.reset();
  window.fixture.view().focused_stage = Stage::Scores;
  window.settle();
  robot.right_click("focus.scores.h2");
  robot.click("picture.why_score");
  window.settle();
  const CellAddress cell = *window.fixture.view().selection.cell;
  CHECK(cell.stage == Stage::Scores);
  CHECK(asked(window.answer()) == Asked{1, 2, cell.row, cell.column});
  window.fixture.view().model.page = ModelPage::Heads;
  window.select(Stage::Weights, 2, 5, 1);
  robot.key(Key::P, {.ctrl = true});
  robot.frames(2);
  robot.type("why this score");
  CHECK(robot.value("palette.item.0") == "Why this score?");
  robot.key(Key::Enter);
  window.settle();
  CHECK(asked(window.answer()) == Asked{1, 2, 5, 1});
}

TEST_CASE("score question: it is grey, with the reason, where the score is no sum of parts") {
  ScoreWindow window;
  PanelRobot& robot = window.fixture.robot();
  const auto refused = [&](const std::string& reason) {
    CHECK_FALSE(robot.widget(kWhy).enabled);
    CHECK_THAT(window.told(kWhy), ContainsSubstring(reason));
    robot.click(kWhy);
    window.settle();
    CHECK(robot.value("model.page.questions").empty());
  };
  const Index width = window.fixture.document().session().work->network->config().head_width;
  window.change(AddPatch{{PatchStage::Queries, 1, 0, 6, 0, Matrix::Zero(1, width)}});
  refused("patch overwrites queries or keys of layer 1");
  window.fixture.document().undo();
  window.settle();
  CHECK(robot.widget(kWhy).enabled);
}

TEST_CASE("score question: a family whose stream is no sum has it in grey") {
  ScoreWindow bert(model_session(source_root() + "/tests/golden/models/bert"));
  CHECK_FALSE(bert.fixture.robot().widget(kWhy).enabled);
  CHECK_THAT(bert.told(kWhy), ContainsSubstring("norms the sum behind each layer"));
  bert.fixture.robot().right_click("focus.weights.h2");
  CHECK_FALSE(bert.fixture.robot().widget("picture.why_score").enabled);
}

TEST_CASE("score question: a model of two sides has it in grey at every layer") {
  ScoreWindow t5(model_session(source_root() + "/tests/golden/library/t5"));
  for (const Side side : {Side::Cross, Side::Encoder, Side::Own}) {
    t5.show(LayerPlace(side, 1));
    t5.select(Stage::Weights, 2, 3, 2);
    CHECK_FALSE(t5.fixture.robot().widget(kWhy).enabled);
    CHECK_THAT(t5.told(kWhy), ContainsSubstring("reads more than one text"));
  }
}

TEST_CASE("score question: a layer alone has none, nor has a number that is of no pair") {
  ScoreWindow window;
  PanelRobot& robot = window.fixture.robot();
  window.select(Stage::Queries, 2, 6, 3);
  CHECK(robot.shows("inspector.step.queries"));
  CHECK_FALSE(robot.shows(kWhy));
  window.fixture.document().run(LeaveModel{});
  window.settle();
  window.select(Stage::Weights, 2, 6, 3);
  CHECK(robot.shows("inspector.step.scores"));
  CHECK_FALSE(robot.shows(kWhy));
  robot.right_click("focus.weights.h2");
  CHECK_FALSE(robot.shows("picture.why_score"));
}
