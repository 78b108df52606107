// Comparison of two models: tiles of B - A and the largest changes, against plain loops.
#include "engine/attention/difference.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A model of the same shape with other numbers and often other settings.
Layer changed(Dice& dice, const Layer& layer) {
  Layer other = layer;
  for (Matrix& sequence : other.embeddings)
    for (Index i = 0; i < sequence.size(); ++i)
      if (dice.chance(0.3)) sequence.data()[i] = static_cast<float>(dice.real(-1.5, 1.5));
  if (dice.chance(0.7)) randomize_settings(dice, other);
  return other;
}

struct PlainCell {
  float before = 0, after = 0, difference = 0;
  CellMark mark = CellMark::None;
  bool infinite_by_mask = false;
};

PlainCell plain_cell(const Evaluator& a, const Evaluator& b, const TileRequest& r, Index row, Index column) {
  PlainCell cell;
  cell.before = a.matrix(r.stage, r.sequence, r.head)(row, column);
  cell.after = b.matrix(r.stage, r.sequence, r.head)(row, column);
  const CellMark before = a.mark(r.stage, r.sequence, r.head, row, column);
  const CellMark after = b.mark(r.stage, r.sequence, r.head, row, column);
  cell.difference = cell.after - cell.before;
  if (before == after && before != CellMark::None) {
    cell.mark = before;
    cell.difference = 0;
  } else if (before == CellMark::Masked) {
    cell.mark = CellMark::Appeared;
  } else if (after == CellMark::Masked) {
    cell.mark = CellMark::Vanished;
  }
  cell.infinite_by_mask =
      (cell.mark == CellMark::Appeared || cell.mark == CellMark::Vanished) && !std::isfinite(cell.difference);
  return cell;
}

