#include "engine/array_import/relative_bias.h"

#include <algorithm>
#include <cmath>

namespace headlight {

Index relative_bucket(Index distance, Index count, const RelativeBuckets& buckets) {
  const Index side = buckets.both_ways ? count / 2 : count;
  const Index first = buckets.both_ways && distance > 0 ? side : 0;
  const Index far = buckets.both_ways ? std::abs(distance) : std::max<Index>(-distance, 0);
  const Index exact = side / 2;
  if (far < exact || exact == 0) return first + (exact == 0 ? 0 : far);
  if (buckets.max_distance <= exact) return first + side - 1;
  const float share = std::log(static_cast<float>(far) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(buckets.max_distance) / static_cast<float>(exact));
  const auto step = static_cast<Index>(share * static_cast<float>(side - exact));
  return first + std::min(exact + step, side - 1);
}

PairArray relative_bias(const Matrix& table, Index queries, Index keys, const RelativeBuckets& buckets) {
  PairArray bias{1, table.cols(), {}};
  bias.matrices.assign(static_cast<std::size_t>(table.cols()), Matrix(queries, keys));
  for (Index query = 0; query < queries; ++query)
    for (Index key = 0; key < keys; ++key) {
      const Index bucket = relative_bucket(key - query, table.rows(), buckets);
      for (Index head = 0; head < table.cols(); ++head)
        bias.matrices[static_cast<std::size_t>(head)](query, key) = table(bucket, head);
    }
  return bias;
}

}  // namespace headlight
