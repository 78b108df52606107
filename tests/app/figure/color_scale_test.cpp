// The numbers at the two ends of a colour range.
#include "app/figure/color/color_scale.h"

#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

ValueStatistics numbers(float low, float high) {
  ValueStatistics shown;
  shown.range.low = low;
  shown.range.high = high;
  shown.range.finite = 100;
  return shown;
}

ValueStatistics with_spread(ValueStatistics shown, float low_2, float high_98, float least_positive) {
  shown.spread.low = shown.range.low;
  shown.spread.high = shown.range.high;
  shown.spread.percentile_2 = low_2;
  shown.spread.percentile_98 = high_98;
  shown.spread.least_positive = least_positive;
  shown.spread.count = 100;
  return shown;
}

StageColors colors(RangeKind kind, std::optional<ColormapKind> map = std::nullopt) {
  StageColors chosen;
  chosen.range = kind;
  chosen.map = map;
  return chosen;
}

}  // namespace

TEST_CASE("colour range: as usual, about zero for signed stages and from zero for weights") {
  CHECK(color_range(numbers(-1, 3), {}, Stage::Scores) == ColorRange{-3, 3});
  CHECK(color_range(numbers(0.1f, 0.5f), {}, Stage::Weights) == ColorRange{0, 0.5});
  CHECK(color_range(numbers(0, 0), picture_colors({}, Stage::Concat, numbers(0, 0).range), Stage::Concat) ==
        ColorRange{0, 1});
  CHECK(colormap_of({}, Stage::Scores) == ColormapKind::PurpleGreen);
  CHECK(colormap_of({}, Stage::Dropped) == ColormapKind::BlueGreen);
}

TEST_CASE("the window's own maps: green where a signed stage has nothing below zero, else purple to green") {
  const auto map_of = [](Stage stage, float low, float high, StageColors chosen = {}) {
    return colormap_of(picture_colors(chosen, stage, numbers(low, high).range), stage);
  };
  CHECK(map_of(Stage::Scores, -1, 3) == ColormapKind::PurpleGreen);
  CHECK(map_of(Stage::Scores, 0, 3) == ColormapKind::Green);
  CHECK(map_of(Stage::Weights, 0, 1) == ColormapKind::BlueGreen);
  CHECK(map_of(Stage::Scores, 0, 3, colors(RangeKind::Whole, ColormapKind::Magma)) == ColormapKind::Magma);
  CHECK(colormap_of(picture_colors({}, Stage::Scores, {}), Stage::Scores) == ColormapKind::PurpleGreen);
  const ValueStatistics positive = numbers(2, 3);  // from the smallest number to the largest
  CHECK(color_range(positive, picture_colors({}, Stage::Scores, positive.range), Stage::Scores) ==
        ColorRange{2, 3});
}

TEST_CASE("colour range: robust, and what lies beyond it is told") {
  const ValueStatistics shown = with_spread(numbers(-9, 50), -0.5f, 2, 0.01f);
  const ColorRange about_zero = color_range(shown, colors(RangeKind::Robust), Stage::Scores);
  CHECK(about_zero == ColorRange{-2, 2, false, true, true, true});
  const ColorRange sequential =
      color_range(shown, colors(RangeKind::Robust, ColormapKind::Magma), Stage::Scores);
  CHECK(sequential == ColorRange{-0.5, 2, false, true, true, true});
  CHECK_FALSE(color_range(shown, colors(RangeKind::Symmetric), Stage::Scores).above);
}

TEST_CASE("colour range: symmetric with a sequential map too") {
  const ColorRange range =
      color_range(numbers(-1, 3), colors(RangeKind::Symmetric, ColormapKind::Grey), Stage::Scores);
  CHECK(range == ColorRange{-3, 3});
}

TEST_CASE("colour range: by hand it is what was typed") {
  StageColors chosen = colors(RangeKind::ByHand);
  chosen.low = 0.25;
  chosen.high = 0.75;
  CHECK(color_range(numbers(0, 1), chosen, Stage::Weights) ==
        ColorRange{0.25, 0.75, false, true, true, true});
  CHECK(color_range(numbers(0.3f, 0.5f), chosen, Stage::Weights) == ColorRange{0.25, 0.75});
  chosen.high = chosen.low;
  CHECK(color_range(numbers(0, 1), chosen, Stage::Weights).high > 0.25);
}

