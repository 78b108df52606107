// The innermost loops against plain ones, for each supported instruction set.
#include "engine/simd/vector_loops.h"

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
    CHECK(low(36) == kInfinity);  // nothing is written beyond the count
    CHECK(sum(36) == 0.0f);
  }
}

TEST_CASE("vector loops: transposing, and interleaving rows for products") {
  Dice dice(55);
  for (int round = 0; round < 60; ++round) {
    const Index rows = dice.between(1, 50), columns = dice.between(1, 50);
    const Matrix from = dice.matrix(rows, columns + 3);
    for (const InstructionSet set : instruction_sets()) {
      INFO(instruction_set_name(set) << ": " << rows << " x " << columns);
      const VectorLoops& loops = vector_loops(set);
      Matrix to = Matrix::Constant(columns, rows + 2, 9.0f);
      loops.transpose(from.data(), from.cols(), rows, columns, to.data(), to.cols());
      CHECK(to.leftCols(rows) == from.leftCols(columns).transpose());
      CHECK(to.rightCols(2) == Matrix::Constant(columns, 2, 9.0f));

      const Index there = std::min<Index>(rows, loops.tile_rows);
      std::vector<float> mixed(static_cast<std::size_t>(columns * loops.tile_rows + kInterleaveRoom));
      loops.interleave(from.data(), from.cols(), there, columns, mixed.data());
      for (Index step = 0; step < columns; ++step)
        for (Index row = 0; row < loops.tile_rows; ++row)
          REQUIRE(mixed[static_cast<std::size_t>(step * loops.tile_rows + row)] ==
                  (row < there ? from(row, step) : 0.0f));
    }
  }
}

TEST_CASE("vector loops: the maxima, exponentials and weights of strips of scores") {
  Dice dice(56);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int round = 0; round < 40; ++round)
    for (const InstructionSet set : instruction_sets()) {
      INFO(instruction_set_name(set));
      const VectorLoops& loops = vector_loops(set);
      const Index keys = dice.between(1, 150), width = loops.tile_columns;
      const float factor = static_cast<float>(dice.real(-1, 1));
      // For large scores every digit matters: the subtracted maximum must be that of the rounded products.
      const Matrix scores = dice.matrix(keys, width, dice.pick<double>({8.0, 8.0, 1e3, 1e6}));
      Matrix bias = Matrix::Zero(keys, width);
      const bool masks = dice.chance(0.6);
      if (masks) bias = (dice.matrix(keys, width).array() > 0.3f).select(-kInfinity, bias);
      const float* biases = masks ? bias.data() : nullptr;
      const Matrix scaled = scores * factor + bias;
      Matrix most = Matrix::Constant(1, width, -kInfinity), sum = dice.matrix(1, width);
      sum.array() += 1.5f;
      loops.strip_maximum(scores.data(), keys, factor, biases, most.data());
      const Matrix highest = most;
      most = (most.array() == -kInfinity).select(Matrix::Zero(1, width), most);
      Matrix out(keys, width), weights(keys, width);
      Eigen::ArrayXd sums = Eigen::ArrayXd::Ones(width);
      Matrix sixteens((keys + 15) / 16, width);
      loops.strip_exponentials(scores.data(), keys, factor, biases, most.data(), out.data(), sums.data(),
                               sixteens.data());
      loops.strip_weights(scores.data(), keys, factor, biases, most.data(), sum.data(), -2.0f,
                          weights.data());
      Eigen::ArrayXd logarithmic = Eigen::ArrayXd::Zero(width), distance = logarithmic;
      const auto away = static_cast<float>(dice.between(-20, 200));
      loops.strip_shares(scores.data(), keys, factor, biases, most.data(), away, logarithmic.data(),
                         distance.data());
      for (Index lane = 0; lane < width; ++lane) {
        double all = 1, far = 0, logarithms = 0;
        float largest = -kInfinity;
        for (Index key = 0; key < keys; ++key) {
          const bool open = bias(key, lane) == 0.0f;
          const double e = open ? std::exp(static_cast<double>(scaled(key, lane)) - most(lane)) : 0.0;
          REQUIRE_THAT(static_cast<double>(out(key, lane)), WithinAbs(e, 5e-6 * e + 1e-30));
          const double weight = open ? e / static_cast<double>(sum(lane)) : -2.0;
          REQUIRE_THAT(static_cast<double>(weights(key, lane)),
                       WithinAbs(weight, 5e-6 * std::abs(weight) + 1e-30));
          all += e;
          far += e * std::abs(static_cast<double>(away) + static_cast<double>(lane - key));
          if (open) logarithms += e * (static_cast<double>(scaled(key, lane)) - most(lane));
          if (!open) continue;
          largest = std::max(largest, scaled(key, lane));
        }
        REQUIRE_THAT(sums(lane), WithinRel(all, 1e-6));
        REQUIRE_THAT(distance(lane), WithinAbs(far, 1e-5 * far + 1e-20));
        REQUIRE_THAT(logarithmic(lane), WithinAbs(logarithms, 1e-5 * std::abs(logarithms) + 1e-6 * all));
        for (Index i = 0; i < sixteens.rows(); ++i) {
          const float sum_of = out.col(lane).segment(16 * i, std::min<Index>(16, keys - 16 * i)).sum();
          REQUIRE_THAT(sixteens(i, lane), WithinRel(sum_of, 1e-5f));
        }
        REQUIRE((highest(lane) == largest || std::abs(highest(lane) - largest) < 1e-5f));
      }
    }
}

