// Properties that attention has for all numbers, checked on random models, bit for bit where possible.
#include <cmath>
#include <functional>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void for_each_head(const Model& model, const std::function<void(Index sequence, Index head)>& check) {
  for (Index b = 0; b < model.sequence_count(); ++b)
    for (Index h = 0; h < model.head_count(); ++h)
      check(b, h);
}

bool row_is_open(const Model& model, Index query) {
  for (Index key = 0; key < model.token_count(); ++key)
    if (model.may_attend(query, key)) return true;
  return false;
}

bool is_linear(const Model& model) {
  return model.attention.projection == Projection::Linear;
}

}  // namespace

TEST_CASE("properties: each row of weights sums to one, or to zero when it is fully masked") {
  Dice dice(1);
  int masked_rows = 0;
  for (int i = 0; i < 200; ++i) {
    const Model model = random_model_where(
        dice, [](const Model& m) { return m.attention.normalization != Normalization::Sum; });
    const Evaluator evaluator = evaluate(model);
    for_each_head(model, [&](Index b, Index h) {
      const Matrix& weights = evaluator.matrix(Stage::Weights, b, h);
      for (Index row = 0; row < weights.rows(); ++row) {
        if (row_is_open(model, row)) {
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
    Model model = random_model(dice);
    model.attention.mask = MaskKind::Custom;
    const Index closed = dice.below(model.token_count());
    model.custom_mask.row(closed).setZero();
    const Evaluator evaluator = evaluate(model);
    for_each_head(model, [&](Index b, Index h) {
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
    Model model = random_model_where(dice, [](const Model& m) { return m.token_count() > 1; });
    model.attention.mask = MaskKind::Causal;
    const Index later = dice.between(1, model.token_count() - 1);
    Model changed = model;
    for (Matrix& x : changed.embeddings)
      x.row(later) = dice.matrix(1, model.d_in(), 5.0);
    const Evaluator before = evaluate(model), after = evaluate(changed);
    const auto check = [&](Stage stage, Index b, Index h) {
      REQUIRE(
          same_numbers(before.matrix(stage, b, h).topRows(later), after.matrix(stage, b, h).topRows(later)));
    };
    for_each_head(model, [&](Index b, Index h) {
      for (Stage stage : {Stage::Masked, Stage::Weights, Stage::Dropped, Stage::Context})
        check(stage, b, h);
    });
    for (Index b = 0; b < model.sequence_count(); ++b) {
      check(Stage::Concat, b, 0);
      check(Stage::Output, b, 0);
    }
  }
}

TEST_CASE("properties: a head knows nothing of the others") {
  Dice dice(4);
  for (int i = 0; i < 100; ++i) {
    INFO("model " << i);
    const Model model =
        random_model_where(dice, [](const Model& m) { return is_linear(m) && m.head_count() > 1; });
    const Index touched = dice.below(model.head_count()), d_k = model.d_k();
    Model changed = model;
    for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
      Matrix& w = changed.weights.matrix(p);
      if (model.weights.layout == WeightLayout::InOut)
        w.middleCols(touched * d_k, d_k).array() += 0.5f;
      else
        w.middleRows(touched * d_k, d_k).array() += 0.5f;
    }
    const Evaluator before = evaluate(model), after = evaluate(changed);
    for_each_head(model, [&](Index b, Index h) {
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
    Model model = random_model_where(dice, [](const Model& m) { return m.sequence_count() > 1; });
    model.attention.dropout.training = false;
    Model alone = model;
    const Index kept = dice.below(model.sequence_count());
    alone.embeddings = {model.embeddings[static_cast<std::size_t>(kept)]};
    for (std::vector<Matrix>& matrices : alone.given)
      if (!matrices.empty()) matrices = {Matrix(matrices[static_cast<std::size_t>(kept)])};
    const Evaluator batch = evaluate(model), single = evaluate(alone);
    for (const Stage stage : stages_in_use(model))
      for (Index h = 0; h < stage_heads(model, stage); ++h)
        REQUIRE(same_bits(batch.matrix(stage, kept, h), single.matrix(stage, 0, h)));
  }
}

TEST_CASE("properties: one head of a layer is a layer of one head") {
  Dice dice(6);
  for (int i = 0; i < 60; ++i) {
    INFO("model " << i);
    Model model = random_model_where(dice, is_linear);
    model.attention.dropout.training = false;
    const Index head = dice.below(model.head_count()), d_k = model.d_k();
    Model single = model;
    single.attention.num_heads = 1;
    single.attention.d_out = d_k;
    single.attention.output_projection = false;
    single.attention.disabled_heads.clear();
    for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
      const Matrix& w = model.weights.matrix(p);
      const bool in_out = model.weights.layout == WeightLayout::InOut;
      single.weights.matrix(p) =
          in_out ? Matrix(w.middleCols(head * d_k, d_k)) : Matrix(w.middleRows(head * d_k, d_k));
      if (model.uses_bias(p))
        single.weights.bias(p) = Matrix(model.weights.bias(p).middleCols(head * d_k, d_k));
    }
    const Matrix expected = evaluate(single).matrix(Stage::Scores, 0, 0);
    CHECK(evaluate(model).matrix(Stage::Scores, 0, head).isApprox(expected, 1e-5f));
  }
}

TEST_CASE("properties: p = 0 and evaluation change nothing, p = 1 leaves nothing") {
  Dice dice(7);
  for (int i = 0; i < 60; ++i) {
    INFO("model " << i);
    Model model = random_model_where(
        dice, [](const Model& m) { return m.attention.normalization != Normalization::Sum; });
    const auto dropped_with = [&](double probability, bool training, const auto& check) {
      model.attention.dropout.probability = probability;
      model.attention.dropout.training = training;
      const Evaluator evaluator = evaluate(model);
      for_each_head(model, [&](Index b, Index h) {
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
    Model model = random_model(dice);
    model.attention.normalization = Normalization::Softmax;
    model.attention.mask = MaskKind::None;
    model.attention.dropout.probability = 0.25;
    model.attention.dropout.training = true;
    model.attention.dropout.seed = i;
    const Evaluator evaluator = evaluate(model);
    for_each_head(model, [&](Index b, Index h) {
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
  Model model = random_model_where(dice, [](const Model& m) { return m.token_count() >= 8; });
  model.attention.dropout = {0.5, true, 123};
  const Matrix first = evaluate(model).noise(0, 0);
  CHECK(same_bits(evaluate(model).noise(0, 0), first));
  model.attention.dropout.seed = 124;
  CHECK_FALSE(same_bits(evaluate(model).noise(0, 0), first));
}

TEST_CASE("properties: the naive softmax overflows to NaN, the stable one does not, and both agree below") {
  Model model;
  model.tokens = {"large", "small"};
  model.embeddings = {Matrix::Zero(2, 2)};
  model.embeddings[0] << 10.0f, 0.0f, 1.0f, 0.5f;
  model.attention.d_out = 2;
  model.attention.scale.kind = ScaleKind::None;
  model.attention.normalization = Normalization::NaiveSoftmax;
  const Evaluator naive = evaluate(model);
  model.attention.normalization = Normalization::Softmax;
  const Evaluator stable = evaluate(model);
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
  const auto given = std::make_shared<const Model>(random_model(dice));
  const float before = given->embeddings[0](0, 0);
  Evaluator evaluator(given);
  CHECK(&evaluator.model() == given.get());
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, before + 1)});
  CHECK(&evaluator.model() != given.get());
  CHECK(evaluator.model().embeddings[0](0, 0) == before + 1);
  CHECK(given->embeddings[0](0, 0) == before);
  const Model* const own = &evaluator.model();
  evaluator.apply(CellsEdit{{}, 0, 0, Matrix::Constant(1, 1, before + 2)});
  CHECK(&evaluator.model() == own);
  evaluator.apply(ModelEdit{given});
  CHECK(&evaluator.model() == given.get());
}