bool same_float(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE("difference: every cell of every stage on random models, as plain loops have it") {
  Dice dice(71);
  for (int round = 0; round < 120; ++round) {
    const Layer first = random_layer(dice);
    const Evaluator a = evaluate(first), b = evaluate(changed(dice, first));
    TileRequest request;
    request.stage = dice.pick(stages_in_use(first));
    request.sequence = dice.below(first.sequence_count());
    request.head = dice.below(stage_heads(first, request.stage));
    request.content = TileContent::Difference;
    const Tile tile = difference_tile(a, b, request);
    REQUIRE(tile.request.content == TileContent::Difference);
    Index appeared = 0, vanished = 0;
    for (Index r = 0; r < tile.total_rows; ++r)
      for (Index c = 0; c < tile.total_columns; ++c) {
        const PlainCell cell = plain_cell(a, b, request, r, c);
        REQUIRE(tile.mark(r, c) == cell.mark);
        REQUIRE(same_float(tile.values(r, c), cell.difference));
        appeared += cell.mark == CellMark::Appeared;
        vanished += cell.mark == CellMark::Vanished;
      }
    CHECK(tile.range.appeared == appeared);
    CHECK(tile.range.vanished == vanished);
    if (!tile.range.empty()) CHECK((std::isfinite(tile.range.low) && std::isfinite(tile.range.high)));
  }
}

TEST_CASE(
    "difference: what is masked in both is masked, in one appeared or vanished, never infinite in the "
    "range") {
  Dice dice(72);
  Layer layer = random_layer(dice);
  while (layer.token_count() < 4)
    layer = random_layer(dice);
  layer.attention.mask = MaskKind::None;
  Layer causal = layer;
  causal.attention.mask = MaskKind::Causal;
  const Evaluator open = evaluate(layer), closed = evaluate(causal);
  TileRequest request;
  request.stage = Stage::Masked;
  const Tile closing = difference_tile(open, closed, request),
             opening = difference_tile(closed, open, request);
  CHECK(closing.mark(0, 1) == CellMark::Vanished);
  CHECK(opening.mark(0, 1) == CellMark::Appeared);
  CHECK(closing.mark(1, 0) == CellMark::None);
  CHECK(closing.range.infinite == 0);
  CHECK(closing.range.low == 0.0f);
  CHECK(closing.range.high == 0.0f);
  CHECK(difference_tile(closed, closed, request).mark(0, 1) == CellMark::Masked);

  const ChangeList changes = largest_changes(open, closed, {Stage::Masked, 0, 0, 10});
  CHECK(changes.largest.empty());
  CHECK(changes.vanished == layer.token_count() * (layer.token_count() - 1) / 2);
  // A masked weight becomes 0, which is a finite number.
  if (layer.attention.normalization == Normalization::Softmax)
    CHECK(!largest_changes(open, closed, {Stage::Weights, 0, 0, 10}).largest.empty());
}

TEST_CASE("difference: pooling keeps the largest of a block, by its size") {
  Dice dice(73);
  for (int round = 0; round < 40; ++round) {
    const Layer first = random_layer(dice);
    const Evaluator a = evaluate(first), b = evaluate(changed(dice, first));
    TileRequest request;
    request.stage = dice.pick<Stage>({Stage::Scores, Stage::Masked, Stage::Weights, Stage::Output});
    request.max_rows = request.max_columns = 1;
    const Tile one = difference_tile(a, b, request);
    float largest = 0;
    bool any = false, nan = false;
    const Matrix& whole = b.matrix(request.stage, 0, 0);
    for (Index r = 0; r < whole.rows(); ++r)
      for (Index c = 0; c < whole.cols(); ++c) {
        const PlainCell cell = plain_cell(a, b, request, r, c);
        if (cell.mark == CellMark::Masked || cell.infinite_by_mask) continue;
        any = true;
        nan |= std::isnan(cell.difference);
        if (std::abs(cell.difference) > std::abs(largest)) largest = cell.difference;
      }
    if (!any) continue;
    CHECK(same_float(std::abs(one.values(0, 0)), nan ? NAN : std::abs(largest)));
  }
}

TEST_CASE("difference: the largest changes are those of sorting all of them") {
  Dice dice(74);
  for (int round = 0; round < 120; ++round) {
    const Layer first = random_layer(dice);
    const Evaluator a = evaluate(first), b = evaluate(changed(dice, first));
    ChangesRequest request;
    request.stage = dice.pick(stages_in_use(first));
    request.head = dice.below(stage_heads(first, request.stage));
    request.count = dice.below(12);
    const ChangeList list = largest_changes(a, b, request);

    TileRequest place;
    place.stage = request.stage;
    place.head = request.head;
    std::vector<CellChange> all;
    Index not_finite = 0;
    const Matrix& whole = b.matrix(request.stage, 0, request.head);
    for (Index r = 0; r < whole.rows(); ++r)
      for (Index c = 0; c < whole.cols(); ++c) {
        const PlainCell cell = plain_cell(a, b, place, r, c);
        if (cell.mark == CellMark::Masked || cell.infinite_by_mask || cell.difference == 0) continue;
        if (std::isfinite(cell.difference))
          all.push_back({r, c, cell.before, cell.after, cell.mark});
        else
          ++not_finite;
      }
    std::stable_sort(all.begin(), all.end(), [](const CellChange& x, const CellChange& y) {
      return std::abs(x.difference()) > std::abs(y.difference());
    });
    CHECK(list.changed == static_cast<Index>(all.size()));
    CHECK(list.not_finite == not_finite);
    REQUIRE(list.largest.size() == std::min(all.size(), static_cast<std::size_t>(request.count)));
    for (std::size_t i = 0; i < list.largest.size(); ++i) {
      CHECK(list.largest[i].row == all[i].row);
      CHECK(list.largest[i].column == all[i].column);
      CHECK(list.largest[i].difference() == all[i].difference());
      CHECK(list.largest[i].mark == all[i].mark);
    }
  }
}

TEST_CASE("difference: a list is bounded however much is asked for") {
  Dice dice(75);
  Layer layer;
  layer.tokens.assign(20, "t");
  layer.embeddings = {dice.matrix(20, 3)};
  layer.attention.d_out = 3;
  Layer other = layer;
  other.embeddings = {dice.matrix(20, 3)};
  const ChangeList list = largest_changes(evaluate(layer), evaluate(other), {Stage::Scores, 0, 0, 1000});
  CHECK(list.largest.size() == static_cast<std::size_t>(kMostChanges));
  CHECK(list.changed == 400);
}

TEST_CASE("difference: what cannot be subtracted says why, and what can is not kept from it") {
  Dice dice(76);
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {dice.matrix(3, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  draw_weights(layer, {});
  Layer longer = layer, wider = layer, more_heads = layer;
  insert_token(longer, 1, "new", false);
  set_d_out(wider, 6);
  set_num_heads(more_heads, 4);
  CHECK(shape_difference(layer, longer, Stage::Weights) == "A has 3 tokens, B has 4");
  CHECK(shape_difference(layer, wider, Stage::Context) == "A has 2 columns, B has 3");
  CHECK(shape_difference(layer, wider, Stage::Weights).empty());
  CHECK(shape_difference(layer, more_heads, Stage::Weights) == "A has 2 heads, B has 4");
  CHECK(shape_difference(layer, more_heads, Stage::Output).empty());
  const Evaluator a = evaluate(layer), b = evaluate(longer);
  CHECK_THROWS_AS(difference_tile(a, b, {}), Error);
  CHECK_THROWS_AS(largest_changes(a, b, {}), Error);
  CHECK_NOTHROW(reference_tile(a, {}));
  TileRequest missing;
  missing.head = 7;
  CHECK_THROWS_AS(reference_tile(a, missing), Error);
}
