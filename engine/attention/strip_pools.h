// The scores of one head pooled along the keys (minimum and maximum for each query and block of keys) and
// then along the queries: the input of tiles of all stages. Cached across edits, so that a changed key costs
// only what it affects. Private to engine/attention.
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
  Span rows, columns;  // cut into parts like a tile; the rows or columns before and after form one block each
  Index row_parts = 1, column_parts = 1;
  bool masked = false;  // only keys that the query may attend to
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
  std::vector<Span> query_blocks;  // the first and the last may be empty; `blocks` likewise
  // Strip by strip, one row per block and one number per query; infinity and minus infinity if no score
  // counts.
  Matrix low, high;
  Matrix tile_low, tile_high;  // one row per block of queries, one column per block of keys
  // By strip, empty if none: the keys whose scores are not yet in `low` and `high`, and the blocks of keys
  // that are not yet in tile_low and tile_high.
  std::vector<Span> stale, moved;
};

class StripPools {
 public:
  // Recomputes some blocks of a strip.
  using Fill = std::function<void(Index strip, Span blocks, StripPool& pool)>;

  // Discards the cache.
  void forget() { kept_.clear(); }
  // Marks scores of the strip as changed. May run on several threads for different strips.
  void note(Index strip, Span keys);
  enum class Along { Keys, KeysAndQueries };
  // The pool of the current scores, along the queries only if `along` says so. May run on several threads
  // while no score changes; the result is valid for as long.
  std::shared_ptr<const StripPool> get(const PoolRequest& request, Along along, const PoolShape& shape,
                                       Index strips, Index width, const Fill& fill);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<StripPool>> kept_;  // least recently requested first
};

}  // namespace headlight
