// The centre: related cells, the strip's texts, and the effects of pointing and clicking.
#include "tests/ui/support/centre.h"

#include "app/ui/picture/linked_cells.h"
#include "engine/layer/stage_formula.h"
#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::CentrePanel;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;

namespace {

struct StagesPanel : CentrePanel {
  explicit StagesPanel(const std::string& lesson, ImVec2 size = {1240, 800})
      : CentrePanel(lesson_session(lesson), size) {}
  // The middle of a cell in a picture of 6 x `columns` cells.
  ImVec2 cell(const std::string& picture, int row, int column, int columns = 6) {
    const Rect r = rect(picture);
    return {static_cast<float>(r.x + r.width * (column + 0.5) / columns),
            static_cast<float>(r.y + r.height * (row + 0.5) / 6)};
  }
};

const Layer& two_heads() {
  static const Layer kModel = [] {
    Layer layer = lesson_session("20-two-heads").layer;
    layer.attention.d_out = 4;  // two dimensions per head
    return layer;
  }();
  return kModel;
}

}  // namespace

TEST_CASE("linked cells: a pair of query and key is one cell of every token by token stage") {
  const CellAddress pair = {Stage::Weights, 0, 1, 2, 4};
  for (const Stage stage : {Stage::Scores, Stage::Scaled, Stage::Masked, Stage::Dropped})
    CHECK(linked_cells(pair, stage, 0, 1, two_heads()) == LinkedCells{2, 4});
  CHECK(linked_cells(pair, Stage::Queries, 0, 1, two_heads()) == LinkedCells{2, -1});
  CHECK(linked_cells(pair, Stage::Keys, 0, 1, two_heads()) == LinkedCells{4, -1});
  CHECK(linked_cells(pair, Stage::Values, 0, 1, two_heads()) == LinkedCells{4, -1});
  CHECK(linked_cells(pair, Stage::Context, 0, 1, two_heads()) == LinkedCells{2, -1});
  CHECK(linked_cells(pair, Stage::Output, 0, 0, two_heads()) == LinkedCells{2, -1});
}

TEST_CASE("linked cells: another head or sequence has none") {
  const CellAddress pair = {Stage::Weights, 0, 1, 2, 4};
  CHECK_FALSE(linked_cells(pair, Stage::Scores, 0, 0, two_heads()));
  CHECK_FALSE(linked_cells(pair, Stage::Scores, 1, 1, two_heads()));
}

TEST_CASE("linked cells: a key is a column of the scores, a query a row") {
  CHECK(linked_cells({Stage::Keys, 0, 0, 3, 1}, Stage::Weights, 0, 0, two_heads()) == LinkedCells{-1, 3});
  CHECK(linked_cells({Stage::Queries, 0, 0, 3, 1}, Stage::Weights, 0, 0, two_heads()) == LinkedCells{3, -1});
  CHECK(linked_cells({Stage::Queries, 0, 0, 3, 1}, Stage::Queries, 0, 0, two_heads()) == LinkedCells{3, 1});
}

TEST_CASE("linked cells: a column of the joined context is one of its head's") {
  CHECK(linked_cells({Stage::Context, 0, 1, 3, 0}, Stage::Concat, 0, 0, two_heads()) == LinkedCells{3, 2});
  CHECK(linked_cells({Stage::Concat, 0, 0, 3, 2}, Stage::Context, 0, 1, two_heads()) == LinkedCells{3, 0});
  CHECK_FALSE(linked_cells({Stage::Concat, 0, 0, 3, 2}, Stage::Context, 0, 0, two_heads()));
}

TEST_CASE("stages: heads are arranged so that their pictures are largest") {
  CHECK(best_columns(1, 600, 200, 8, 1) == 1);
  CHECK(best_columns(2, 600, 200, 8, 1) == 2);
  CHECK(best_columns(2, 200, 600, 8, 1) == 1);
  CHECK(best_columns(8, 600, 300, 8, 1) == 4);
  CHECK(best_columns(12, 900, 900, 8, 1) == 3);
  CHECK(best_columns(12, 490, 270, 12, 1) == 4);
  CHECK(best_columns(12, 490, 270, 12, 1, 40) == 6);
  CHECK(best_columns(12, 566, 430, 12, 1, 40) == 4);
  CHECK(best_columns(12, 566, 250, 12, 1, 60, 30) == 6);
  CHECK(best_columns(12, 566, 430, 12, 1, 60, 30) == 4);
}

