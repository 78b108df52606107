// "Step through": one forward pass for a chosen query, as steps like those of a lesson. Made from the model
// as it is, with references instead of numbers; stages that do nothing are left out with a word about it.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/counting.h"
#include "engine/session/lesson.h"
#include "engine/views/query.h"

namespace headlight {

struct WalkQuery {
  Index sequence = 0, head = 0, row = 0;
  Index column = 0;  // of the key that is shown as an example
};

// Whose pass: the query of the selected cell and its key; without one the last token, as it sees most. The
// key is one that the query may look at, if there is any.
WalkQuery walk_query(const Model& model, const std::optional<CellAddress>& selected,
                     std::optional<Index> shown_head, Index sequence);

// Precondition: the query exists in the model.
std::vector<LessonStep> walk_steps(const Model& model, const WalkQuery& query, Counting counting);

}  // namespace headlight
