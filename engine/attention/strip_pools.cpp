#include "engine/attention/strip_pools.h"

#include <algorithm>
#include <limits>

#include "engine/attention/tile_builder.h"

namespace headlight {
namespace {

// The blocks that hold some of the keys.
Span blocks_with(const std::vector<Span>& blocks, Span keys) {
  const auto first = std::partition_point(blocks.begin(), blocks.end(),
                                          [&](const Span& block) { return block.end <= keys.begin; });
  const auto behind =
      std::partition_point(first, blocks.end(), [&](const Span& block) { return block.begin < keys.end; });
  return {first - blocks.begin(), behind - blocks.begin()};
}

}  // namespace

StripPool::StripPool(const PoolRequest& wanted, Index tokens, Index strips, Index width)
    : request(wanted), stale(static_cast<std::size_t>(strips), Span{0, tokens}) {
  blocks.push_back({0, request.columns.begin});
  for (Index i = 0; i < request.parts; ++i)
    blocks.push_back(part(request.columns, i, request.parts));
  blocks.push_back({request.columns.end, tokens});
  const auto rows = strips * static_cast<Index>(blocks.size());
  low.setConstant(rows, width, std::numeric_limits<float>::infinity());
  high = -low;
}

void StripPools::note(Index strip, Span keys) {
  for (const auto& pool : kept_) {
    Span& stale = pool->stale[static_cast<std::size_t>(strip)];
    stale = stale.size() == 0 ? keys : Span{std::min(stale.begin, keys.begin), std::max(stale.end, keys.end)};
  }
}

std::shared_ptr<const StripPool> StripPools::get(const PoolRequest& request, Index tokens, Index strips,
                                                 Index width, const Fill& fill) {
  constexpr std::size_t kMost = 3;
  constexpr Index kMostNumbers = Index{1} << 20;  // of each end: four megabytes
  // Blocks of a few keys are pooled almost as fast as they are looked up.
  const bool keeps = request.parts * 4 <= tokens && tokens * request.parts <= kMostNumbers;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (keeps) lock.lock();
  std::shared_ptr<StripPool> pool;
  if (keeps) {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept->request == request; });
    if (found != kept_.end()) {
      pool = *found;
      std::rotate(found, found + 1, kept_.end());
    }
  }
  if (!pool) {
    pool = std::make_shared<StripPool>(request, tokens, strips, width);
    if (keeps) {
      kept_.push_back(pool);
      if (kept_.size() > kMost) kept_.erase(kept_.begin());
    }
  }
  for (Index strip = 0; strip < strips; ++strip) {
    Span& stale = pool->stale[static_cast<std::size_t>(strip)];
    if (stale.size() > 0) fill(strip, blocks_with(pool->blocks, stale), *pool);
    stale = {};
  }
  return pool;
}

}  // namespace headlight
