// The order of the axes of queries, keys and values, determined by their shapes and by other known sizes.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/array_import/axis_order.h"

namespace headlight {

struct KnownSizes {  // from other arrays, or from the user
  std::optional<Index> sequences, tokens, keys, heads, kv_heads;
};

// The orders in which the three are compatible and agree with `known`: of four axes AsIs and HeadsThird, of
// three AsIs (B x T x d_out), HeadsFirst and TokensFirst. An order with a single key, which would have all
// the weight, counts only if there is no other. Empty if none is possible.
std::vector<AxisOrder> possible_orders(const std::array<std::vector<Index>, 3>& shapes,
                                       const KnownSizes& known);

// "B x H x T x d_k" of four axes, "B x T x d_out" of three, and so on.
const char* order_words(AxisOrder order, std::size_t axes);
// "bhtd", "bthd", "thd", "htd", "btd", "tbd": as on the command line.
const char* order_id(AxisOrder order, std::size_t axes);

}  // namespace headlight
