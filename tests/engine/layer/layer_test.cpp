// The requirements on a layer, and the message for each violation.
#include <cmath>
#include <functional>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/layer.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// T 3, d_in 3, B 2, two heads, d_out 4, biases and an output projection, InOut.
Layer sound_model() {
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {Matrix::Ones(3, 3), Matrix::Zero(3, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.qkv_bias = true;
  layer.attention.output_projection = true;
  draw_weights(layer, WeightRecipe{});
  return layer;
}

struct Flaw {
  std::string name;
  std::function<void(Layer&)> make;
  std::string what, where, hint;  // texts that the message must contain
};

void check_flaws(const std::vector<Flaw>& flaws) {
  for (const Flaw& flaw : flaws) {
    INFO(flaw.name);
    Layer layer = sound_model();
    flaw.make(layer);
    try {
      validate(layer);
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK_THAT(error.summary(), ContainsSubstring(flaw.what));
      CHECK(error.where() == flaw.where);
      CHECK_THAT(error.hint(), ContainsSubstring(flaw.hint));
      CHECK_FALSE(error.hint().empty());
      CHECK(std::string(error.what()).starts_with(flaw.where + ": "));
    }
  }
}

}  // namespace

TEST_CASE("model: a sound one is accepted, and so are 300 random ones") {
  CHECK_NOTHROW(validate(sound_model()));
  Dice dice(41);
  for (int i = 0; i < 300; ++i)
    CHECK_NOTHROW(validate(random_layer(dice)));
}

TEST_CASE("model: flaws of tokens and embeddings") {
  check_flaws({
      {"no tokens", [](Layer& m) { m.tokens.clear(); }, "there are no tokens", "tokens", "at least one"},
      {"no embeddings", [](Layer& m) { m.embeddings.clear(); }, "there are no embeddings", "embeddings",
       "one row for each token"},
      {"no columns", [](Layer& m) { m.embeddings = {Matrix(3, 0)}; }, "no columns", "embeddings",
       "d_in is at least 1"},
      {"a row too few", [](Layer& m) { m.embeddings[0] = Matrix::Ones(2, 3); }, "is 2 x 3, expected 3 x 3",
       "embeddings[0]", "3 tokens"},
      {"ragged batch", [](Layer& m) { m.embeddings[1] = Matrix::Ones(3, 2); }, "is 3 x 2, expected 3 x 3",
       "embeddings[1]", "all of one width"},
      {"a token too many", [](Layer& m) { m.tokens.emplace_back("d"); }, "is 3 x 3, expected 4 x 3",
       "embeddings[0]", "4 tokens"},
      {"NaN", [](Layer& m) { m.embeddings[1](2, 0) = kNan; }, "row 3, column 1 is not a finite number",
       "embeddings[1]", "replace NaN"},
      {"infinity", [](Layer& m) { m.embeddings[0](0, 1) = -kInfinity; }, "row 1, column 2", "embeddings[0]",
       "replace NaN and infinity"},
  });
}

TEST_CASE("model: flaws of the settings") {
  check_flaws({
      {"d_out", [](Layer& m) { m.attention.d_out = 0; }, "d_out is 0", "attention.d_out", "at least 1"},
      {"negative", [](Layer& m) { m.attention.d_out = -4; }, "d_out is -4", "attention.d_out", "at least 1"},
      {"no heads", [](Layer& m) { m.attention.num_heads = 0; }, "num_heads is 0", "attention.num_heads",
       "at least one head"},
      {"heads", [](Layer& m) { m.attention.num_heads = 3; }, "num_heads 3 does not divide d_out 4",
       "attention.num_heads", "divides 4"},
      {"width", [](Layer& m) { m.attention.projection = Projection::None; }, "d_out is 4, d_in is 3",
       "attention.d_out", "the two are equal"},
      {"scale", [](Layer& m) { m.attention.scale.number = kNan; }, "not a finite number", "attention.scale",
       "number"},
      {"large scale", [](Layer& m) { m.attention.scale.number = 1e39; }, "not a finite number",
       "attention.scale", "3.4e38"},
      {"p", [](Layer& m) { m.attention.dropout.probability = 1.5; }, "probability is 1.5",
       "attention.dropout.probability", "between 0 and 1"},
      {"p below", [](Layer& m) { m.attention.dropout.probability = -0.1; }, "probability is -0.1",
       "attention.dropout.probability", "between 0 and 1"},
      {"p NaN", [](Layer& m) { m.attention.dropout.probability = kNan; }, "probability is",
       "attention.dropout.probability", "between 0 and 1"},
  });
}

TEST_CASE("model: flaws of the weights") {
  check_flaws({
      {"missing", [](Layer& m) { m.weights.matrix(Parameter::Key) = {}; }, "key is missing", "weights.key",
       "give a 3 x 4 matrix"},
      {"shape", [](Layer& m) { m.weights.matrix(Parameter::Query) = Matrix::Ones(4, 3); },
       "query is 4 x 3, expected 3 x 4", "weights.query", "d_in is 3 and d_out is 4"},
      {"layout", [](Layer& m) { m.weights.layout = WeightLayout::OutIn; }, "query is 3 x 4, expected 4 x 3",
       "weights.query", "another layout"},
      {"output", [](Layer& m) { m.weights.matrix(Parameter::Output) = Matrix::Ones(4, 3); },
       "output is 4 x 3, expected 4 x 4", "weights.output", "resize it"},
      {"NaN", [](Layer& m) { m.weights.matrix(Parameter::Value)(1, 3) = kNan; },
       "row 2, column 4 is not a finite number", "weights.value", "replace NaN"},
      {"no bias", [](Layer& m) { m.weights.bias(Parameter::Value) = {}; }, "is 0 x 0, expected 1 x 4",
       "weights.value_bias", "one value for each"},
      {"bias on end", [](Layer& m) { m.weights.bias(Parameter::Key) = Matrix::Ones(4, 1); },
       "is 4 x 1, expected 1 x 4", "weights.key_bias", "one value for each"},
      {"bias", [](Layer& m) { m.weights.bias(Parameter::Output) = Matrix::Ones(1, 5); },
       "is 1 x 5, expected 1 x 4", "weights.output_bias", "one value for each"},
      {"infinite bias", [](Layer& m) { m.weights.bias(Parameter::Query)(0, 2) = kInfinity; },
       "row 1, column 3 is not a finite number", "weights.query_bias", "replace NaN"},
  });
}

TEST_CASE("model: flaws of a custom mask") {
  const auto with_mask = [](Matrix mask) {
    return [mask = std::move(mask)](Layer& m) {
      m.attention.mask = MaskKind::Custom;
      m.custom_mask = mask;
    };
  };
  Matrix half = Matrix::Ones(3, 3), nan = Matrix::Zero(3, 3);
  half(1, 2) = 0.5f;
  nan(0, 0) = kNan;
  check_flaws({
      {"none", with_mask({}), "mask is 0 x 0, expected 3 x 3", "attention.mask", "for each token"},
      {"shape", with_mask(Matrix::Ones(3, 2)), "mask is 3 x 2", "attention.mask", "for each token"},
      {"half", with_mask(half), "row 2, column 3 is neither 0 nor 1", "attention.mask", "1 lets the query"},
      {"NaN", with_mask(nan), "row 1, column 1 is neither 0 nor 1", "attention.mask", "0 forbids it"},
  });
}

TEST_CASE("model: what the settings do not use may be of any shape") {
  Layer layer = sound_model();
  layer.attention.qkv_bias = false;
  layer.weights.bias(Parameter::Query) = Matrix::Constant(5, 5, kNan);
  layer.attention.output_projection = false;
  layer.weights.matrix(Parameter::Output) = {};
  layer.custom_mask = Matrix::Constant(2, 7, 3.0f);
  CHECK_NOTHROW(validate(layer));
  layer.attention.projection = Projection::None;
  layer.attention.d_out = 3;
  layer.attention.num_heads = 3;
  layer.weights = {};
  CHECK_NOTHROW(validate(layer));
}

TEST_CASE("model: the factor of the scale") {
  Layer layer = sound_model();
  CHECK(layer.scale_factor() == static_cast<float>(1.0 / std::sqrt(2.0)));
  layer.attention.scale = {ScaleKind::None, 5.0};
  CHECK(layer.scale_factor() == 1.0f);
  layer.attention.scale = {ScaleKind::Number, -0.1};
  CHECK(layer.scale_factor() == -0.1f);
}

TEST_CASE("model: who may attend to whom") {
  Layer layer = sound_model();
  layer.custom_mask = Matrix::Zero(3, 3);
  layer.custom_mask(0, 2) = 1.0f;
  for (Index query = 0; query < 3; ++query)
    for (Index key = 0; key < 3; ++key) {
      layer.attention.mask = MaskKind::None;
      CHECK(layer.may_attend(query, key));
      layer.attention.mask = MaskKind::Causal;
      CHECK(layer.may_attend(query, key) == (key <= query));
      layer.attention.mask = MaskKind::Custom;
      CHECK(layer.may_attend(query, key) == (query == 0 && key == 2));
    }
}

TEST_CASE("error: one line with the place, what is wrong and how to mend it") {
  const Error error("query is 4 x 3", "weights.query", "resize it");
  CHECK(std::string(error.what()) == "weights.query: query is 4 x 3 (resize it)");
  CHECK(std::string(error.inside("a.headlight").what()) ==
        "a.headlight: weights.query: query is 4 x 3 (resize it)");
  CHECK(std::string(Error("it failed", "", "").what()) == "it failed");
  CHECK(Error("it failed", "", "").inside("a.npy").where() == "a.npy");
}
