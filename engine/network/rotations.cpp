#include "engine/network/rotations.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headlight {
namespace {

// The bucket of a distance, key - query. Half of the buckets are for keys after the query if there are such.
// The first half of a side has a bucket for each distance, the others grow with its logarithm up to
// `farthest`.
Index bucket_of(Index distance, const RelativeBias& bias, bool causal) {
  Index buckets = bias.buckets, bucket = 0;
  if (!causal) {
    buckets /= 2;
    if (distance > 0) bucket = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max<Index>(0, -distance);
  }
  const Index exact = buckets / 2;
  if (distance < exact) return bucket + distance;
  // In float32 as in the library, where a distance is at the end of a bucket.
  const float share =
      std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(bias.farthest) / static_cast<double>(exact)));
  const auto far = exact + static_cast<Index>(share * static_cast<float>(buckets - exact));
  return bucket + std::min(far, buckets - 1);
}

PairArray relative_positions(const NetworkConfig& c, const Matrix& table, Index tokens) {
  PairArray bias{1, c.heads, {}};
  for (Index head = 0; head < c.heads; ++head) {
    Matrix& own = bias.matrices.emplace_back(tokens, tokens);
    for (Index query = 0; query < tokens; ++query)
      for (Index key = 0; key < tokens; ++key)
        own(query, key) = table(bucket_of(key - query, c.relative_bias, c.causal), head);
  }
  return bias;
}

// Rounded to the nearest number of bfloat16, ties to the even one.
float as_bfloat16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return std::bit_cast<float>((bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u);
}

PairArray rounded_alibi(const NetworkConfig& c, Index tokens) {
  const std::vector<double> slopes = alibi_slopes(c.heads);
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(c.head_width)));
  PairArray bias{1, c.heads, {}};
  for (const double slope : slopes) {
    Matrix& own = bias.matrices.emplace_back(1, tokens);
    for (Index key = 0; key < tokens; ++key)
      own(0, key) =
          scale * as_bfloat16(as_bfloat16(static_cast<float>(slope)) * as_bfloat16(static_cast<float>(key)));
  }
  return bias;
}

}  // namespace

bool Rotations::prepare(const std::vector<Position>& layers, Index head_width, Index tokens, Index room) {
  std::vector<Position> positions;
  std::vector<Turned> turned;
  const auto number_of = [&](Position own, Index start) -> std::size_t {
    if (own.kind != PositionKind::Rotary) return 0;
    own.start = start;
    own.key_start = 0;
    const auto found = std::find(positions.begin(), positions.end(), own);
    const auto number = static_cast<std::size_t>(found - positions.begin()) + 1;
    if (found == positions.end()) positions.push_back(own);
    return number;
  };
  for (const Position& own : layers) {
    const std::size_t queries = number_of(own, own.start);
    turned.push_back({queries, number_of(own, own.key_start)});
  }
  const bool same =
      turned == layers_ && std::equal(positions.begin(), positions.end(), ways_.begin(), ways_.end(),
                                      [](const Position& a, const Way& b) { return a == b.position; });
  if (same && tokens <= covered_) return false;
  layers_ = std::move(turned);
  covered_ = room;
  ways_.clear();
  for (const Position& own : positions)
    ways_.push_back({own, Rotation(own, own.dims > 0 ? own.dims : head_width, own.start, room)});
  return !same;
}

HeadRotations Rotations::of(Index layer) const {
  if (layers_.empty()) return {};
  const Turned& turned = layers_[static_cast<std::size_t>(layer)];
  return {way(turned.queries), way(turned.keys)};
}

PairArray score_bias_of(const NetworkConfig& c, const Matrix& relative_bias, Index tokens) {
  if (c.relative_bias.buckets > 0) return relative_positions(c, relative_bias, tokens);
  return c.rounded_alibi ? rounded_alibi(c, tokens) : PairArray{};
}

}  // namespace headlight
