// Sequences whose scores are not stored, against stored scores.
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/support/stage_errors.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer map_model(Dice& dice, Index tokens) {
  Layer layer = softmax_model(dice, tokens);
  layer.attention.dropout = {};
  return layer;
}

// One head, long enough for a pass of several steps.
Layer causal_map_model(Dice& dice) {
  Layer layer = map_model(dice, 4800);
  layer.attention.num_heads = 1;
  layer.attention.d_out = 8;
  layer.attention.mask = MaskKind::Causal;
  layer.attention.disabled_heads.clear();
  set_random_weights(dice, layer);
  return layer;
}

}  // namespace

TEST_CASE("map: rows, context and output are those of scores that are kept") {
  Dice dice(81);
  for (const Index tokens : {1, 2, 15, 16, 17, 31, 33, 100, 700, 1055, 1056, 1057, 1100}) {
    const Layer layer = map_model(dice, tokens);
    INFO(tokens << " tokens, mask " << static_cast<int>(layer.attention.mask) << ", scale "
                << layer.scale_factor());
    const Evaluator map = evaluate(layer, StorageKind::Map), kept = evaluate(layer, StorageKind::Scores);
    REQUIRE(map.storage() == StorageKind::Map);
    check_near(map, kept, rounding_bound(kept));
  }
}

TEST_CASE("map: tiles are those of scores that are kept, from the map where cells are whole blocks") {
  Dice dice(82);
  for (int round = 0; round < 24; ++round) {
    const Index side = dice.between(1, 6), tokens = side * 128;
    const Layer layer = map_model(dice, tokens);
    const Evaluator map = evaluate(layer, StorageKind::Map), kept = evaluate(layer, StorageKind::Scores);
    for (int i = 0; i < 6; ++i) {
      TileRequest request;
      request.stage = dice.pick<Stage>(pair_stages(layer));
      request.head = dice.below(layer.head_count());
      request.pooling = dice.pick<Pooling>({Pooling::Max, Pooling::AbsMax, Pooling::Mean});
      const bool coarse = dice.chance(0.5);
      if (coarse) {  // cells of 16, 32 or 64
        request.max_rows = request.max_columns = tokens / dice.pick<Index>({16, 32, 64});
      } else {
        request.row_begin = dice.below(tokens);
        request.row_end = std::min(tokens, request.row_begin + dice.between(1, 200));
        request.column_begin = dice.below(tokens);
        request.column_end = std::min(tokens, request.column_begin + dice.between(1, 200));
        request.max_rows = dice.between(20, 300);
        request.max_columns = dice.between(20, 300);
      }
      INFO("round " << round << ", " << std::string(stage_info(request.stage).name) << ", mask "
                    << static_cast<int>(layer.attention.mask) << ", pooling "
                    << static_cast<int>(request.pooling) << (coarse ? ", coarse" : ", fine"));
      // Means of scores of both signs are small but have the rounding error of the scores.
      check_near(map.tile(request), kept.tile(request),
                 request.pooling == Pooling::Mean ? 1e-5 : rounding_bound(kept));
    }
  }
}

TEST_CASE("map: cells, rows and heads are traced as where scores are kept") {
  Dice dice(83);
  for (int round = 0; round < 10; ++round) {
    const Layer layer = map_model(dice, dice.between(2, 300));
    const Evaluator map = evaluate(layer, StorageKind::Map), kept = evaluate(layer, StorageKind::Scores);
    const Index row = dice.below(layer.token_count()), column = dice.below(layer.token_count());
    for (const Stage stage : {Stage::Scores, Stage::Masked, Stage::Weights, Stage::Context}) {
      const CellAddress cell = {stage, 0, 0, row, stage == Stage::Context ? 0 : column};
      const CellTrace a = map.trace(cell), b = kept.trace(cell);
      CHECK(a.mark == b.mark);
      CHECK((a.value == b.value || std::abs(a.value - b.value) < 1e-4f));
      CHECK(std::abs(a.chain.row_sum - b.chain.row_sum) <= 1e-4f * b.chain.row_sum);
      CHECK(a.terms.size() == b.terms.size());
    }
    const HeadSummary head = map.head({}), same = kept.head({});
    CHECK(head.rows == same.rows);
    CHECK(std::abs(head.entropy_bits - same.entropy_bits) < 1e-4f);
    CHECK(std::abs(head.mean_distance - same.mean_distance) < 1e-4f * (1 + same.mean_distance));
    CHECK(std::abs(head.first_weight - same.first_weight) < 1e-5f);
  }
}

TEST_CASE("map: a pass goes on step by step, and begins anew after an edit") {
  Dice dice(84);
  const Layer layer = causal_map_model(dice);
  Evaluator map(layer, StorageKind::Map);
  TileRequest whole;
  whole.max_rows = whole.max_columns = 20;
  int steps = 1;
  while (!map.refresh_for(0, stage_bit(Stage::Weights))) {
    CHECK(map.progress() < 1);
    CHECK(map.tile(whole).values.rows() == 20);
    if (++steps == 2) {
      CellsEdit edit;
      edit.values = Matrix::Constant(1, 1, 0.5f);
      map.apply(edit);
      CHECK(map.progress() == 1);  // no pass has begun
    }
  }
  CHECK(steps >= 3);
  const Evaluator kept = evaluate(map.layer(), StorageKind::Scores);
  check_near(map.tile(whole), kept.tile(whole), 1e-6);
  // Masked scores are mapped once they are requested.
  whole.stage = Stage::Scores;
  map.refresh();
  CHECK(map.fresh());
  TileRequest aligned = whole;
  aligned.max_rows = aligned.max_columns = 300;
  check_near(map.tile(aligned), kept.tile(aligned), 1e-6);
}

