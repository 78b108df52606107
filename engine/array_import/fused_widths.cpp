#include "engine/array_import/fused_widths.h"

namespace headlight {
namespace {

std::optional<FusedWidths> thirds(Index lines, Index heads) {
  if (lines % (3 * heads) != 0) return std::nullopt;
  return FusedWidths{lines / 3, lines / 3, false};
}

// Queries of this width, and keys that heads of the queries share; head: the width of a head, 0 if unknown.
std::optional<FusedWidths> shared_keys(Index lines, Index query, Index head) {
  const Index keys = (lines - query) / 2;
  if (query < 1 || lines <= query || (lines - query) % 2 != 0 || keys > query || query % keys != 0)
    return std::nullopt;
  if (head > 0 && (query % head != 0 || keys % head != 0)) return std::nullopt;
  return FusedWidths{query, keys, false};
}

}  // namespace

std::optional<FusedWidths> fused_widths(Index lines, Index d_in, const HeadCounts& known) {
  const Index heads = known.heads.value_or(0), kv_heads = known.kv_heads.value_or(0);
  if (heads > 0 && kv_heads > 0) {
    const Index parts = heads + 2 * kv_heads;
    if (lines % parts != 0 || heads % kv_heads != 0) return std::nullopt;
    return FusedWidths{lines / parts * heads, lines / parts * kv_heads, false};
  }
  if (heads > 0 && known.width) return shared_keys(lines, heads * *known.width, *known.width);
  const Index head = heads > 0 && d_in % heads == 0 ? d_in / heads : 0;
  auto equal = thirds(lines, std::max<Index>(heads, 1));
  const auto shared = heads > 0 && head == 0 ? std::nullopt : shared_keys(lines, d_in, head);
  if (!equal) return shared;
  // Three squares are unambiguous.
  equal->ambiguous = shared && lines != 3 * d_in;
  return equal;
}

}  // namespace headlight
