// Properties that attention has for all numbers, checked on random models, bit for bit where possible.
#include <cmath>
#include <functional>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void for_each_head(const Layer& layer, const std::function<void(Index sequence, Index head)>& check) {
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < layer.head_count(); ++h)
      check(b, h);
}

bool row_is_open(const Layer& layer, Index query) {
  for (Index key = 0; key < layer.token_count(); ++key)
    if (layer.may_attend(query, key)) return true;
  return false;
}

bool is_linear(const Layer& layer) {
  return layer.attention.projection == Projection::Linear;
}

}  // namespace

TEST_CASE("properties: each row of weights sums to one, or to zero when it is fully masked") {
  Dice dice(1);
  int masked_rows = 0;
  for (int i = 0; i < 200; ++i) {
    const Layer layer = random_model_where(
        dice, [](const Layer& m) { return m.attention.normalization != Normalization::Sum; });
    const Evaluator evaluator = evaluate(layer);
    for_each_head(layer, [&](Index b, Index h) {
      const Matrix& weights = evaluator.matrix(Stage::Weights, b, h);
      for (Index row = 0; row < weights.rows(); ++row) {
        if (row_is_open(layer, row)) {
          CHECK_THAT(weights.row(row).sum(), WithinAbs(1.0, 1e-6));
          CHECK(weights.row(row).minCoeff() >= 0.0f);
        } else {
          ++masked_rows;
          CHECK((weights.row(row).array() == 0.0f).all());
        }
      }
    });
  }
  CHECK(masked_rows > 20);
}

TEST_CASE("properties: a fully masked row attends to nothing and gives a context of zeros, never NaN") {
  Dice dice(2);
  for (int i = 0; i < 100; ++i) {
    Layer layer = random_layer(dice);
    layer.attention.mask = MaskKind::Custom;
    const Index closed = dice.below(layer.token_count());
    layer.custom_mask.row(closed).setZero();
    const Evaluator evaluator = evaluate(layer);
    for_each_head(layer, [&](Index b, Index h) {
      for (Stage stage : {Stage::Weights, Stage::Dropped, Stage::Context})
        CHECK((evaluator.matrix(stage, b, h).row(closed).array() == 0.0f).all());
    });
  }
}

// 0 times a later token's value is a zero of either sign; nothing else depends on later tokens.
TEST_CASE("properties: causal rows see no future, not in the last bit") {
  Dice dice(3);
  for (int i = 0; i < 150; ++i) {
    INFO("model " << i);
    Layer layer = random_model_where(dice, [](const Layer& m) { return m.token_count() > 1; });
    layer.attention.mask = MaskKind::Causal;
    const Index later = dice.between(1, layer.token_count() - 1);
    Layer changed = layer;
    for (Matrix& x : changed.embeddings)
      x.row(later) = dice.matrix(1, layer.d_in(), 5.0);
    const Evaluator before = evaluate(layer), after = evaluate(changed);
    const auto check = [&](Stage stage, Index b, Index h) {
      REQUIRE(
          same_numbers(before.matrix(stage, b, h).topRows(later), after.matrix(stage, b, h).topRows(later)));
    };
    for_each_head(layer, [&](Index b, Index h) {
      for (Stage stage : {Stage::Masked, Stage::Weights, Stage::Dropped, Stage::Context})
        check(stage, b, h);
    });
    for (Index b = 0; b < layer.sequence_count(); ++b) {
      check(Stage::Concat, b, 0);
      check(Stage::Output, b, 0);
    }
  }
}

