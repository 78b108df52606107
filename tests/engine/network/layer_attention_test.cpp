// Attention in a layer of a whole model against the evaluator, which stores every stage: both must compute
// the same numbers for layers of every kind.
#include "engine/network/layer_attention.h"

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr float kMostApart = 1e-5f;

// The heads of a stage of sequence 0, side by side.
Matrix side_by_side(const Evaluator& evaluator, Stage stage) {
  const Model& model = evaluator.model();
  const Index heads = stage_heads(model, stage), width = stage_columns(model, stage);
  Matrix all(stage_rows(model, stage), heads * width);
  for (Index head = 0; head < heads; ++head)
    all.middleCols(head * width, width) = evaluator.matrix(stage, 0, head);
  return all;
}

void compare(const Model& model) {
  const Evaluator evaluator = evaluate(model, StorageKind::Stages);
  const bool turned = stage_exists(model, Stage::RotatedQueries);
  const Matrix q = side_by_side(evaluator, turned ? Stage::RotatedQueries : Stage::Queries);
  const Matrix k = side_by_side(evaluator, turned ? Stage::RotatedKeys : Stage::Keys);
  const Matrix v = side_by_side(evaluator, Stage::Values);
  Matrix concat(q.rows(), model.head_count() * model.d_v());
  Workspace workspace;
  attend(model, q, k, v, 0, concat, workspace);
  const Matrix expected = side_by_side(evaluator, Stage::Context);
  CHECK((concat - expected).cwiseAbs().maxCoeff() < kMostApart);
  // Only the rows of later tokens, as after an edit.
  const Index half = q.rows() / 2, rest = q.rows() - half;
  Matrix later(rest, concat.cols());
  attend(model, q.bottomRows(rest), k, v, half, later, workspace);
  CHECK((later - expected.bottomRows(rest)).cwiseAbs().maxCoeff() < kMostApart);
  for (Index head = 0; head < model.head_count(); ++head) {
    Matrix weights(q.rows(), k.rows());
    attend_weights(model, head, q.middleCols(head * model.d_k(), model.d_k()),
                   k.middleCols(model.kv_head_of(head) * model.d_k(), model.d_k()), 0, weights, workspace);
    CHECK((weights - evaluator.matrix(Stage::Weights, 0, head)).cwiseAbs().maxCoeff() < kMostApart);
  }
}

// A random layer that a whole model may have: softmax, no dropout.
Model random_model_layer(Dice& dice) {
  Model model = random_layer(dice);
  while (model.attention.projection == Projection::Weights)
    model = random_layer(dice);
  model.attention.normalization = Normalization::Softmax;
  model.attention.dropout = {};
  return model;
}

}  // namespace

TEST_CASE("layer attention: 300 random layers get what the evaluator's stages hold") {
  Dice dice(31);
  int capped = 0, biased = 0, windows = 0;
  for (int i = 0; i < 300; ++i) {
    INFO("model " << i);
    const Model model = random_model_layer(dice);
    compare(model);
    capped += stage_exists(model, Stage::Capped) ? 1 : 0;
    biased += stage_exists(model, Stage::Biased) ? 1 : 0;
    windows += model.attention.mask == MaskKind::Rules && model.attention.rules.left ? 1 : 0;
  }
  CHECK(capped > 20);
  CHECK(biased > 20);
  CHECK(windows > 20);
}

TEST_CASE("layer attention: a window and a bias over more tokens than one block of rows has") {
  constexpr Index kTokens = 250;
  Dice dice(8);
  Model model;
  model.tokens.assign(kTokens, "x");
  model.embeddings = {dice.matrix(kTokens, 8)};
  model.attention.projection = Projection::None;
  model.attention.d_out = 8;
  model.attention.mask = MaskKind::Rules;
  model.attention.rules.causal = true;
  model.attention.rules.left = 40;
  compare(model);
  model.attention.position.kind = PositionKind::Alibi;
  compare(model);
}