TEST_CASE("colour range: logarithmic runs over what is positive, and zero lies below") {
  const ColorRange range = color_range(with_spread(numbers(0, 0.5f), 0, 0.5f, 0.001f),
                                       colors(RangeKind::Logarithmic), Stage::Weights);
  CHECK(range.logarithmic);
  CHECK_THAT(range.low, WithinRel(0.001, 1e-6));
  CHECK(range.high == 0.5);
  CHECK(range.below);
  CHECK(range.share(0) < 0);
  CHECK(range.share(-1) < 0);
  CHECK_THAT(range.share(range.low), WithinAbs(0, 1e-12));
  CHECK_THAT(range.share(0.5), WithinAbs(1, 1e-12));
  CHECK_THAT(range.share(std::sqrt(range.low * 0.5)), WithinAbs(0.5, 1e-12));
  CHECK_THAT(range.at(range.share(0.02)), WithinRel(0.02, 1e-12));
  // At most six decades, so that one tiny number does not use up the colour range.
  const ColorRange wide =
      color_range(with_spread(numbers(0, 1), 0, 1, 1e-30f), colors(RangeKind::Logarithmic), Stage::Weights);
  CHECK_THAT(wide.low, WithinRel(1e-6, 1e-6));
  CHECK(wide.below);
  CHECK_FALSE(range_allowed(RangeKind::Logarithmic, Stage::Scores));
  CHECK(range_allowed(RangeKind::Logarithmic, Stage::Dropped));
}

TEST_CASE("colour range: every choice has a width, whatever the numbers") {
  Dice dice(31);
  for (int round = 0; round < 120; ++round) {
    const Evaluator evaluator = evaluate(random_layer(dice));
    const Stage stage = dice.pick(stages_in_use(evaluator.layer()));
    StageColors chosen = colors(static_cast<RangeKind>(dice.below(kRangeKindCount)));
    if (dice.chance(0.5)) chosen.map = static_cast<ColormapKind>(dice.below(kColormapCount));
    chosen.without_first = dice.chance(0.5);
    chosen.low = dice.real(-1, 1);
    chosen.high = dice.real(-1, 1);
    TileRequest request;
    request.stage = stage;
    request_spread(request, chosen);
    const Tile tile = evaluator.tile(request);
    const ColorRange range = color_range(statistics_of(tile), chosen, stage);
    INFO("stage " << stage_info(stage).name << ", kind " << static_cast<int>(chosen.range));
    CHECK(range.high > range.low);
    CHECK((std::isfinite(range.low) && std::isfinite(range.high)));
    if (range.logarithmic) CHECK(range.low > 0);
    if (tile.range.empty()) continue;
    CHECK(range.below == (tile.range.low < range.low));
    CHECK(range.above == (tile.range.high > range.high));
  }
}

TEST_CASE(
    "colour range: leaving the first token out is asked of the engine, for token by token stages only") {
  StageColors chosen;
  TileRequest request;
  request_spread(request, chosen);
  CHECK_FALSE(request.spread);
  chosen.without_first = true;
  request_spread(request, chosen);
  CHECK(request.spread);
  CHECK(request.spread_begin == 1);
  request.stage = Stage::Embeddings;
  request_spread(request, chosen);
  CHECK_FALSE(request.spread);
  CHECK(request.spread_begin == 0);

  Layer layer;
  layer.tokens = {"sink", "b", "c"};
  layer.embeddings = {Matrix::Identity(3, 3)};
  layer.embeddings[0](0, 0) = 4;
  layer.embeddings[0](1, 0) = layer.embeddings[0](2, 0) = 1;
  layer.attention.d_out = 3;
  request.stage = Stage::Weights;
  request_spread(request, chosen);
  const Tile tile = evaluate(layer).tile(request);
  const Matrix& weights = tile.values;
  const double largest = weights.rightCols(2).maxCoeff();
  REQUIRE(weights(0, 0) > largest);
  const ColorRange range = color_range(statistics_of(tile), chosen, Stage::Weights);
  CHECK(range.high == largest);
  CHECK(range.above);
}

