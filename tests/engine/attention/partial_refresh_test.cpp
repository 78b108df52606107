// Models large enough for parts of stages to be refreshed: an evaluator that lived through edits against one
// that starts from the model they led to. Products of matrices may sum in another order.
#include <algorithm>
#include <cmath>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A sum of scores may come close to zero, which makes any rounding large: not here.
void shuffle_settings(Dice& dice, Model& model) {
  randomize_settings(dice, model);
  const bool naive = dice.chance(0.3);
  model.attention.normalization = naive ? Normalization::NaiveSoftmax : Normalization::Softmax;
}

Model large_model(Dice& dice) {
  Model model;
  const Index tokens = dice.between(150, 190), d_in = dice.between(3, 9);
  model.tokens.assign(static_cast<std::size_t>(tokens), "t");
  for (Index b = dice.between(1, 2); b > 0; --b)
    model.embeddings.push_back(dice.matrix(tokens, d_in, 1.5));
  AttentionSettings& a = model.attention;
  a.projection = Projection::Linear;
  a.num_heads = dice.between(4, 6);
  a.d_out = a.num_heads * dice.between(1, 3);
  a.qkv_bias = dice.chance(0.5);
  a.output_projection = dice.chance(0.5);
  model.custom_mask = dice.mask(tokens);
  give_random_weights(dice, model);
  shuffle_settings(dice, model);
  return model;
}

// Cells are equal when both are the same infinity or NaN, or differ by rounding.
void check_near(const Matrix& lived, const Matrix& fresh) {
  REQUIRE(lived.rows() == fresh.rows());
  REQUIRE(lived.cols() == fresh.cols());
  float scale = 1e-3f;
  for (Index i = 0; i < fresh.size(); ++i)
    if (std::isfinite(fresh.data()[i])) scale = std::max(scale, std::abs(fresh.data()[i]));
  for (Index i = 0; i < fresh.size(); ++i) {
    const float a = lived.data()[i], b = fresh.data()[i];
    const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-4f * scale;
    if (!same) FAIL("cell " << i << " is " << a << ", expected " << b);
  }
}

void check_near_stages(const Evaluator& lived) {
  const Evaluator fresh = evaluate(lived.model());
  for (Index b = 0; b < fresh.model().sequence_count(); ++b)
    for (const StageInfo& info : stage_table())
      for (Index h = 0; h < stage_heads(fresh.model(), info.stage); ++h) {
        INFO("stage " << std::string(info.name) << ", sequence " << b << ", head " << h);
        check_near(lived.matrix(info.stage, b, h), fresh.matrix(info.stage, b, h));
      }
}

// One cell, a row or a few rows of an input: what a person edits.
CellsEdit small_edit(Dice& dice, const Model& model) {
  CellsEdit edit;
  edit.input.kind = dice.pick<InputKind>({InputKind::Embeddings, InputKind::Embeddings, InputKind::Weight});
  if (model.attention.qkv_bias && dice.chance(0.2)) edit.input.kind = InputKind::Bias;
  edit.input.sequence = dice.below(model.sequence_count());
  edit.input.parameter = kParameters[static_cast<std::size_t>(dice.below(3))];
  const Matrix& target = input_matrix(model, edit.input);
  edit.row = dice.below(target.rows());
  edit.column = dice.below(target.cols());
  Index rows = 1, columns = 1;
  if (dice.chance(0.3)) {
    edit.column = 0;
    columns = target.cols();
    rows = dice.between(1, std::min<Index>(4, target.rows() - edit.row));
  }
  // Now and then a value that moves the maximum of every row.
  edit.values = dice.matrix(rows, columns, dice.chance(0.2) ? 3.0 : 1.0);
  return edit;
}

}  // namespace

TEST_CASE("partial refresh: small edits of large models lead where a new evaluator starts") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    Evaluator lived(large_model(dice));
    lived.refresh();
    for (int round = 0; round < 4; ++round) {
      for (Index edits = dice.between(1, 3); edits > 0; --edits)
        lived.apply(small_edit(dice, lived.model()));
      if (dice.chance(0.2)) {
        Model changed = lived.model();
        shuffle_settings(dice, changed);
        lived.apply(SettingsEdit{changed.attention});
      }
      lived.refresh();
      check_near_stages(lived);
    }
  }
}

TEST_CASE("partial refresh: one head's weights leave the other heads' bits alone") {
  Dice dice(77);
  Model model = large_model(dice);
  model.attention.normalization = Normalization::Softmax;
  Evaluator lived(model);
  lived.refresh();
  const Matrix other = lived.matrix(Stage::Weights, 0, 1), own = lived.matrix(Stage::Weights, 0, 0);
  CellsEdit edit;
  edit.input.kind = InputKind::Weight;
  edit.values = dice.matrix(1, 1, 5.0);
  lived.apply(edit);
  lived.refresh();
  CHECK(lived.matrix(Stage::Weights, 0, 1) == other);
  CHECK(lived.matrix(Stage::Weights, 0, 0) != own);
}

TEST_CASE("partial refresh: weights that nothing is projected with change no stage") {
  Dice dice(78);
  Model model = large_model(dice);
  model.embeddings = {dice.matrix(400, 2)};
  model.tokens.assign(400, "t");
  model.custom_mask.resize(0, 0);
  model.attention.mask = MaskKind::None;
  model.attention.projection = Projection::None;
  model.attention.output_projection = model.attention.qkv_bias = false;
  model.attention.num_heads = 1;
  model.attention.d_out = 2;
  model.attention.disabled_heads.clear();
  model.weights = {};
  model.weights.matrix(Parameter::Query) = dice.matrix(2, 2);
  Evaluator lived(model);
  lived.refresh();
  CellsEdit edit;
  edit.input.kind = InputKind::Weight;
  edit.values = Matrix::Constant(1, 1, 7.0f);
  lived.apply(edit);
  lived.refresh();
  check_near_stages(lived);
}
