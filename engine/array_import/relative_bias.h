// T5's bias: a number for each bucket of distances and each head (Raffel et al. 2020, arXiv 1910.10683).
#pragma once

#include "engine/core/matrix.h"
#include "engine/layer/pair_array.h"

namespace headlight {

struct RelativeBuckets {
  bool both_ways = true;     // half of the buckets are for keys after the query; else those share bucket 0
  Index max_distance = 128;  // from this distance on all share the last bucket
  bool operator==(const RelativeBuckets&) const = default;
};

// The bucket, of `count`, for the key at `distance` = key - query. Half of those of one direction stand for
// one distance each, the others for ranges that grow exponentially, in float32 as in PyTorch. Precondition:
// count >= 1, with both_ways >= 2.
Index relative_bucket(Index distance, Index count, const RelativeBuckets& buckets);

// table: buckets x H. Returns 1 x H x queries x keys.
PairArray relative_bias(const Matrix& table, Index queries, Index keys, const RelativeBuckets& buckets);

}  // namespace headlight