TEST_CASE("vector loops: pooling keys of a strip, and folding its columns") {
  Dice dice(57);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int round = 0; round < 60; ++round)
    for (const InstructionSet set : instruction_sets()) {
      INFO(instruction_set_name(set));
      const VectorLoops& loops = vector_loops(set);
      const Index keys = dice.between(1, 40), width = loops.tile_columns;
      const Matrix scores = dice.matrix(keys, width, 8.0);
      Matrix bias = Matrix::Zero(keys, width);
      const bool masks = dice.chance(0.6);
      if (masks) bias = (dice.matrix(keys, width).array() > 0.0f).select(-kInfinity, bias);
      Matrix low(1, width), high = low, sum = low;
      const float* biases = masks ? bias.data() : nullptr;
      loops.strip_pool(scores.data(), keys, biases, low.data(), high.data(), sum.data());
      const Matrix ends = dice.matrix(1, width, 8.0);
      Matrix wider_low = ends, wider_high = ends;
      loops.strip_ends(scores.data(), keys, biases, wider_low.data(), wider_high.data());
      CHECK(wider_low == ends.cwiseMin(low));
      CHECK(wider_high == ends.cwiseMax(high));
      for (Index lane = 0; lane < width; ++lane) {
        float least = kInfinity, most = -kInfinity, all = 0;
        for (Index key = 0; key < keys; ++key) {
          if (bias(key, lane) != 0.0f) continue;
          least = std::min(least, scores(key, lane));
          most = std::max(most, scores(key, lane));
          all += scores(key, lane);
        }
        REQUIRE(low(lane) == least);
        REQUIRE(high(lane) == most);
        REQUIRE_THAT(sum(lane), WithinAbs(all, 1e-3));
      }

      const Index lanes = dice.between(1, std::min<Index>(16, width));
      const Matrix before = dice.matrix(1, keys, 8.0);
      Matrix lows = before, highs = before, sums = before;
      loops.fold_low(scores.data(), keys, lanes, lows.data());
      loops.fold_high(scores.data(), keys, lanes, highs.data());
      loops.fold_sum(scores.data(), keys, lanes, sums.data());
      for (Index key = 0; key < keys; ++key) {
        const auto folded = scores.row(key).head(lanes);
        REQUIRE(lows(key) == std::min(before(key), folded.minCoeff()));
        REQUIRE(highs(key) == std::max(before(key), folded.maxCoeff()));
        REQUIRE_THAT(sums(key), WithinAbs(before(key) + folded.sum(), 1e-3));
      }
    }
}