TEST_CASE("properties: a head knows nothing of the others") {
  Dice dice(4);
  for (int i = 0; i < 100; ++i) {
    INFO("model " << i);
    const Layer layer =
        random_model_where(dice, [](const Layer& m) { return is_linear(m) && m.head_count() > 1; });
    const Index touched = dice.below(layer.head_count()), d_k = layer.d_k();
    Layer changed = layer;
    for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
      Matrix& w = changed.weights.matrix(p);
      if (layer.weights.layout == WeightLayout::InOut)
        w.middleCols(touched * d_k, d_k).array() += 0.5f;
      else
        w.middleRows(touched * d_k, d_k).array() += 0.5f;
    }
    const Evaluator before = evaluate(layer), after = evaluate(changed);
    for_each_head(layer, [&](Index b, Index h) {
      if (h == touched) {
        CHECK_FALSE(same_bits(before.matrix(Stage::Queries, b, h), after.matrix(Stage::Queries, b, h)));
        return;
      }
      for (Stage stage : {Stage::Queries, Stage::Scores, Stage::Weights, Stage::Dropped, Stage::Context})
        REQUIRE(same_bits(before.matrix(stage, b, h), after.matrix(stage, b, h)));
    });
  }
}

TEST_CASE("properties: without dropout a sequence gives the same alone as in a batch") {
  Dice dice(5);
  for (int i = 0; i < 100; ++i) {
    INFO("model " << i);
    Layer layer = random_model_where(dice, [](const Layer& m) { return m.sequence_count() > 1; });
    layer.attention.dropout.training = false;
    Layer alone = layer;
    const Index kept = dice.below(layer.sequence_count());
    alone.embeddings = {layer.embeddings[static_cast<std::size_t>(kept)]};
    for (std::vector<Matrix>& matrices : alone.given)
      if (!matrices.empty()) matrices = {Matrix(matrices[static_cast<std::size_t>(kept)])};
    const Evaluator batch = evaluate(layer), single = evaluate(alone);
    for (const Stage stage : stages_in_use(layer))
      for (Index h = 0; h < stage_heads(layer, stage); ++h)
        REQUIRE(same_bits(batch.matrix(stage, kept, h), single.matrix(stage, 0, h)));
  }
}

TEST_CASE("properties: one head of a layer is a layer of one head") {
  Dice dice(6);
  for (int i = 0; i < 60; ++i) {
    INFO("model " << i);
    Layer layer = random_model_where(dice, is_linear);
    layer.attention.dropout.training = false;
    const Index head = dice.below(layer.head_count()), d_k = layer.d_k();
    Layer single = layer;
    single.attention.num_heads = 1;
    single.attention.d_out = d_k;
    single.attention.output_projection = false;
    single.attention.disabled_heads.clear();
    for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
      const Matrix& w = layer.weights.matrix(p);
      const bool in_out = layer.weights.layout == WeightLayout::InOut;
      single.weights.matrix(p) =
          in_out ? Matrix(w.middleCols(head * d_k, d_k)) : Matrix(w.middleRows(head * d_k, d_k));
      if (layer.uses_bias(p))
        single.weights.bias(p) = Matrix(layer.weights.bias(p).middleCols(head * d_k, d_k));
    }
    const Matrix expected = evaluate(single).matrix(Stage::Scores, 0, 0);
    CHECK(evaluate(layer).matrix(Stage::Scores, 0, head).isApprox(expected, 1e-5f));
  }
}

TEST_CASE("properties: p = 0 and evaluation change nothing, p = 1 leaves nothing") {
  Dice dice(7);
  for (int i = 0; i < 60; ++i) {
    INFO("model " << i);
    Layer layer = random_model_where(
        dice, [](const Layer& m) { return m.attention.normalization != Normalization::Sum; });
    const auto dropped_with = [&](double probability, bool training, const auto& check) {
      layer.attention.dropout.probability = probability;
      layer.attention.dropout.training = training;
      const Evaluator evaluator = evaluate(layer);
      for_each_head(layer, [&](Index b, Index h) {
        check(evaluator.matrix(Stage::Weights, b, h), evaluator.matrix(Stage::Dropped, b, h));
      });
    };
    const auto unchanged = [](const Matrix& weights, const Matrix& dropped) {
      CHECK(same_bits(weights, dropped));
    };
    dropped_with(0.0, true, unchanged);
    dropped_with(0.5, false, unchanged);
    dropped_with(1.0, false, unchanged);
    dropped_with(1.0, true,
                 [](const Matrix&, const Matrix& dropped) { CHECK((dropped.array() == 0.0f).all()); });
  }
}

