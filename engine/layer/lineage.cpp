#include "engine/layer/lineage.h"

#include <numeric>
#include <utility>

namespace headlight {
namespace {

// None if the line is new or its origin is unknown.
std::optional<Index> origin_of(const TrackedLines& lines, Index line) {
  if (line < 0 || line >= lines.count) return std::nullopt;
  if (lines.origins.empty()) return line;
  if (static_cast<Index>(lines.origins.size()) != lines.count) return std::nullopt;
  const Index origin = lines.origins[static_cast<std::size_t>(line)];
  return origin == kNewLine ? std::nullopt : std::optional(origin);
}

}  // namespace

Origins new_lines(Index count) {
  return Origins(static_cast<std::size_t>(count), kNewLine);
}

void follow_lines(Origins& origins, const std::vector<Index>& sources, Index count) {
  Origins before = std::move(origins);
  if (before.empty()) {
    before.resize(static_cast<std::size_t>(count));
    std::iota(before.begin(), before.end(), Index{0});
  }
  origins = new_lines(static_cast<Index>(sources.size()));
  std::vector<bool> taken(before.size());
  for (std::size_t line = 0; line < sources.size(); ++line) {
    const auto source = static_cast<std::size_t>(sources[line]);
    if (sources[line] == kNewLine || source >= before.size() || taken[source]) continue;
    taken[source] = true;
    origins[line] = before[source];
  }
}

void resize_lines(Origins& origins, Index count) {
  if (!origins.empty()) origins.resize(static_cast<std::size_t>(count), kNewLine);
}

std::optional<Index> same_line(const TrackedLines& here, Index line, const TrackedLines& there) {
  const std::optional<Index> origin = origin_of(here, line);
  if (!origin) return std::nullopt;
  if (there.origins.empty()) return *origin < there.count ? origin : std::nullopt;
  for (Index other = 0; other < there.count; ++other)
    if (origin_of(there, other) == origin) return other;
  return std::nullopt;
}

}  // namespace headlight
