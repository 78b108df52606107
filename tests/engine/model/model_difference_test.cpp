#include "engine/model/model_difference.h"

#include "engine/model/lines.h"
#include "engine/model/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Lines = std::vector<std::string>;

Model small() {
  Dice dice(77);
  Model model;
  model.tokens = {"a", "b", "c"};
  model.embeddings = {dice.matrix(3, 4)};
  model.attention.projection = Projection::Linear;
  model.attention.d_out = 4;
  draw_weights(model, {});
  return model;
}

Lines after(void (*change)(Model&)) {
  Model model = small();
  change(model);
  return model_differences(small(), model);
}

}  // namespace

TEST_CASE("model difference: none between a model and its copy, random ones included") {
  Dice dice(78);
  CHECK(model_differences(small(), small()).empty());
  for (int round = 0; round < 50; ++round) {
    const Model model = random_model(dice);
    CHECK(model_differences(model, model).empty());
  }
}

TEST_CASE("model difference: each change is named once") {
  CHECK(after([](Model& m) {
          WeightRecipe recipe;
          recipe.seed = 789;
          draw_weights(m, recipe);
        }) == Lines{"seed 123 → 789"});
  CHECK(after([](Model& m) { m.attention.mask = MaskKind::Causal; }) == Lines{"mask none → causal"});
  CHECK(after([](Model& m) {
          m.attention.dropout = {0.5, true, 7};
        }) == Lines{"dropout 0 → 0.5", "dropout seed none → 7"});
  CHECK(after([](Model& m) {
          m.attention.scale = {ScaleKind::Number, 0.25};
        }) == Lines{"scale 1/√dₖ → 0.25"});
  CHECK(after([](Model& m) { m.embeddings[0](1, 1) += 1; }) == Lines{"1 number of the embeddings"});
  CHECK(after([](Model& m) { m.tokens[0] = "z"; }) == Lines{"1 token has another name"});
  CHECK(after([](Model& m) { set_num_heads(m, 2); }) == Lines{"heads 1 → 2"});
  CHECK(after([](Model& m) { insert_token(m, 0, "new", false); }) == Lines{"tokens 3 → 4"});
  CHECK(after([](Model& m) {
          m.weights.matrix(Parameter::Key)(0, 0) += 1;
          m.weights.edited = true;
        }) == Lines{"weights of key"});
}
