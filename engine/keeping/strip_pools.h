// The scores of one head pooled along the keys, of each query and block of keys the least and the largest,
// and these along the queries: what tiles of all stages are made of. Kept from edit to edit, so that a moved
// key costs what it changes.
// Private to engine/keeping.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/views/span.h"

namespace headlight {

struct PoolRequest {
  Span rows, columns;  // cut into parts, as a tile is; what is before and behind is a block each
  Index row_parts = 1, column_parts = 1;
  bool masked = false;  // only keys that the query may attend to count
  bool operator==(const PoolRequest&) const = default;
};

struct PoolShape {
  Index queries = 0, keys = 0;
};

struct StripPool {
  StripPool(const PoolRequest& request, const PoolShape& shape, Index strips, Index width);
  Index row(Index strip, Index block) const { return strip * static_cast<Index>(blocks.size()) + block; }
  // Brings tile_low and tile_high up to date.
  void pool_queries();

  PoolRequest request;
  std::vector<Span> blocks;        // of keys
  std::vector<Span> query_blocks;  // the first and the last may be empty, as those of keys
  // Strip by strip, for each block a row, of each query a number; infinity and minus infinity where no score
  // counts.
  Matrix low, high;
  Matrix tile_low, tile_high;  // for each block of queries a row, of each block of keys a number
  // By strip, of no size where there is none: the keys whose scores are others since, and the blocks of keys
  // that tile_low and tile_high do not know of.
  std::vector<Span> stale, moved;
};

class StripPools {
 public:
  // Pools some blocks of a strip anew.
  using Fill = std::function<void(Index strip, Span blocks, StripPool& pool)>;

  // All that is kept is gone.
  void forget() { kept_.clear(); }
  // Scores of the strip are others. May run on several threads for different strips.
  void note(Index strip, Span keys);
  enum class Along { Keys, KeysAndQueries };
  // As the scores are now, along the queries only where that is wanted. May run on several threads while no
  // score changes; what was given stays as it is for as long.
  std::shared_ptr<const StripPool> get(const PoolRequest& request, Along along, const PoolShape& shape,
                                       Index strips, Index width, const Fill& fill);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<StripPool>> kept_;  // the one asked for last is the last
};

}  // namespace headlight
