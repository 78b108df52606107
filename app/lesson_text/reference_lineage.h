// Follows a reference into an earlier state of the layer: to the same token and dimension, which may have
// been in another row or column.
#pragma once

#include <optional>
#include <vector>

#include "engine/session/text_reference.h"

namespace headlight {

// The reference to the same number in `then`; none if `then` or `now` lacks a token or dimension of it.
std::optional<TextReference> reference_then(const TextReference& reference, const Layer& now,
                                            const Layer& then);

// For each row and column of a list in `now`, its index in `then`; empty for an axis with a fixed index.
struct ListOrder {
  std::vector<Index> rows, columns;
};
// The order of a list. None if the list has other rows or columns in `then`.
std::optional<ListOrder> order_then(const TextReference& reference, const Layer& now, const Layer& then);

}  // namespace headlight
