// What a reference names in an earlier state of the model: the same token there, the same dimension, although
// it may stand in another row or column by now.
#pragma once

#include <optional>
#include <vector>

#include "engine/session/text_reference.h"

namespace headlight {

// The reference of the same number in the model `then`; none where a token or a dimension of it is not there,
// or not here any more.
std::optional<TextReference> reference_then(const TextReference& reference, const Model& now,
                                            const Model& then);

// Where the rows and columns that a list goes over now are then.
struct ListOrder {
  std::vector<Index> rows, columns;
};
// Of a list as reference_then gave it. None where the list then has others, or lacks some.
std::optional<ListOrder> order_then(const TextReference& reference, const Model& now, const Model& then);

}  // namespace headlight