TEST_CASE("map: a pass that was begun for less goes on until all is there that is wished for now") {
  Dice dice(85);
  const Layer layer = causal_map_model(dice);
  Evaluator map(layer, StorageKind::Map);
  REQUIRE_FALSE(map.refresh_for(0, stage_bit(Stage::Weights)));
  while (!map.refresh_for(0, stage_bit(Stage::Scores))) {
  }
  TileRequest aligned;
  aligned.stage = Stage::Scores;
  aligned.max_rows = aligned.max_columns = 300;
  check_near(map.tile(aligned), evaluate(layer, StorageKind::Scores).tile(aligned), 1e-6);
}

TEST_CASE("map: it is chosen when scores of more than a gigabyte would leave little of the memory") {
  Layer layer;
  layer.tokens.assign(16'000, "a");
  layer.embeddings = {Matrix::Constant(16'000, 2, 0.5f)};
  layer.attention.projection = Projection::None;
  layer.attention.d_out = 2;
  REQUIRE(square_stages_bytes(layer) == 20.0 * 16'000 * 16'000);
  Evaluator map(layer, StorageKind::Automatic, 5e9);
  map.refresh();
  CHECK(map.storage() == StorageKind::Map);
  // A whole matrix would need as much memory again.
  CHECK_THROWS_AS(map.matrix(Stage::Weights, 0, 0), Error);
  TileRequest noise;
  noise.stage = Stage::Dropped;
  noise.content = TileContent::Noise;
  CHECK_THROWS_AS(map.tile(noise), Error);
  AttentionSettings settings = layer.attention;
  CHECK_FALSE(size_faults(layer, settings, 5e9).any());
  settings.dropout = {0.5, true, 1};
  CHECK_FALSE(size_faults(layer, settings, 5e9).any());  // scores and multipliers fit
  CHECK(size_faults(layer, settings, 2e9).any());
  settings = layer.attention;
  settings.normalization = Normalization::Sum;
  CHECK(size_faults(layer, settings, 5e9).any());
  CHECK_FALSE(size_faults(layer, settings, 6e9).any());
  CHECK(std::abs(map.row({Stage::Weights, 0, 0, 7}).values[0] - 1.0f / 16'000) < 1e-9f);
}

TEST_CASE("map: scores that turn infinite where no stages fit are mapped to the end") {
  Dice dice(86);
  Layer layer = map_model(dice, 400);
  layer.attention.mask = MaskKind::Causal;
  layer.attention.scale = {};
  const double scores = 4.0 * 400 * 400 * static_cast<double>(layer.head_count() * layer.sequence_count());
  Evaluator lived(layer, StorageKind::Automatic, scores);
  lived.refresh();
  REQUIRE(lived.storage() == StorageKind::Scores);
  constexpr Index kBefore = 350;  // earlier strips, which do not depend on the token
  lived.apply(CellsEdit{{}, 390, 0, Matrix::Constant(1, layer.d_in(), 3e38f)});
  lived.refresh();
  CHECK(lived.storage() == StorageKind::Map);
  CHECK(lived.progress() == 1);
  const Evaluator before = evaluate(layer, StorageKind::Scores);
  for (const Stage stage : {Stage::Weights, Stage::Context})
    CHECK(error_of(lived.matrix(stage, 0, 0).topRows(kBefore), before.matrix(stage, 0, 0).topRows(kBefore)) <
          1e-5);
}

TEST_CASE("map: it is chosen when scores would not fit, and what it cannot show is refused with the reason") {
  Dice dice(85);
  Layer layer = map_model(dice, 400);
  const double scores = 4.0 * 400 * 400 * static_cast<double>(layer.head_count() * layer.sequence_count());
  Evaluator fits(layer, StorageKind::Automatic, scores);
  fits.refresh();
  CHECK(fits.storage() == StorageKind::Scores);
  Evaluator map(layer, StorageKind::Automatic, scores / 2);
  map.refresh();
  CHECK(map.storage() == StorageKind::Map);
  AttentionSettings settings = layer.attention;
  settings.dropout = {0.5, true, 1};
  map.apply(SettingsEdit{settings});
  CHECK_THROWS_AS(map.refresh(), Error);
  settings.dropout = {};
  settings.normalization = Normalization::Sum;
  map.apply(SettingsEdit{settings});
  CHECK_THROWS_AS(map.refresh(), Error);
  map.apply(SettingsEdit{layer.attention});
  map.refresh();
  CHECK(map.fresh());
  check_near(map, evaluate(layer, StorageKind::Scores), 1e-6);
  Evaluator small(layer, StorageKind::Automatic, 1000);
  small.refresh();
  CHECK_THROWS_AS(small.matrix(Stage::Weights, 0, 0), Error);
  CHECK(small.matrix(Stage::Context, 0, 0).rows() == 400);
}