TEST_CASE("properties: dropout keeps a weight times 1/(1-p) or makes it zero, about p of them") {
  Dice dice(8);
  Index zeros = 0, cells = 0;
  for (int i = 0; i < 60; ++i) {
    Layer layer = random_layer(dice);
    layer.attention.normalization = Normalization::Softmax;
    layer.attention.mask = MaskKind::None;
    layer.attention.dropout.probability = 0.25;
    layer.attention.dropout.training = true;
    layer.attention.dropout.seed = i;
    const Evaluator evaluator = evaluate(layer);
    for_each_head(layer, [&](Index b, Index h) {
      const Matrix& weights = evaluator.matrix(Stage::Weights, b, h);
      const Matrix& dropped = evaluator.matrix(Stage::Dropped, b, h);
      for (Index c = 0; c < weights.size(); ++c) {
        const bool kept = dropped.data()[c] != 0.0f;
        if (kept) REQUIRE(dropped.data()[c] == weights.data()[c] * (1.0f / 0.75f));
        zeros += kept ? 0 : 1;
        ++cells;
      }
    });
  }
  CHECK_THAT(static_cast<double>(zeros) / static_cast<double>(cells), WithinAbs(0.25, 0.03));
}

TEST_CASE("properties: the same seed gives the same dropout, another seed another") {
  Dice dice(9);
  Layer layer = random_model_where(dice, [](const Layer& m) { return m.token_count() >= 8; });
  layer.attention.dropout = {0.5, true, 123};
  const Matrix first = evaluate(layer).noise(0, 0);
  CHECK(same_bits(evaluate(layer).noise(0, 0), first));
  layer.attention.dropout.seed = 124;
  CHECK_FALSE(same_bits(evaluate(layer).noise(0, 0), first));
}

TEST_CASE("properties: the naive softmax overflows to NaN, the stable one does not, and both agree below") {
  Layer layer;
  layer.tokens = {"large", "small"};
  layer.embeddings = {Matrix::Zero(2, 2)};
  layer.embeddings[0] << 10.0f, 0.0f, 1.0f, 0.5f;
  layer.attention.d_out = 2;
  layer.attention.scale.kind = ScaleKind::None;
  layer.attention.normalization = Normalization::NaiveSoftmax;
  const Evaluator naive = evaluate(layer);
  layer.attention.normalization = Normalization::Softmax;
  const Evaluator stable = evaluate(layer);
  // exp(100) is infinite in float32.
  CHECK(std::isnan(naive.matrix(Stage::Weights, 0, 0)(0, 0)));
  CHECK(naive.matrix(Stage::Weights, 0, 0)(0, 1) == 0.0f);
  CHECK(std::isnan(naive.matrix(Stage::Output, 0, 0)(0, 0)));
  CHECK(stable.matrix(Stage::Weights, 0, 0)(0, 0) == 1.0f);
  CHECK(stable.matrix(Stage::Output, 0, 0).allFinite());
  CHECK(
      naive.matrix(Stage::Weights, 0, 0).row(1).isApprox(stable.matrix(Stage::Weights, 0, 0).row(1), 1e-6f));
}

TEST_CASE("evaluator: a model is shared until the first edit, which leaves the shared one as it was") {
  Dice dice(3107);
  const auto given = std::make_shared<const Layer>(random_layer(dice));
  const float before = given->embeddings[0](0, 0);
  Evaluator evaluator(given);
  CHECK(&evaluator.layer() == given.get());
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, before + 1)});
  CHECK(&evaluator.layer() != given.get());
  CHECK(evaluator.layer().embeddings[0](0, 0) == before + 1);
  CHECK(given->embeddings[0](0, 0) == before);
  const Layer* const own = &evaluator.layer();
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, before + 2)});
  CHECK(&evaluator.layer() == own);
  evaluator.apply(LayerEdit{given});
  CHECK(&evaluator.layer() == given.get());
}
