#include "engine/attention/strip_pools.h"

#include <algorithm>
#include <limits>

#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

// The blocks that contain some of the keys.
Span blocks_with(const std::vector<Span>& blocks, Span keys) {
  const auto first = std::partition_point(blocks.begin(), blocks.end(),
                                          [&](const Span& block) { return block.end <= keys.begin; });
  const auto behind =
      std::partition_point(first, blocks.end(), [&](const Span& block) { return block.begin < keys.end; });
  return {first - blocks.begin(), behind - blocks.begin()};
}

Span joined(Span a, Span b) {
  if (a.size() == 0 || b.size() == 0) return a.size() == 0 ? b : a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// The span's parts, preceded by the block before it and followed by the block after it.
std::vector<Span> cut(Span span, Index parts, Index tokens) {
  std::vector<Span> blocks = {{0, span.begin}};
  for (Index i = 0; i < parts; ++i)
    blocks.push_back(part(span, i, parts));
  blocks.push_back({span.end, tokens});
  return blocks;
}

}  // namespace

StripPool::StripPool(const PoolRequest& wanted, const PoolShape& shape, Index strips, Index width)
    : request(wanted),
      blocks(cut(wanted.columns, wanted.column_parts, shape.keys)),
      query_blocks(cut(wanted.rows, wanted.row_parts, shape.queries)),
      stale(static_cast<std::size_t>(strips), Span{0, shape.keys}),
      moved(static_cast<std::size_t>(strips)) {
  const auto across = static_cast<Index>(blocks.size());
  low.setConstant(strips * across, width, std::numeric_limits<float>::infinity());
  high = -low;
  tile_low.setConstant(static_cast<Index>(query_blocks.size()), across,
                       std::numeric_limits<float>::infinity());
  tile_high = -tile_low;
}

void StripPool::pool_queries() {
  const Index width = low.cols();
  for (Index i = 0; i < tile_low.rows(); ++i) {
    const Span queries = query_blocks[static_cast<std::size_t>(i)];
    if (queries.size() == 0) continue;
    const Span strips = {queries.begin / width, (queries.end - 1) / width + 1};
    Span changed;
    for (Index strip = strips.begin; strip < strips.end; ++strip)
      changed = joined(changed, moved[static_cast<std::size_t>(strip)]);
    for (Index block = changed.begin; block < changed.end; ++block) {
      float least = std::numeric_limits<float>::infinity(), most = -least;
      for (Index strip = strips.begin; strip < strips.end; ++strip) {
        const Index begin = std::max(queries.begin - strip * width, Index{0});
        const Index count = std::min(queries.end - strip * width, width) - begin;
        least = std::min(least, low.row(row(strip, block)).segment(begin, count).minCoeff());
        most = std::max(most, high.row(row(strip, block)).segment(begin, count).maxCoeff());
      }
      tile_low(i, block) = least;
      tile_high(i, block) = most;
    }
  }
  std::fill(moved.begin(), moved.end(), Span{});
}

void StripPools::note(Index strip, Span keys) {
  for (const auto& pool : kept_) {
    Span& stale = pool->stale[static_cast<std::size_t>(strip)];
    stale = joined(stale, keys);
  }
}

std::shared_ptr<const StripPool> StripPools::get(const PoolRequest& request, Along along,
                                                 const PoolShape& shape, Index strips, Index width,
                                                 const Fill& fill) {
  constexpr std::size_t kMost = 3;
  constexpr Index kMostNumbers = Index{1} << 20;  // for each of minimum and maximum: four megabytes
  // Blocks of a few keys are pooled almost as fast as they are looked up.
  const bool keeps =
      request.column_parts * 4 <= shape.keys && shape.queries * request.column_parts <= kMostNumbers;
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
    pool = std::make_shared<StripPool>(request, shape, strips, width);
    if (keeps) {
      kept_.push_back(pool);
      if (kept_.size() > kMost) kept_.erase(kept_.begin());
    }
  }
  for (Index strip = 0; strip < strips; ++strip) {
    Span& stale = pool->stale[static_cast<std::size_t>(strip)];
    if (stale.size() == 0) continue;
    const Span blocks = blocks_with(pool->blocks, stale);
    fill(strip, blocks, *pool);
    Span& moved = pool->moved[static_cast<std::size_t>(strip)];
    moved = joined(moved, blocks);
    stale = {};
  }
  if (along == Along::KeysAndQueries) pool->pool_queries();
  return pool;
}

}  // namespace headlight
