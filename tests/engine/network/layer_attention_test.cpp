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
  const Layer& layer = evaluator.layer();
  const Index heads = stage_heads(layer, stage), width = stage_columns(layer, stage);
  Matrix all(stage_rows(layer, stage), heads * width);
  for (Index head = 0; head < heads; ++head)
    all.middleCols(head * width, width) = evaluator.matrix(stage, 0, head);
  return all;
}

void compare(const Layer& layer) {
  const Evaluator evaluator = evaluate(layer, StorageKind::Stages);
  const bool turned = stage_exists(layer, Stage::RotatedQueries);
  const Matrix q = side_by_side(evaluator, turned ? Stage::RotatedQueries : Stage::Queries);
  const Matrix k = side_by_side(evaluator, turned ? Stage::RotatedKeys : Stage::Keys);
  const Matrix v = side_by_side(evaluator, Stage::Values);
  Matrix concat(q.rows(), layer.head_count() * layer.d_v());
  Workspace workspace;
  attend(layer, q, k, v, 0, concat, workspace);
  const Matrix expected = side_by_side(evaluator, Stage::Context);
  CHECK((concat - expected).cwiseAbs().maxCoeff() < kMostApart);
  // Only the rows of later tokens, as after an edit.
  const Index half = q.rows() / 2, rest = q.rows() - half;
  Matrix later(rest, concat.cols());
  attend(layer, q.bottomRows(rest), k, v, half, later, workspace);
  CHECK((later - expected.bottomRows(rest)).cwiseAbs().maxCoeff() < kMostApart);
  for (Index head = 0; head < layer.head_count(); ++head) {
    Matrix weights(q.rows(), k.rows());
    attend_weights(layer, head, q.middleCols(head * layer.d_k(), layer.d_k()),
                   k.middleCols(layer.kv_head_of(head) * layer.d_k(), layer.d_k()), 0, weights, workspace);
    CHECK((weights - evaluator.matrix(Stage::Weights, 0, head)).cwiseAbs().maxCoeff() < kMostApart);
  }
}

// A random layer that a whole model may have: softmax, no dropout.
Layer random_model_layer(Dice& dice) {
  Layer layer = random_cross_layer(dice);
  while (layer.attention.projection == Projection::Weights)
    layer = random_cross_layer(dice);
  layer.attention.normalization = Normalization::Softmax;
  layer.attention.dropout = {};
  return layer;
}

}  // namespace

TEST_CASE("layer attention: 300 random layers get what the evaluator's stages hold") {
  Dice dice(31);
  int capped = 0, biased = 0, windows = 0;
  for (int i = 0; i < 300; ++i) {
    INFO("model " << i);
    const Layer layer = random_model_layer(dice);
    compare(layer);
    capped += stage_exists(layer, Stage::Capped) ? 1 : 0;
    biased += stage_exists(layer, Stage::Biased) ? 1 : 0;
    windows += layer.attention.mask == MaskKind::Rules && layer.attention.rules.left ? 1 : 0;
  }
  CHECK(capped > 20);
  CHECK(biased > 20);
  CHECK(windows > 20);
}

TEST_CASE("layer attention: a window and a bias over more tokens than one block of rows has") {
  constexpr Index kTokens = 250;
  Dice dice(8);
  Layer layer;
  layer.tokens.assign(kTokens, "x");
  layer.embeddings = {dice.matrix(kTokens, 8)};
  layer.attention.projection = Projection::None;
  layer.attention.d_out = 8;
  layer.attention.mask = MaskKind::Rules;
  layer.attention.rules.causal = true;
  layer.attention.rules.left = 40;
  compare(layer);
  layer.attention.position.kind = PositionKind::Alibi;
  compare(layer);
}
