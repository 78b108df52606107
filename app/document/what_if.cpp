#include "app/document/what_if.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/model/model_difference.h"
#include "engine/model/reshape.h"

namespace headlight {
namespace {

constexpr float kHuge = 1000;
constexpr double kUsualDropout = 0.5;

void average_all(Model& model) {
  model.attention.scale = {ScaleKind::Number, 0};
}

void make_equal(Model& model) {
  for (Matrix& x : model.embeddings)
    x.rowwise() = x.row(0).eval();
}

void make_one_huge(Model& model) {
  for (Matrix& x : model.embeddings)
    if (x.size() > 0) x(0, 0) = kHuge;
}

void hide_the_future(Model& model) {
  model.attention.mask = MaskKind::Causal;
}

void drop(Model& model, bool training) {
  Dropout& dropout = model.attention.dropout;
  if (!(dropout.probability > 0)) dropout.probability = kUsualDropout;
  dropout.training = training;
}
void drop_in_training(Model& model) {
  drop(model, true);
}
void drop_at_test_time(Model& model) {
  drop(model, false);
}

void draw_with_next_seed(Model& model) {
  if (!model.weights.recipe) return;
  WeightRecipe recipe = *model.weights.recipe;
  ++recipe.seed;
  draw_weights(model, recipe);
}

void leave_out_the_scale(Model& model) {
  model.attention.scale.kind = ScaleKind::None;
}

// Whether the change fits and changes anything.
bool applies(const WhatIf& what_if, const Model& model) {
  Model changed = model;
  try {
    what_if.change(changed);
    validate(changed);
  } catch (const Error&) {
    return false;
  }
  return stage_exists(changed, what_if.stage) && !model_differences(model, changed).empty();
}

}  // namespace

std::vector<WhatIf> what_ifs(const Model& model) {
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
  std::erase_if(all, [&](const WhatIf& what_if) { return !applies(what_if, model); });
  return all;
}

}  // namespace headlight
