#include "engine/views/head_summary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/simd/vector_loops.h"

namespace headlight {

namespace {

// The count of numbers without trailing zeros, rounded up by fewer than kTogether.
Index count_without_zeros(const float* numbers, Index count) {
  constexpr Index kTogether = 16;
  static constexpr float kZeros[kTogether] = {};
  // Compares bits for speed, so -0 counts as a number that is not zero.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  while (count > kTogether && std::memcmp(numbers + count - kTogether, kZeros, sizeof kZeros) == 0)
    count -= kTogether;
  return count;
}

}  // namespace

void HeadSums::add_row(Index query, double sum, double logarithmic, double far, float first_weight) {
  if (!std::isfinite(sum)) ++left_out;
  if (!std::isfinite(sum) || sum <= 0) return;
  // For shares e / sum, whose logarithm is the exponent minus that of the sum.
  entropy += (std::log(sum) - logarithmic / sum) / std::log(2.0);
  distance += far / sum;
  ++rows;
  if (query == 0) return;
  if (first_weight > 0) first += static_cast<double>(first_weight);
  ++behind_first;
}

void HeadSums::add(const HeadSums& other) {
  entropy += other.entropy;
  distance += other.distance;
  first += other.first;
  rows += other.rows;
  behind_first += other.behind_first;
  left_out += other.left_out;
}

HeadSummary HeadSums::means() const {
  HeadSummary summary;
  summary.left_out = left_out;
  if (rows == 0) return summary;
  const auto count = static_cast<double>(rows);
  summary.entropy_bits = static_cast<float>(std::max(0.0, entropy / count));
  summary.mean_distance = static_cast<float>(distance / count);
  if (behind_first > 0) summary.first_weight = static_cast<float>(first / static_cast<double>(behind_first));
  summary.rows = rows;
  return summary;
}

HeadSummary summarize_head(RowSource weights, Index offset) {
  const VectorLoops& loops = best_vector_loops();
  HeadSums all;
  for (Index row = 0; row < weights.rows(); ++row) {
    // Keys after the last one attended to add nothing: half of the cells under a causal mask.
    const float* numbers = weights.row(row);
    const Index count = count_without_zeros(numbers, weights.cols());
    const WeightSums sums = loops.sum_weights(numbers, count, row + offset);
    if (!std::isfinite(sums.all)) ++all.left_out;
    if (!std::isfinite(sums.all) || sums.all <= 0) continue;
    // For shares, which are the weights divided by their sum.
    all.entropy += std::log2(sums.all) - sums.logarithmic / sums.all / std::log(2.0);
    all.distance += sums.distance / sums.all;
    ++all.rows;
    if (row + offset == 0) continue;
    all.first += std::abs(numbers[0]) / sums.all;
    ++all.behind_first;
  }
  return all.means();
}

}  // namespace headlight
