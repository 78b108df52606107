// Layers on the way from one to another: exact ends, numbers in between, and what is no number.
#include "engine/layer/interpolation.h"

#include <cmath>

#include "engine/layer/lines.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Lines = std::vector<std::string>;

std::vector<Matrix*> matrices_of(Layer& layer) {
  std::vector<Matrix*> all;
  for (auto* const matrices : {&layer.embeddings, &layer.key_embeddings, &layer.given[0], &layer.given[1],
                               &layer.given[2], &layer.given_weights.matrices, &layer.score_bias.matrices})
    for (Matrix& matrix : *matrices)
      all.push_back(&matrix);
  for (const Parameter parameter : kParameters) {
    all.push_back(&layer.weights.matrix(parameter));
    all.push_back(&layer.weights.bias(parameter));
  }
  for (Overwritten& block : layer.overwritten)
    all.push_back(&block.values);
  return all;
}

// The layer with other numbers of every kind; infinite ones stay.
Layer with_other_numbers(Layer layer) {
  for (Matrix* const matrix : matrices_of(layer))
    *matrix = (2 * matrix->array() + 1).matrix();
  layer.attention.scale = {ScaleKind::Number, 3};
  if (layer.attention.softcap > 0) layer.attention.softcap += 1;
  for (double& sink : layer.attention.sinks)
    sink += 1;
  for (double& slope : layer.attention.position.slopes)
    slope += 1;
  layer.weights.edited = true;
  return layer;
}

Layer small_layer() {
  Dice dice(77);
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {dice.matrix(3, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  draw_weights(layer, {});
  return layer;
}

Lines obstacles(void (*change)(Layer&)) {
  Layer other = small_layer();
  change(other);
  return interpolation_obstacles(small_layer(), other);
}

}  // namespace

TEST_CASE("interpolation: the ends are exact and the middle lies between them, in layers of every kind") {
  Dice dice(140);
  for (int round = 0; round < 60; ++round) {
    INFO(round);
    Layer a = round % 3 == 0   ? random_layer(dice)
              : round % 3 == 1 ? random_overwritten_layer(dice)
                               : random_sink_layer(dice);
    Layer b = with_other_numbers(a);
    REQUIRE(interpolation_obstacles(a, b).empty());
    Layer first = layer_between(a, b, 0), middle = layer_between(a, b, 0.25);
    first.weights.edited = a.weights.edited;
    CHECK(same_layer(first, a));
    CHECK(same_layer(layer_between(a, b, 1), b));
    const auto from = matrices_of(a), to = matrices_of(b), between = matrices_of(middle);
    REQUIRE(between.size() == from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      for (Index at = 0; at < from[i]->size(); ++at) {
        const float low = from[i]->data()[at], high = to[i]->data()[at], found = between[i]->data()[at];
        if (std::isfinite(low))
          CHECK_THAT(found, WithinAbs(0.75 * low + 0.25 * high, 1e-6 * (std::abs(low) + std::abs(high))));
        else
          CHECK(found == low);
      }
  }
}

TEST_CASE("interpolation: settings that are numbers move too, the usual scale to another one") {
  Layer a = small_layer(), b = small_layer();
  a.attention.softcap = 10;
  b.attention.softcap = 20;
  b.attention.scale = {ScaleKind::Number, 1};
  b.attention.dropout = a.attention.dropout;
  b.attention.dropout.probability = 0.5;
  CHECK(interpolation_obstacles(a, b).empty());
  const Layer middle = layer_between(a, b, 0.5);
  CHECK(middle.attention.softcap == 15);
  CHECK(middle.attention.dropout.probability == 0.25);
  CHECK(middle.scale_factor() == 0.75F);  // 1/√4 to 1
  CHECK(layer_between(a, b, 0).attention.scale == a.attention.scale);
}

TEST_CASE("interpolation: what is no number is named; names of tokens may differ") {
  CHECK(obstacles([](Layer& layer) { layer.embeddings[0](1, 1) += 1; }).empty());
  CHECK(obstacles([](Layer& layer) { layer.tokens[0] = "z"; }).empty());
  CHECK(obstacles([](Layer& layer) {
          WeightRecipe recipe;
          recipe.seed = 789;
          draw_weights(layer, recipe);
        }).empty());
  CHECK(obstacles([](Layer& layer) { layer.attention.mask = MaskKind::Causal; }) ==
        Lines{"mask none → causal"});
  CHECK(obstacles([](Layer& layer) { layer.attention.softcap = 3; }) == Lines{"softcap 0 → 3"});
  CHECK(obstacles([](Layer& layer) { set_num_heads(layer, 2); }) == Lines{"heads 1 → 2"});
  CHECK(obstacles([](Layer& layer) { insert_token(layer, 0, "new", false); }) == Lines{"tokens 3 → 4"});
  CHECK(obstacles([](Layer& layer) { layer.weights.layout = WeightLayout::OutIn; }) ==
        Lines{"the layout of the weights"});
}

TEST_CASE("interpolation: noise that continues from another seed is no number") {
  Layer a = small_layer(), b = small_layer();
  a.attention.dropout.probability = b.attention.dropout.probability = 0.5;
  WeightRecipe recipe;
  recipe.seed = 789;
  draw_weights(b, recipe);
  CHECK(interpolation_obstacles(a, b) == Lines{"the seed, from which the noise of dropout continues"});
  a.attention.dropout.seed = b.attention.dropout.seed = 1;
  CHECK(interpolation_obstacles(a, b).empty());
}