TEST_CASE("stages: formulas and shapes follow the settings") {
  Layer layer = lesson_session("20-two-heads").layer;
  CHECK(stage_shape_text(layer, Stage::Weights) == "2 × 6 × 6");
  CHECK(stage_shape_text(layer, Stage::Output) == "6 × 2");
  CHECK(stage_formula(layer, Stage::Queries) == "Q = X W_qᵀ");
  CHECK(stage_formula(layer, Stage::Output) == "Z W_oᵀ + b_o");
  layer.attention.qkv_bias = true;
  CHECK(stage_formula(layer, Stage::Keys) == "K = X W_kᵀ + b_k");
  layer.attention.projection = Projection::None;
  CHECK(stage_formula(layer, Stage::Values) == "V = X");
  layer.attention.scale = {ScaleKind::Number, 0.25};
  CHECK(stage_formula(layer, Stage::Scaled) == "ω × 0.25");
  layer.attention.dropout.probability = 0.5;
  CHECK(stage_formula(layer, Stage::Dropped) == "0 or α × 2");
  layer.attention.dropout.training = false;
  CHECK(stage_formula(layer, Stage::Dropped) == "evaluation: α");
}

TEST_CASE("stages: every stage has its place in the strip, and every head a picture") {
  StagesPanel panel("22-two-heads-with-dropout");
  for (const Stage stage : stages_in_use(panel.fixture.layer())) {
    const StageInfo& info = stage_info(stage);
    const std::string name = "stage." + std::string(info.name);
    INFO(name);
    CHECK(panel.robot().shows(name));
    CHECK(panel.robot().shows(name + ".h0"));
    CHECK(panel.robot().shows(name + ".h1") == info.per_head);
  }
  CHECK(panel.robot().value("stage.weights.h1") == "6 x 6");
}

TEST_CASE("stages: the pictures of the heads stand on one line and have cells of one size") {
  StagesPanel panel("20-two-heads");
  const Rect first = panel.robot().widget("focus.weights.h0").rect;
  const Rect second = panel.robot().widget("focus.weights.h1").rect;
  CHECK(first.y == second.y);
  CHECK(first.width == second.width);
  CHECK(first.height == second.height);
}

TEST_CASE("stages: pointing at a cell names it, leaving it forgets it") {
  StagesPanel panel("16-causal-mask");
  panel.robot().move_to(panel.cell("focus.weights.h0", 4, 1));
  panel.robot().frames(2);
  REQUIRE(panel.fixture.view().selection.hovered.now);
  CHECK(*panel.fixture.view().selection.hovered.now == CellAddress{Stage::Weights, 0, 0, 4, 1});
  const Rect picture = panel.robot().widget("focus.weights.h0").rect;
  panel.robot().move_to({static_cast<float>(picture.x) - 2, static_cast<float>(picture.y) - 2});
  panel.robot().frames(2);
  panel.fixture.view().selection.hovered.now.reset();  // as the workbench does before each frame
  panel.robot().frames(2);
  CHECK_FALSE(panel.fixture.view().selection.hovered.now);
}

TEST_CASE("stages: a click keeps the cell and brings its stage to the large picture") {
  StagesPanel panel("16-causal-mask");
  panel.robot().click_at(panel.cell("stage.scores.h0", 5, 2));
  panel.robot().frames(2);
  REQUIRE(panel.fixture.view().selection.cell);
  CHECK(*panel.fixture.view().selection.cell == CellAddress{Stage::Scores, 0, 0, 5, 2});
  CHECK(panel.fixture.view().focused_stage == Stage::Scores);
  CHECK(panel.robot().shows("focus.scores.h0"));
}

TEST_CASE("stages: one opens to full size and Escape goes back") {
  StagesPanel panel("16-causal-mask");
  panel.robot().click("stage.context.menu");
  panel.robot().click("stage.context.open");
  panel.robot().frames(2);
  CHECK(panel.fixture.view().opened_stage == Stage::Context);
  CHECK_FALSE(panel.robot().shows("stage.context.h0"));
  CHECK(panel.robot().shows("focus.context.h0"));
  panel.robot().key(Key::Escape);
  panel.robot().frames(2);
  CHECK_FALSE(panel.fixture.view().opened_stage);
}

TEST_CASE("stages: one head alone, or all of them") {
  StagesPanel panel("20-two-heads");
  panel.robot().click("stages.heads");
  panel.robot().click("stages.heads.1");
  panel.robot().frames(2);
  CHECK_FALSE(panel.robot().shows("focus.weights.h0"));
  CHECK(panel.robot().shows("focus.weights.h1"));
}

