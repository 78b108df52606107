// In which order the axes of queries, keys and values lie, told from their shapes and from what lies beside
// them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/array_import/axis_order.h"

namespace headlight {

struct KnownSizes {  // by other arrays, or by somebody
  std::optional<Index> sequences, tokens, keys, heads, kv_heads;
};

// The orders in which the three go together and agree with what is known: of four axes AsIs and HeadsThird,
// of three AsIs (B x T x d_out), HeadsFirst and TokensFirst. An order that leaves a single key, which then
// has all the weight, counts only where there is no other. Empty when none goes.
std::vector<AxisOrder> possible_orders(const std::array<std::vector<Index>, 3>& shapes,
                                       const KnownSizes& known);

// "B x H x T x d_k" of four axes, "B x T x d_out" of three, and so on.
const char* order_words(AxisOrder order, std::size_t axes);
// "bhtd", "bthd", "thd", "htd", "btd": as the command line has them.
const char* order_id(AxisOrder order, std::size_t axes);

}  // namespace headlight
