// Dropout draws and their mean, against single draws and the limit.
#include "engine/layer/dropout_mean.h"

#include <cmath>
#include <limits>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/core/torch_stream.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// T 5, B 2, two heads.
Layer model_with(Dropout dropout) {
  Dice dice(31);
  Layer layer;
  layer.tokens = {"a", "b", "c", "d", "e"};
  layer.embeddings = {dice.matrix(5, 4), dice.matrix(5, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  draw_weights(layer, {InitKind::Linear, 7, {kParameters.begin(), kParameters.end()}});
  layer.attention.dropout = dropout;
  return layer;
}

TileRequest request(TileContent content, Index head = 0, Index sequence = 0) {
  TileRequest result;
  result.stage = Stage::Dropped;
  result.sequence = sequence;
  result.head = head;
  result.content = content;
  return result;
}

}  // namespace

TEST_CASE("dropout mean: the first draw is the model's own, the next those of the seeds that follow") {
  for (const std::optional<std::int64_t> seed :
       {std::optional<std::int64_t>(40), std::optional<std::int64_t>()}) {
    const Layer layer = model_with({0.5, true, seed});
    const Evaluator evaluator = evaluate(layer);
    CHECK(same_bits(dropout_noise(layer, 0)[3], evaluator.noise(1, 1)));
    for (Index draw : {1, 2, 7}) {
      Layer again = layer;
      again.attention.dropout.seed = seed.value_or(0) + draw;
      CHECK(all_same_bits(dropout_noise(layer, draw), dropout_noise(again, 0)));
      std::vector<Matrix> reused(5, Matrix::Constant(2, 9, 3.0f));
      draw_dropout_noise(layer, draw, reused);
      CHECK(all_same_bits(reused, dropout_noise(layer, draw)));
    }
  }
  CHECK(dropout_noise(model_with({0.5, false, 1}), 0).empty());
  CHECK(dropout_noise(model_with({0.0, true, 1}), 0).empty());
  CHECK(dropout_noise(model_with({0.5, true, std::numeric_limits<std::int64_t>::max()}), 1).size() == 4);
}

TEST_CASE("dropout mean: counting draws in any steps gives the mean of their noise") {
  const Layer layer = model_with({0.3, true, 5});
  DropoutCounts counts;
  for (Index draws : {1, 2, 9, 25})
    counts.draw_to(layer, draws);
  REQUIRE(counts.draws() == 25);
  Matrix sum = Matrix::Zero(5, 5);
  for (Index draw = 0; draw < 25; ++draw)
    sum += dropout_noise(layer, draw)[2];
  CHECK((counts.mean_noise(layer, 1, 0) - sum / 25.0f).cwiseAbs().maxCoeff() < 1e-5f);
  counts.draw_to(layer, 3);
  CHECK(counts.draws() == 3);
}

TEST_CASE("dropout mean: one step does bounded work, and at least one draw") {
  const Layer layer = model_with({0.5, true, 5});  // 100 cells in each draw
  DropoutCounts counts;
  counts.draw_to(layer, 1000, 350);
  CHECK(counts.draws() == 3);
  counts.draw_to(layer, 1000, 1);
  CHECK(counts.draws() == 4);
}

TEST_CASE("dropout mean: many draws come back to the weights without dropout") {
  for (const double probability : {0.1, 0.5, 0.8}) {
    Evaluator evaluator = evaluate(model_with({probability, true, 123}));
    const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 1);
    TileRequest mean = request(TileContent::MeanDropped, 1);
    mean.draws = 4000;
    evaluator.draw_mean_to(mean.draws);
    const Tile tile = evaluator.tile(mean);
    CHECK(tile.draws == 4000);
    // Ten standard deviations of a mean of 4000 draws; weights are at most 1.
    const double bound = 10 * std::sqrt(probability / (1 - probability) / 4000.0);
    CHECK((tile.values - weights).cwiseAbs().maxCoeff() < bound);
    CHECK((tile.values - weights).cwiseAbs().maxCoeff() > 0);
  }
}

