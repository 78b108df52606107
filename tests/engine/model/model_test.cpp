// The requirements on a model, and the message for each violation.
#include <cmath>
#include <functional>
#include <string>

#include "engine/core/error.h"
#include "engine/model/model.h"
#include "engine/model/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// T 3, d_in 3, B 2, two heads, d_out 4, biases and an output projection, InOut.
Model sound_model() {
  Model model;
  model.tokens = {"a", "b", "c"};
  model.embeddings = {Matrix::Ones(3, 3), Matrix::Zero(3, 3)};
  model.attention.projection = Projection::Linear;
  model.attention.d_out = 4;
  model.attention.num_heads = 2;
  model.attention.qkv_bias = true;
  model.attention.output_projection = true;
  draw_weights(model, WeightRecipe{});
  return model;
}

struct Flaw {
  std::string name;
  std::function<void(Model&)> make;
  std::string what, where, hint;  // texts that the message must contain
};

void check_flaws(const std::vector<Flaw>& flaws) {
  for (const Flaw& flaw : flaws) {
    INFO(flaw.name);
    Model model = sound_model();
    flaw.make(model);
    try {
      validate(model);
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
    CHECK_NOTHROW(validate(random_model(dice)));
}

TEST_CASE("model: flaws of tokens and embeddings") {
  check_flaws({
      {"no tokens", [](Model& m) { m.tokens.clear(); }, "there are no tokens", "tokens", "at least one"},
      {"no embeddings", [](Model& m) { m.embeddings.clear(); }, "there are no embeddings", "embeddings",
       "one row for each token"},
      {"no columns", [](Model& m) { m.embeddings = {Matrix(3, 0)}; }, "no columns", "embeddings",
       "d_in is at least 1"},
      {"a row too few", [](Model& m) { m.embeddings[0] = Matrix::Ones(2, 3); }, "is 2 x 3, expected 3 x 3",
       "embeddings[0]", "3 tokens"},
      {"ragged batch", [](Model& m) { m.embeddings[1] = Matrix::Ones(3, 2); }, "is 3 x 2, expected 3 x 3",
       "embeddings[1]", "all of one width"},
      {"a token too many", [](Model& m) { m.tokens.emplace_back("d"); }, "is 3 x 3, expected 4 x 3",
       "embeddings[0]", "4 tokens"},
      {"NaN", [](Model& m) { m.embeddings[1](2, 0) = kNan; }, "row 3, column 1 is not a finite number",
       "embeddings[1]", "replace NaN"},
      {"infinity", [](Model& m) { m.embeddings[0](0, 1) = -kInfinity; }, "row 1, column 2", "embeddings[0]",
       "replace NaN and infinity"},
  });
}

TEST_CASE("model: flaws of the settings") {
  check_flaws({
      {"d_out", [](Model& m) { m.attention.d_out = 0; }, "d_out is 0", "attention.d_out", "at least 1"},
      {"negative", [](Model& m) { m.attention.d_out = -4; }, "d_out is -4", "attention.d_out", "at least 1"},
      {"no heads", [](Model& m) { m.attention.num_heads = 0; }, "num_heads is 0", "attention.num_heads",
       "at least one head"},
      {"heads", [](Model& m) { m.attention.num_heads = 3; }, "num_heads 3 does not divide d_out 4",
       "attention.num_heads", "divides 4"},
      {"width", [](Model& m) { m.attention.projection = Projection::None; }, "d_out is 4, d_in is 3",
       "attention.d_out", "the two are equal"},
      {"scale", [](Model& m) { m.attention.scale.number = kNan; }, "not a finite number", "attention.scale",
       "number"},
      {"large scale", [](Model& m) { m.attention.scale.number = 1e39; }, "not a finite number",
       "attention.scale", "3.4e38"},
      {"p", [](Model& m) { m.attention.dropout.probability = 1.5; }, "probability is 1.5",
       "attention.dropout.probability", "between 0 and 1"},
      {"p below", [](Model& m) { m.attention.dropout.probability = -0.1; }, "probability is -0.1",
       "attention.dropout.probability", "between 0 and 1"},
      {"p NaN", [](Model& m) { m.attention.dropout.probability = kNan; }, "probability is",
       "attention.dropout.probability", "between 0 and 1"},
  });
}

TEST_CASE("model: flaws of the weights") {
  check_flaws({
      {"missing", [](Model& m) { m.weights.matrix(Parameter::Key) = {}; }, "key is missing", "weights.key",
       "give a 3 x 4 matrix"},
      {"shape", [](Model& m) { m.weights.matrix(Parameter::Query) = Matrix::Ones(4, 3); },
       "query is 4 x 3, expected 3 x 4", "weights.query", "d_in is 3 and d_out is 4"},
      {"layout", [](Model& m) { m.weights.layout = WeightLayout::OutIn; }, "query is 3 x 4, expected 4 x 3",
       "weights.query", "another layout"},
      {"output", [](Model& m) { m.weights.matrix(Parameter::Output) = Matrix::Ones(4, 3); },
       "output is 4 x 3, expected 4 x 4", "weights.output", "resize it"},
      {"NaN", [](Model& m) { m.weights.matrix(Parameter::Value)(1, 3) = kNan; },
       "row 2, column 4 is not a finite number", "weights.value", "replace NaN"},
      {"no bias", [](Model& m) { m.weights.bias(Parameter::Value) = {}; }, "is 0 x 0, expected 1 x 4",
       "weights.value_bias", "one value for each"},
      {"bias on end", [](Model& m) { m.weights.bias(Parameter::Key) = Matrix::Ones(4, 1); },
       "is 4 x 1, expected 1 x 4", "weights.key_bias", "one value for each"},
      {"bias", [](Model& m) { m.weights.bias(Parameter::Output) = Matrix::Ones(1, 5); },
       "is 1 x 5, expected 1 x 4", "weights.output_bias", "one value for each"},
      {"infinite bias", [](Model& m) { m.weights.bias(Parameter::Query)(0, 2) = kInfinity; },
       "row 1, column 3 is not a finite number", "weights.query_bias", "replace NaN"},
  });
}

TEST_CASE("model: flaws of a custom mask") {
  const auto with_mask = [](Matrix mask) {
    return [mask = std::move(mask)](Model& m) {
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
  Model model = sound_model();
  model.attention.qkv_bias = false;
  model.weights.bias(Parameter::Query) = Matrix::Constant(5, 5, kNan);
  model.attention.output_projection = false;
  model.weights.matrix(Parameter::Output) = {};
  model.custom_mask = Matrix::Constant(2, 7, 3.0f);
  CHECK_NOTHROW(validate(model));
  model.attention.projection = Projection::None;
  model.attention.d_out = 3;
  model.attention.num_heads = 3;
  model.weights = {};
  CHECK_NOTHROW(validate(model));
}

TEST_CASE("model: the factor of the scale") {
  Model model = sound_model();
  CHECK(model.scale_factor() == static_cast<float>(1.0 / std::sqrt(2.0)));
  model.attention.scale = {ScaleKind::None, 5.0};
  CHECK(model.scale_factor() == 1.0f);
  model.attention.scale = {ScaleKind::Number, -0.1};
  CHECK(model.scale_factor() == -0.1f);
}

TEST_CASE("model: who may attend to whom") {
  Model model = sound_model();
  model.custom_mask = Matrix::Zero(3, 3);
  model.custom_mask(0, 2) = 1.0f;
  for (Index query = 0; query < 3; ++query)
    for (Index key = 0; key < 3; ++key) {
      model.attention.mask = MaskKind::None;
      CHECK(model.may_attend(query, key));
      model.attention.mask = MaskKind::Causal;
      CHECK(model.may_attend(query, key) == (key <= query));
      model.attention.mask = MaskKind::Custom;
      CHECK(model.may_attend(query, key) == (query == 0 && key == 2));
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
