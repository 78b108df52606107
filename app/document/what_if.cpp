#include "app/document/what_if.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/layer/layer_difference.h"
#include "engine/layer/reshape.h"

namespace headlight {
namespace {

constexpr float kHuge = 1000;
constexpr double kUsualDropout = 0.5;

void average_all(Layer& layer) {
  layer.attention.scale = {ScaleKind::Number, 0};
}

void make_equal(Layer& layer) {
  for (Matrix& x : layer.embeddings)
    x.rowwise() = x.row(0).eval();
}

void make_one_huge(Layer& layer) {
  for (Matrix& x : layer.embeddings)
    if (x.size() > 0) x(0, 0) = kHuge;
}

void hide_the_future(Layer& layer) {
  layer.attention.mask = MaskKind::Causal;
}

void drop(Layer& layer, bool training) {
  Dropout& dropout = layer.attention.dropout;
  if (!(dropout.probability > 0)) dropout.probability = kUsualDropout;
  dropout.training = training;
}
void drop_in_training(Layer& layer) {
  drop(layer, true);
}
void drop_at_test_time(Layer& layer) {
  drop(layer, false);
}

void draw_with_next_seed(Layer& layer) {
  if (!layer.weights.recipe) return;
  WeightRecipe recipe = *layer.weights.recipe;
  ++recipe.seed;
  draw_weights(layer, recipe);
}

void leave_out_the_scale(Layer& layer) {
  layer.attention.scale.kind = ScaleKind::None;
}

// Whether the change fits and changes anything.
bool applies(const WhatIf& what_if, const Layer& layer) {
  Layer changed = layer;
  try {
    what_if.change(changed);
    validate(changed);
  } catch (const Error&) {
    return false;
  }
  return stage_exists(changed, what_if.stage) && !layer_differences(layer, changed).empty();
}

}  // namespace

std::vector<WhatIf> what_ifs(const Layer& layer) {
  std::vector<WhatIf> all = {
      {"What if all tokens were averaged?", "why not average mean uniform same weights scale 0",
       "The scale is 0: all scores are 0, and every query looks at all keys alike", Stage::Weights,
       average_all},
      {"What if all embeddings were equal?", "same identical tokens all equal",
       "All tokens have the embedding of the first", Stage::Weights, make_equal},
      {"What if one number were huge?", "large big outlier 1000 saturated",
       "The first number of the first token is 1000", Stage::Weights, make_one_huge},
      {"What if the future were hidden: first row 1?", "causal mask why is the first weight 1 triangle",
       "The mask is causal: the first query sees itself alone", Stage::Weights, hide_the_future},
      {"What if weights were dropped in training?", "dropout on training mode", "Dropout is on, in training",
       Stage::Dropped, drop_in_training},
      {"What does dropout do at test time?", "dropout evaluation eval inference off training off",
       "Dropout is set, but not in training: nothing is dropped", Stage::Dropped, drop_at_test_time},
      {"What if the weights had another seed?", "random draw again initial seed",
       "The weight matrices are drawn with the next seed", Stage::Weights, draw_with_next_seed},
      {"What if nothing were divided by √dₖ?", "without scale unscaled square root d_k sqrt",
       "The scores are not scaled", Stage::Weights, leave_out_the_scale}};
  std::erase_if(all, [&](const WhatIf& what_if) { return !applies(what_if, layer); });
  return all;
}

}  // namespace headlight