TEST_CASE("dropout mean: one draw is what is shown as dropped") {
  Evaluator evaluator = evaluate(model_with({0.5, true, 9}));
  evaluator.draw_mean_to(1);
  CHECK(same_numbers(evaluator.tile(request(TileContent::MeanDropped)).values,
                     evaluator.matrix(Stage::Dropped, 0, 0)));
}

TEST_CASE("dropout tiles: the noise is 0 or 1/(1-p), forbidden cells too") {
  const Evaluator evaluator = evaluate(model_with({0.75, true, 9}));
  const Tile noise = evaluator.tile(request(TileContent::Noise, 1, 1));
  CHECK(same_bits(noise.values, evaluator.noise(1, 1)));
  CHECK(((noise.values.array() == 0.0f) || (noise.values.array() == 4.0f)).all());
  CHECK(noise.mark(0, 4) == CellMark::None);
  CHECK(noise.range.masked == 0);
}

TEST_CASE("dropout tiles: without dropout, in evaluation and when all is dropped") {
  for (const Dropout& idle : {Dropout{0.0, true, 1}, Dropout{0.5, false, 1}}) {
    Evaluator evaluator = evaluate(model_with(idle));
    TileRequest mean = request(TileContent::MeanDropped);
    mean.draws = 20;
    evaluator.draw_mean_to(20);
    CHECK(evaluator.tile(request(TileContent::Noise)).values == Matrix::Ones(5, 5));
    CHECK(same_bits(evaluator.tile(mean).values, evaluator.matrix(Stage::Weights, 0, 0)));
    CHECK(evaluator.tile(mean).draws == 20);
  }
  Evaluator all = evaluate(model_with({1.0, true, 1}));
  all.draw_mean_to(5);
  CHECK(all.tile(request(TileContent::Noise)).values == Matrix::Zero(5, 5));
  CHECK(all.tile(request(TileContent::MeanDropped)).values == Matrix::Zero(5, 5));
}

TEST_CASE("dropout tiles: other settings start the mean anew, other weights do not") {
  Evaluator evaluator = evaluate(model_with({0.5, true, 1}));
  evaluator.draw_mean_to(12);
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, 0.25f)});
  evaluator.refresh();
  CHECK(evaluator.tile(request(TileContent::MeanDropped)).draws == 12);
  AttentionSettings settings = evaluator.layer().attention;
  settings.dropout.seed = 2;
  evaluator.apply(SettingsEdit{settings});
  evaluator.refresh();
  CHECK(evaluator.tile(request(TileContent::MeanDropped)).draws == 0);
}

TEST_CASE("dropout tiles: other stages have no noise") {
  const Evaluator evaluator = evaluate(model_with({0.5, true, 1}));
  TileRequest wrong = request(TileContent::Noise);
  wrong.stage = Stage::Weights;
  CHECK_THROWS_AS(evaluator.tile(wrong), Error);
}

TEST_CASE("dropout: the zeros of another build are drawn in one call, where the stream stands") {
  Layer layer = model_with({0.5, true, std::nullopt, DropoutBuild::Mkl});
  for (const std::optional<std::int64_t> seed :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(5)}) {
    layer.attention.dropout.seed = seed;
    TorchStream torch(seed.value_or(7));
    if (!seed) torch.skip(drawn_value_count(layer));
    MklStream mkl(torch.next_u32());
    const std::vector<Matrix> noise = dropout_noise(layer, 0);
    REQUIRE(noise.size() == 4);
    for (const Matrix& matrix : noise)
      for (Index i = 0; i < matrix.size(); ++i)
        CHECK((matrix.data()[i] > 0) == (mkl.next_uniform() < 0.5));
    Layer other = layer;
    other.attention.dropout.build = DropoutBuild::Default;
    CHECK_FALSE(all_same_bits(noise, dropout_noise(other, 0)));
  }
}
