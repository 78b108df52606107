// The changes that answer the questions of a class.
#include "app/document/what_if.h"

#include "engine/attention/evaluator.h"
#include "engine/layer/layer_difference.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;

TEST_CASE("what if: whatever is offered for any layer leaves it valid and changed") {
  headlight_test::Dice dice(5);
  for (int i = 0; i < 200; ++i) {
    const Layer before = headlight_test::random_cross_layer(dice);
    for (const WhatIf& what_if : what_ifs(before)) {
      INFO(what_if.question);
      Layer after = before;
      what_if.change(after);
      CHECK_NOTHROW(validate(after));
      CHECK_FALSE(layer_differences(before, after).empty());
      CHECK(stage_exists(after, what_if.stage));
    }
  }
}

TEST_CASE("what if: averaged tokens have equal weights, a hidden future the first row 1") {
  headlight_test::Dice dice(6);
  const Layer before = headlight_test::random_model_where(dice, [](const Layer& layer) {
    return layer.token_count() == 4 && layer.attention.normalization == Normalization::Softmax &&
           layer.attention.mask == MaskKind::None && layer.attention.projection == Projection::Linear;
  });
  for (const WhatIf& what_if : what_ifs(before)) {
    Layer after = before;
    what_if.change(after);
    const Matrix weights = evaluate(after).matrix(Stage::Weights, 0, 0);
    if (what_if.question.find("averaged") != std::string::npos) CHECK(weights.isConstant(0.25f));
    if (what_if.question.find("future") != std::string::npos) CHECK(weights(0, 0) == 1.0f);
  }
}