TEST_CASE("colour range: heads that share one have the widest of them") {
  ValueStatistics both = joined(with_spread(numbers(0, 1), 0.1f, 0.8f, 0.01f),
                                with_spread(numbers(-2, 0.5f), 0.05f, 0.4f, 0.002f));
  CHECK(both.range.low == -2);
  CHECK(both.range.high == 1);
  CHECK(both.spread.percentile_2 == 0.05f);
  CHECK(both.spread.percentile_98 == 0.8f);
  CHECK(both.spread.least_positive == 0.002f);
  both = joined(ValueStatistics{}, numbers(1, 2));
  CHECK(both.range.low == 1);
}

TEST_CASE("automatic range: of up to 16 keys it is 0 to 100 %, whatever the weights are") {
  const StageColors chosen = first_window_colors(Stage::Weights);
  CHECK(chosen.range == RangeKind::Automatic);
  headlight_test::Dice dice(7);
  for (int i = 0; i < 500; ++i) {
    const float high = std::pow(10.0f, static_cast<float>(dice.real(-40, 0)));
    ValueStatistics shown = with_spread(numbers(0, high), 0, high / 2, high / 10);
    shown.columns = 1 + dice.below(kMostLinear);
    INFO(high);
    CHECK(color_range(shown, chosen, Stage::Weights) == ColorRange{0, 1});
    shown.range.high = 1 + high;  // after dropout
    const ColorRange dropped = color_range(shown, chosen, Stage::Dropped);
    CHECK(dropped.high == double{shown.range.high});
    CHECK_FALSE(dropped.above);
    shown.range.high = high;
    shown.by_value = true;
    CHECK(color_range(shown, chosen, Stage::Weights).high == double{high});
  }
}

TEST_CASE("automatic range: of many keys it is logarithmic and does not depend on the small numbers") {
  const StageColors chosen = first_window_colors(Stage::Weights);
  for (const Index keys : {17, 40, 512, 2048, 100000}) {
    ValueStatistics shown = numbers(0, 1);
    shown.columns = keys;
    const ColorRange range = color_range(shown, chosen, Stage::Weights);
    CHECK(range.logarithmic);
    CHECK(range.high == 1);
    CHECK(range.low >= 1e-6);
    CHECK(range.share(1.0 / static_cast<double>(keys)) > 0.15);  // an equal share is seen
    shown.range.low = 1e-4f;
    CHECK(color_range(shown, chosen, Stage::Weights).low == range.low);
  }
}

TEST_CASE("automatic range: signed stages have their whole range, and no numbers are no fault") {
  CHECK(first_window_colors(Stage::Scores) == StageColors{});
  CHECK(color_range(ValueStatistics{}, first_window_colors(Stage::Weights), Stage::Weights) ==
        ColorRange{0, 1});
  CHECK_FALSE(range_allowed(RangeKind::Automatic, Stage::Scores));
}

TEST_CASE("colour range: a chosen range marks what it leaves out, and its own ends are within it") {
  StageColors chosen = colors(RangeKind::ByHand);
  chosen.low = 0.1;  // no float32 is 0.1: the nearest one is above it
  chosen.high = 0.7;
  CHECK_FALSE(color_range(numbers(0.1f, 0.7f), chosen, Stage::Weights).marked);
  CHECK(color_range(numbers(0.1f, 0.8f), chosen, Stage::Weights).marked);
  CHECK(color_range(numbers(0, 0.5f), chosen, Stage::Weights).marked);
  ValueStatistics without_first = with_spread(numbers(0, 1), 0, 0.3f, 0.01f);
  StageColors whole = colors(RangeKind::Whole);
  CHECK_FALSE(color_range(without_first, whole, Stage::Weights).marked);
  whole.without_first = true;
  without_first.spread.high = 0.3f;  // of the other columns
  CHECK(color_range(without_first, whole, Stage::Weights).marked);
  for (const RangeKind kind : {RangeKind::Automatic, RangeKind::Logarithmic})
    CHECK_FALSE(color_range(without_first, colors(kind), Stage::Weights).marked);
}
