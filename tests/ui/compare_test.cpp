// The stored state A beside the current state B: pictures, the largest changes, and restoring A.
#include "app/ui/views/compare_view.h"

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/stages_panel.h"
#include "engine/attention/difference.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/ui/support/centre.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ComparePanel {
  StagesPanelState state;
  PanelFixture fixture;

  explicit ComparePanel(const std::string& lesson = "20-two-heads", ImVec2 size = {760, 760})
      : fixture(
            lesson_session(lesson), [this](UiContext& ui) { stages_panel(ui, state); }, size) {
    fixture.view().focus_view = FocusView::Compare;
    robot().frames(4);
  }
  PanelRobot& robot() { return fixture.robot(); }
  void keep() {
    robot().click("compare.keep");
    robot().frames(3);
  }
  void draw_with_seed(std::int64_t seed) {
    WeightRecipe recipe = *fixture.layer().weights.recipe;
    recipe.seed = seed;
    fixture.document().run(DrawWeights{recipe});
    robot().frames(4);
  }
  std::shared_ptr<const Tile> tile(TileContent content, Index head = 0) {
    for (const auto& tile : fixture.answer()->tiles)
      if (tile && tile->request.content == content && tile->request.head == head &&
          tile->request.stage == fixture.view().focused_stage)
        return tile;
    return nullptr;
  }
};

}  // namespace

TEST_CASE("compare: without an A it says what it is for and keeps one") {
  ComparePanel panel;
  CHECK(panel.robot().shows("compare.invitation"));
  CHECK_FALSE(panel.robot().shows("compare.b.h0"));
  panel.keep();
  CHECK_FALSE(panel.robot().shows("compare.invitation"));
  CHECK(panel.robot().value("compare.a.h0") == "6 x 6");
  CHECK(panel.robot().value("compare.what").find("Nothing differs yet") == 0);
  CHECK_FALSE(panel.robot().shows("compare.change.0"));
}

