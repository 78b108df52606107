#include "engine/interpretation/predictions.h"

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
