#include "engine/interpretation/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Eigen::RowVectorXf logits_of(std::initializer_list<float> numbers) {
  Eigen::RowVectorXf row(static_cast<Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), row.data());
  return row;
}

}  // namespace

TEST_CASE("sampling: tokens are drawn as often as they are likely") {
  const Eigen::RowVectorXf logits = logits_of({std::log(0.1f), std::log(0.6f), std::log(0.3f)});
  TorchStream stream(1);
  std::array<int, 3> counts{};
  for (int i = 0; i < 20000; ++i)
    ++counts[static_cast<std::size_t>(drawn_token(logits, {1, 0}, stream))];
  CHECK_THAT(counts[0] / 20000.0, WithinAbs(0.1, 0.015));
  CHECK_THAT(counts[1] / 20000.0, WithinAbs(0.6, 0.015));
  std::array<int, 3> bolder{};
  for (int i = 0; i < 20000; ++i)
    ++bolder[static_cast<std::size_t>(drawn_token(logits, {0.5, 2}, stream))];
  CHECK(bolder[0] == 0);
  CHECK_THAT(bolder[1] / 20000.0, WithinAbs(0.8, 0.015));  // 0.36 : 0.09
}

TEST_CASE("sampling: a temperature of 0 and a top k of 1 take the likeliest, and no number of the stream") {
  const Eigen::RowVectorXf logits = logits_of({1, 7, 7, std::numeric_limits<float>::quiet_NaN()});
  TorchStream stream(3), untouched(3);
  CHECK(drawn_token(logits, {0, 0}, stream) == 1);
  CHECK(drawn_token(logits, {1, 1}, stream) == 1);
  CHECK(stream.rand() == untouched.rand());
  CHECK_THROWS_AS(require_sampling({-1, 0}), Error);
  CHECK_THROWS_AS(require_sampling({std::numeric_limits<double>::quiet_NaN(), 0}), Error);
  CHECK_THROWS_AS(require_sampling({1, -1}), Error);
}
