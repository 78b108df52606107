// *Step through*: one forward pass for a chosen query, as steps like those of a lesson. They are made from
// the present layer, with references instead of numbers; a sentence replaces a stage that has no effect.
#pragma once

#include <optional>
#include <vector>

#include "engine/core/counting.h"
#include "engine/session/lesson.h"
#include "engine/views/query.h"

namespace headlight {

struct WalkQuery {
  Index sequence = 0, head = 0, row = 0;
  Index column = 0;  // the key that serves as an example
};

// The query and the key of the selected cell; without one the last token, which may attend to most keys. If
// the query may not attend to the key, the first key that it may attend to, if there is one.
WalkQuery walk_query(const Layer& layer, const std::optional<CellAddress>& selected,
                     std::optional<Index> shown_head, Index sequence);

// Precondition: the query exists in the layer.
std::vector<LessonStep> walk_steps(const Layer& layer, const WalkQuery& query, Counting counting);

}  // namespace headlight
