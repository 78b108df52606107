#include "engine/network/predictions.h"

#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("predictions: the largest first, equal ones by their id, NaN last") {
  Eigen::RowVectorXf logits(5);
  logits << 1, 3, 3, -std::numeric_limits<float>::infinity(), 2;
  const std::vector<Prediction> all = likeliest(logits, 9);
  REQUIRE(all.size() == 5);
  CHECK(all[0].id == 1);
  CHECK(all[1].id == 2);
  CHECK(all[2].id == 4);
  CHECK(all[4].id == 3);
  CHECK(all[4].probability == 0);
  double sum = 0;
  for (const Prediction& one : all) {
    sum += one.probability;
    CHECK(prediction_of(logits, one.id).probability == one.probability);
  }
  CHECK_THAT(sum, WithinAbs(1, 1e-12));
  CHECK_THAT(all[0].probability / all[2].probability, WithinAbs(std::exp(1.0), 1e-9));
  CHECK(likeliest(logits, 2).size() == 2);
  logits(1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(likeliest(logits, 5).front().id == 2);
  CHECK(likeliest(logits, 5).back().id == 1);
}

TEST_CASE("predictions: a masked word is filled in, and texts are continued") {
  const auto bert = open_model("bert"), gpt2 = open_model("gpt2");
  CHECK(predicted_position(*gpt2, {5, 6, 7}) == 2);
  const std::vector<std::int32_t> ids = bert->encode("a [MASK] cat");
  CHECK(ids[static_cast<std::size_t>(predicted_position(*bert, ids))] == bert->mask_token());
  CHECK_THROWS_AS(predicted_position(*bert, bert->encode("a cat")), Error);
}

TEST_CASE("network pass: weights of one's own go through as if the checkpoint had them") {
  for (const std::string family : kFamilies) {
    INFO(family);
    const Index layer = 1;
    NetworkPass pass = golden_pass(family);
    const Index last = pass.network().config().layers;
    const Matrix before = pass.residual(last);
    for (const Parameter parameter : kParameters) {
      const LayerWeights& weights = pass.network().weights().layers[1];
      const Factor& factor = parameter == Parameter::Query   ? weights.query
                             : parameter == Parameter::Key   ? weights.key
                             : parameter == Parameter::Value ? weights.value
                                                             : weights.output;
      NetworkPass::OwnWeights own{widened(factor), widened_bias(factor)};
      pass.set_weights(layer, parameter, own);
      CHECK(largest_difference(pass.residual(last), before) < 2e-5f);
      own.w.row(1) *= -1;
      pass.set_weights(layer, parameter, own);
      const Matrix changed = pass.residual(last);
      CHECK(largest_difference(changed, before) > 1e-3f);
      NetworkPass other(pass.network_owner());
      other.set_weights(layer, parameter, own);
      other.set_ids(golden_ids(family));
      CHECK(largest_difference(other.residual(last), changed) < 2e-5f);
      pass.set_weights(layer, parameter, {});
      CHECK(largest_difference(pass.residual(last), before) < 2e-5f);
    }
  }
}