TEST_CASE("compare: another seed, with the largest changes by their tokens' names") {
  ComparePanel panel("16-causal-mask");
  const Evaluator before = evaluate(panel.fixture.layer());
  panel.keep();
  panel.draw_with_seed(42);
  const Evaluator after = evaluate(panel.fixture.layer());
  CHECK(panel.robot().value("compare.what") ==
        "seed " + std::to_string(before.layer().weights.recipe->seed) + " → 42");
  for (const char* name : {"compare.a.h0", "compare.b.h0", "compare.difference.h0"})
    CHECK(panel.robot().value(name) == "6 x 6");
  REQUIRE(panel.tile(TileContent::Reference));
  CHECK(same_bits(panel.tile(TileContent::Reference)->values, before.matrix(Stage::Weights, 0, 0)));

  const ChangeList expected = largest_changes(before, after, {Stage::Weights, 0, 0, 3});
  REQUIRE(expected.largest.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(panel.robot().value("compare.change." + std::to_string(i)) ==
          change_text(after.layer(), Stage::Weights, expected.largest[i], 4, {}));
  CHECK(panel.robot().value("compare.summary.h0") == std::to_string(expected.changed) + " of 36 changed");
}

TEST_CASE("compare: weights times the length of what their values add, of both states") {
  ComparePanel panel("20-two-heads");
  const Evaluator before = evaluate(panel.fixture.layer());
  panel.keep();
  panel.draw_with_seed(42);
  const Evaluator after = evaluate(panel.fixture.layer());
  panel.robot().click("focus.by_value");
  panel.robot().frames(4);
  const Matrix a = before.value_weighted(Stage::Weights, 0, 0),
               b = after.value_weighted(Stage::Weights, 0, 0);
  REQUIRE(panel.tile(TileContent::ValueWeightedReference));
  CHECK(same_bits(panel.tile(TileContent::ValueWeightedReference)->values, a));
  REQUIRE(panel.tile(TileContent::ValueWeighted));
  CHECK(same_bits(panel.tile(TileContent::ValueWeighted)->values, b));
  REQUIRE(panel.tile(TileContent::ValueWeightedDifference));
  CHECK(same_bits(panel.tile(TileContent::ValueWeightedDifference)->values, b - a));
  ChangesRequest request = {Stage::Weights, 0, 0, 1};
  request.by_value = true;
  const ChangeList expected = largest_changes(before, after, request);
  CHECK(panel.robot().value("compare.change.0") ==
        change_text(after.layer(), Stage::Weights, expected.largest[0], 4, {}));
  CHECK(panel.state.cache.entry("compare.a.h0").range == panel.state.cache.entry("compare.b.h0").range);
}

TEST_CASE("compare: the weights of a kept text too long for the memory are not multiplied") {
  StagesPanelState state;
  bool mapped = false, offered = false;
  PanelFixture fixture(lesson_session("20-two-heads"),
                       [&](UiContext& ui) {
                         stages_panel(ui, state);
                         if (!ui.answer) return;
                         ViewResult answer = *ui.answer;
                         if (mapped) answer.reference_storage = StorageKind::Map;
                         const ViewResult* const told = std::exchange(ui.answer, &answer);
                         offered = can_weigh_by_value(ui, Stage::Weights);
                         ui.answer = told;
                       },
                       {760, 760});
  fixture.view().focus_view = FocusView::Compare;
  fixture.robot().frames(4);
  fixture.robot().click("compare.keep");
  fixture.view().picture.by_value = true;
  fixture.robot().frames(4);
  CHECK(offered);
  mapped = true;
  fixture.robot().frames(4);
  CHECK_FALSE(offered);
}

TEST_CASE("compare: a change reads as the tokens, the two numbers and how far") {
  const Layer layer = lesson_session("16-causal-mask").layer;
  CHECK(change_text(layer, Stage::Weights, {1, 5, 0.2408f, 0.1077f, CellMark::None}, 4, {0}) ==
        "journey (1) → step (5): 0.2408 → 0.1077, \u22120.1331");
  CHECK(change_text(layer, Stage::Context, {2, 1, 0.25f, 0.5f, CellMark::None}, 2, {1}) ==
        "starts (3), dimension 2: 0.25 → 0.50, +0.25");
}

TEST_CASE("compare: A and B have one range of colours, the difference lies about zero") {
  ComparePanel panel;
  panel.keep();
  panel.draw_with_seed(42);
  CHECK(panel.state.cache.entry("compare.a.h0").range == panel.state.cache.entry("compare.b.h0").range);
  const ColorRange moved = panel.state.cache.entry("compare.difference.h0").range;
  CHECK(moved.low == -moved.high);
  CHECK(is_diverging(panel.state.cache.entry("compare.difference.h0").map));
}

TEST_CASE(
    "compare: one stage has one range, also in the strip's pictures, and the other stages keep theirs") {
  CentrePanel panel(lesson_session("20-two-heads"), {1264, 900});
  panel.fixture.view().focus_view = FocusView::Compare;
  panel.fixture.view().focused_stage = Stage::Scores;
  panel.robot().frames(4);
  panel.robot().click("compare.keep");
  const ColorRange before = panel.state.strip.cache.entry("stage.scores.h0").range;
  const ColorRange others = panel.state.strip.cache.entry("stage.scaled.h0").range;
  WeightRecipe smaller = *panel.fixture.layer().weights.recipe;
  smaller.seed = 42;
  panel.fixture.document().run(DrawWeights{smaller});
  panel.robot().frames(60);
  const auto range_of = [&](HeatmapCache& cache, const std::string& name) { return cache.entry(name).range; };
  const ColorRange large = range_of(panel.state.stages.cache, "compare.b.h0");
  CHECK(range_of(panel.state.strip.cache, "stage.scores.h0") == large);
  CHECK(large.high >= before.high);
  CHECK(range_of(panel.state.strip.cache, "stage.scaled.h0") != others);
  panel.fixture.view().focus_view = FocusView::Heatmap;
  panel.robot().frames(60);
  CHECK(range_of(panel.state.strip.cache, "stage.scores.h0") ==
        range_of(panel.state.stages.cache, "focus.scores.h0"));
  CHECK(range_of(panel.state.strip.cache, "stage.scores.h0") != large);
}

TEST_CASE("compare: swapping goes back to A as one step of undo, and keeps what was there") {
  ComparePanel panel("16-causal-mask");
  const Layer first = panel.fixture.layer();
  panel.keep();
  panel.draw_with_seed(42);
  const Layer second = panel.fixture.layer();
  panel.robot().click("compare.restore");
  panel.robot().frames(4);
  CHECK(same_layer(panel.fixture.layer(), first));
  REQUIRE(panel.fixture.view().baseline.layer);
  CHECK(same_layer(*panel.fixture.view().baseline.layer, second));
  CHECK(panel.robot().value("compare.what").find("seed 42 → ") == 0);
  panel.fixture.document().undo();
  CHECK(same_layer(panel.fixture.layer(), second));
}

TEST_CASE("compare: A can be forgotten") {
  ComparePanel panel;
  panel.keep();
  panel.robot().click("compare.forget");
  panel.robot().frames(3);
  CHECK(panel.robot().shows("compare.invitation"));
  CHECK_FALSE(panel.fixture.view().baseline.layer);
  CHECK_FALSE(panel.fixture.answer()->requested.reference);  // the engine releases it too
}

TEST_CASE("compare: with other shapes A and B are shown, and it is said why nothing is subtracted") {
  ComparePanel panel("16-causal-mask");
  panel.keep();
  panel.fixture.document().run(InsertToken{2, "new", false});
  panel.robot().frames(4);
  CHECK(panel.robot().value("compare.missing.difference") ==
        "The kept state has 6 tokens, the present one has 7: there is nothing to subtract.");
  CHECK(panel.robot().value("compare.a.h0") == "6 x 6");
  CHECK(panel.robot().value("compare.b.h0") == "7 x 7");
  CHECK_FALSE(panel.robot().shows("compare.change.0"));
}

TEST_CASE("compare: a mask that comes says which cells are masked now") {
  ComparePanel panel("16-causal-mask");
  AttentionSettings open = panel.fixture.layer().attention;
  open.mask = MaskKind::None;
  panel.fixture.document().run(SetAttention{open});
  panel.robot().frames(2);
  panel.keep();
  panel.fixture.document().undo();
  panel.robot().frames(4);
  CHECK(panel.robot().value("compare.summary.h0") == "30 of 36 changed, 15 masked now");
  REQUIRE(panel.tile(TileContent::Difference));
  CHECK(panel.tile(TileContent::Difference)->range.vanished == 15);
  panel.fixture.view().focused_stage = Stage::Masked;
  panel.robot().frames(4);
  CHECK(panel.robot().value("compare.summary.h0") == "0 of 36 changed, 15 masked now");
}

TEST_CASE("compare: a click on a change selects its cell") {
  ComparePanel panel("16-causal-mask");
  panel.keep();
  panel.draw_with_seed(42);
  panel.robot().click("compare.change.0");
  panel.robot().frames(2);
  REQUIRE(panel.fixture.view().selection.cell);
  const ChangeList list = largest_changes(evaluate(*panel.fixture.view().baseline.layer),
                                          evaluate(panel.fixture.layer()), {Stage::Weights, 0, 0, 1});
  CHECK(panel.fixture.view().selection.cell->row == list.largest[0].row);
  CHECK(panel.fixture.view().selection.cell->column == list.largest[0].column);
}

TEST_CASE("compare: each head has its row where there is room, else the chosen one") {
  ComparePanel roomy("20-two-heads", {900, 900});
  roomy.keep();
  roomy.draw_with_seed(42);
  CHECK(roomy.robot().shows("compare.difference.h1"));
}

TEST_CASE("compare: one head where rows would be too low, the difference alone where it is narrow") {
  ComparePanel panel("20-two-heads", {460, 240});
  panel.keep();
  panel.draw_with_seed(42);
  CHECK(panel.robot().shows("compare.difference.h0"));
  CHECK_FALSE(panel.robot().shows("compare.difference.h1"));
  panel.fixture.view().head = 1;
  panel.robot().frames(4);
  CHECK(panel.robot().shows("compare.difference.h1"));
}

TEST_CASE("compare: the keys of other tokens are counted by their own rows") {
  ComparePanel panel("01-one-query-dot-products");
  Session session = lesson_session("01-one-query-dot-products");
  session.layer.key_tokens = {"k", "l", "m"};
  session.layer.key_embeddings = {session.layer.embeddings[0].topRows(3)};
  panel.fixture.document().replace(session, std::nullopt);
  panel.fixture.view().focused_stage = Stage::Keys;
  panel.robot().frames(4);
  panel.keep();
  panel.fixture.document().run(SetCells{{InputKind::KeyEmbeddings, 0}, 0, 0, Matrix::Constant(1, 1, 7.0f)});
  panel.robot().frames(4);
  CHECK(panel.robot().value("compare.summary.h0") == "1 of 9 changed");
}
