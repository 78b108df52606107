// The innermost loops against plain ones, with each set of instructions that this processor has.
#include "engine/core/vector_loops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("vector loops: sums of weights, their logarithms and distances") {
  Dice dice(51);
  for (int round = 0; round < 200; ++round) {
    const Index count = dice.between(1, 70), own = dice.below(count);
    Matrix weights = dice.matrix(1, count);
    for (float& weight : weights.row(0)) {
      if (dice.chance(0.2)) weight = 0.0f;
      if (dice.chance(0.2)) weight *= static_cast<float>(std::pow(10.0, dice.real(-42, 30)));
    }
    double all = 0, logarithmic = 0, distance = 0, size = 0;
    for (Index i = 0; i < count; ++i) {
      const double w = std::abs(static_cast<double>(weights(i)));
      all += w;
      if (w > 0) logarithmic += w * std::log(w), size += std::abs(w * std::log(w));
      distance += w * static_cast<double>(std::abs(i - own));
    }
    for (const InstructionSet set : instruction_sets()) {
      INFO(instruction_set_name(set));
      const WeightSums sums = vector_loops(set).sum_weights(weights.data(), count, own);
      CHECK_THAT(static_cast<double>(sums.all), WithinRel(all, 1e-5));
      CHECK(std::abs(static_cast<double>(sums.logarithmic) - logarithmic) <= 1e-5 * size + 1e-30);
      CHECK_THAT(static_cast<double>(sums.distance), WithinRel(distance, 1e-5));
    }
  }
  const float bad[] = {0.5f, std::numeric_limits<float>::quiet_NaN()};
  const float infinite[] = {0.5f, std::numeric_limits<float>::infinity()};
  for (const InstructionSet set : instruction_sets()) {
    CHECK_FALSE(std::isfinite(vector_loops(set).sum_weights(bad, 2, 0).all));
    CHECK_FALSE(std::isfinite(vector_loops(set).sum_weights(infinite, 2, 0).all));
  }
}

TEST_CASE("vector loops: powers of e, to the last place but one, wherever they stand") {
  Dice dice(53);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0,         -0.0f,  1,       -1,      88.7f, 88.73f,    200,
                          kInfinity, -87.4f, -103.9f, -104.1f, -200,  -kInfinity};
  while (x.size() < 4001)
    x.push_back(static_cast<float>(dice.real(-104, 89) * (dice.chance(0.5) ? 1 : 0.01)));
  for (const InstructionSet set : instruction_sets()) {
    INFO(instruction_set_name(set));
    const VectorLoops& loops = vector_loops(set);
    std::vector<float> all(x.size());
    loops.exponentiate(x.data(), static_cast<Index>(x.size()), 0.0f, all.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(static_cast<double>(x[i]));
      INFO(x[i] << " gives " << all[i]);
      float alone = 0;
      loops.exponentiate(&x[i], 1, 0.0f, &alone);
      CHECK(std::memcmp(&alone, &all[i], sizeof alone) == 0);
      if (exact > static_cast<double>(std::numeric_limits<float>::max())) {
        CHECK(all[i] == kInfinity);
        continue;
      }
      const double place =
          std::max(static_cast<double>(std::nextafter(static_cast<float>(exact), kInfinity)) -
                       static_cast<double>(static_cast<float>(exact)),
                   1.5e-45);
      CHECK(std::abs(static_cast<double>(all[i]) - exact) <= 1.2 * place);
    }
    CHECK(all[0] == 1.0f);
    const float odd[] = {std::numeric_limits<float>::quiet_NaN(), 3};
    float out[2];
    loops.exponentiate(odd, 2, 3.0f, out);
    CHECK(std::isnan(out[0]));
    CHECK(out[1] == 1.0f);
  }
}

TEST_CASE("vector loops: the ends of what the columns hold") {
  Dice dice(52);
  for (const InstructionSet set : instruction_sets()) {
    const Matrix cells = dice.matrix(5, 37);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Eigen::RowVectorXf low = Eigen::RowVectorXf::Constant(37, kInfinity), high = -low;
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(37);
    vector_loops(set).widen(cells.data(), 37, 2, 36, low.data(), high.data(), sum.data());
    vector_loops(set).widen(cells.row(2).data(), 37, 3, 36, low.data(), high.data(), sum.data());
    CHECK(low.head(36) == cells.leftCols(36).colwise().minCoeff());
    CHECK(high.head(36) == cells.leftCols(36).colwise().maxCoeff());
    CHECK(sum.head(36).isApprox(cells.leftCols(36).colwise().sum(), 1e-5f));
    CHECK(low(36) == kInfinity);  // nothing is touched behind the count
    CHECK(sum(36) == 0.0f);
  }
}