TEST_CASE("stages: all heads in one picture, whose cells lead to the head with the most there") {
  StagesPanel panel("20-two-heads");
  panel.robot().click("stages.heads");
  panel.robot().click("stages.heads.mean");
  panel.robot().frames(3);
  CHECK_FALSE(panel.robot().shows("focus.weights.h0"));
  REQUIRE(panel.robot().shows("focus.weights.together"));
  panel.robot().hover("focus.weights.together");
  panel.robot().frames(3);
  CHECK_THAT(panel.fixture.view().selection.note, ContainsSubstring("of all heads; head"));
  panel.robot().click("focus.weights.together");
  panel.robot().frames(2);
  REQUIRE(panel.fixture.view().selection.cell);
  const CellAddress cell = *panel.fixture.view().selection.cell;
  const Evaluator evaluator = evaluate(panel.fixture.document().session().layer);
  for (Index head = 0; head < 2; ++head)
    CHECK(evaluator.matrix(Stage::Weights, 0, cell.head)(cell.row, cell.column) >=
          evaluator.matrix(Stage::Weights, 0, head)(cell.row, cell.column));
  panel.robot().click("stages.heads");
  panel.robot().click("stages.heads.1");
  panel.robot().frames(2);
  CHECK_FALSE(panel.robot().shows("focus.weights.together"));
}

TEST_CASE("stages: weights are shown times the length of what their values add") {
  StagesPanel panel("20-two-heads");
  panel.robot().click("stages.heads");
  panel.robot().click("stages.heads.1");
  panel.robot().click("focus.by_value");
  panel.robot().frames(3);
  CHECK(panel.fixture.view().picture.by_value);
  panel.robot().hover("focus.weights.h1");
  panel.robot().frames(3);
  REQUIRE(panel.fixture.view().selection.hovered.now);
  const CellAddress cell = *panel.fixture.view().selection.hovered.now;
  const Evaluator evaluator = evaluate(panel.fixture.document().session().layer);
  const float product = evaluator.value_weighted(Stage::Weights, 0, 1)(cell.row, cell.column);
  CHECK_THAT(panel.fixture.view().selection.note,
             ContainsSubstring(number_text(product, 4) + ": the weight times"));
  panel.robot().click("focus.by_value");
  panel.robot().frames(3);
  CHECK_FALSE(panel.fixture.view().picture.by_value);
}

TEST_CASE("stages: weights are shown without the first key, and the cell under the pointer says so") {
  StagesPanel panel("20-two-heads");
  panel.robot().click("stages.heads");
  panel.robot().click("stages.heads.1");
  panel.fixture.view().picture.without_first = true;
  panel.robot().frames(3);
  panel.robot().hover("focus.weights.h1");
  panel.robot().frames(3);
  REQUIRE(panel.fixture.view().selection.hovered.now);
  const CellAddress cell = *panel.fixture.view().selection.hovered.now;
  const Evaluator evaluator = evaluate(panel.fixture.document().session().layer);
  const float share = evaluator.without_first(Stage::Weights, 0, 1)(cell.row, cell.column);
  CHECK_THAT(panel.fixture.view().selection.note,
             ContainsSubstring(number_text(share, 4) + ": the weight's share"));
  panel.robot().click("focus.by_value");
  panel.robot().frames(3);
  CHECK_FALSE(panel.fixture.view().picture.without_first);
}

TEST_CASE("stages: export asks for the stage that the menu belongs to") {
  StagesPanel panel("16-causal-mask");
  panel.robot().click("stage.masked.menu");
  panel.robot().click("stage.masked.export");
  REQUIRE(panel.fixture.actions().size() == 1);
  CHECK(panel.fixture.actions().front().action == Action::ExportStage);
  CHECK(panel.fixture.actions().front().stage == Stage::Masked);
}

TEST_CASE("stages: a small window shows one stage at a time, chosen from a list") {
  StagesPanel panel("16-causal-mask", {330, 360});
  CHECK_FALSE(panel.robot().shows("stage.weights.h0"));
  panel.robot().click("strip.stage");
  panel.robot().frames(2);
  panel.robot().click("strip.stage.scores");
  panel.robot().frames(3);
  CHECK(panel.robot().shows("focus.scores.h0"));
}

TEST_CASE("stages: a click beside a picture chooses its stage as well") {
  StagesPanel panel("16-causal-mask");
  const Rect picture = panel.robot().widget("stage.masked.h0").rect;
  panel.robot().click_at({static_cast<float>(picture.x - 2), static_cast<float>(picture.y + 4)});
  CHECK(panel.fixture.view().focused_stage == Stage::Masked);
  panel.robot().click_at({static_cast<float>(panel.robot().widget("stage.scores").rect.x + 3),
                          static_cast<float>(panel.robot().widget("stage.scores.h0").rect.bottom() + 1)});
  CHECK(panel.fixture.view().focused_stage == Stage::Scores);
}
