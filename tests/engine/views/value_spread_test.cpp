// Percentiles and extremes of a matrix's numbers, against sorting.
#include "engine/views/value_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr auto kUnmarked = [](Index, Index) { return CellMark::None; };

// numpy.percentile with its default linear interpolation.
float percentile(std::vector<float> numbers, double share) {
  std::sort(numbers.begin(), numbers.end());
  const double at = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return static_cast<float>(
      std::lerp(double{numbers[below]}, double{numbers[above]}, at - static_cast<double>(below)));
}

void check_spread(const ValueSpread& spread, const std::vector<float>& numbers) {
  REQUIRE(spread.count == static_cast<Index>(numbers.size()));
  if (numbers.empty()) return;
  CHECK(spread.low == *std::min_element(numbers.begin(), numbers.end()));
  CHECK(spread.high == *std::max_element(numbers.begin(), numbers.end()));
  CHECK(spread.percentile_2 == percentile(numbers, 0.02));
  CHECK(spread.percentile_98 == percentile(numbers, 0.98));
  float least = 0;
  for (const float number : numbers)
    if (number > 0 && (least == 0 || number < least)) least = number;
  CHECK(spread.least_positive == least);
}

}  // namespace

TEST_CASE("spread: 0 to 100 has its 2nd percentile at 2") {
  Matrix numbers(1, 101);
  for (Index i = 0; i <= 100; ++i)
    numbers(0, i) = static_cast<float>(100 - i);
  const ValueSpread spread = spread_of(numbers, 0, kUnmarked);
  CHECK(spread.percentile_2 == 2.0f);
  CHECK(spread.percentile_98 == 98.0f);
  CHECK(spread.least_positive == 1.0f);
}

TEST_CASE("spread: of one number it is that number, of none it is empty") {
  const ValueSpread one = spread_of(Matrix::Constant(1, 1, -3.5f), 0, kUnmarked);
  CHECK(one.count == 1);
  CHECK(one.percentile_2 == -3.5f);
  CHECK(one.percentile_98 == -3.5f);
  CHECK(one.least_positive == 0.0f);
  CHECK(spread_of(Matrix::Constant(3, 1, 1.0f), 1, kUnmarked).count == 0);
  CHECK(spread_of(Matrix::Constant(2, 2, NAN), 0, kUnmarked).count == 0);
}

TEST_CASE("spread: exact on random matrices with NaN, infinities and equal numbers, of every size") {
  Dice dice(91);
  for (int round = 0; round < 60; ++round) {
    Matrix matrix = dice.matrix(dice.between(1, 60), dice.between(1, 60), dice.pick<double>({1e-3, 1, 1e20}));
    std::vector<CellMark> marks(static_cast<std::size_t>(matrix.size()), CellMark::None);
    for (Index i = 0; i < matrix.size(); ++i) {
      float& value = matrix.data()[i];
      if (dice.chance(0.05)) value = std::numeric_limits<float>::quiet_NaN();
      if (dice.chance(0.05))
        value = std::numeric_limits<float>::infinity() * (dice.chance(0.5) ? 1.0f : -1.0f);
      if (dice.chance(0.3)) value = std::round(value);
      if (dice.chance(0.1)) marks[static_cast<std::size_t>(i)] = CellMark::Masked;
      if (dice.chance(0.1)) marks[static_cast<std::size_t>(i)] = CellMark::Dropped;
    }
    const Index begin = dice.below(2);
    std::vector<float> numbers;
    for (Index r = 0; r < matrix.rows(); ++r)
      for (Index c = begin; c < matrix.cols(); ++c)
        if (std::isfinite(matrix(r, c)) &&
            marks[static_cast<std::size_t>(r * matrix.cols() + c)] == CellMark::None)
          numbers.push_back(matrix(r, c));
    check_spread(
        spread_of(matrix, begin,
                  [&](Index r, Index c) { return marks[static_cast<std::size_t>(r * matrix.cols() + c)]; }),
        numbers);
  }
}

TEST_CASE("spread: a tile has it only when it is asked for, and pooling does not change it") {
  Dice dice(92);
  for (int round = 0; round < 40; ++round) {
    const Evaluator evaluator = evaluate(random_layer(dice));
    TileRequest request;
    request.stage = dice.pick<Stage>({Stage::Scores, Stage::Masked, Stage::Weights, Stage::Dropped});
    CHECK(evaluator.tile(request).spread.count == 0);
    request.spread = true;
    request.spread_begin = dice.below(2);
    std::vector<float> numbers;
    const Matrix& whole = evaluator.matrix(request.stage, 0, 0);
    for (Index r = 0; r < whole.rows(); ++r)
      for (Index c = request.spread_begin; c < whole.cols(); ++c)
        if (std::isfinite(whole(r, c)) && evaluator.mark(request.stage, 0, 0, r, c) == CellMark::None)
          numbers.push_back(whole(r, c));
    check_spread(evaluator.tile(request).spread, numbers);
    request.max_rows = request.max_columns = 2;
    check_spread(evaluator.tile(request).spread, numbers);
  }
}
