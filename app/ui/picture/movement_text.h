// What training or a pulled beam has moved, in words.
#pragma once

#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/learning/trained_numbers.h"

namespace headlight {

// "embeddings", "W_query".
std::string part_label(TrainedPart part);
const char* part_tip(TrainedPart part);
// What moved most: "W_query[2, 1] 0.43 → 0.61"; "" if nothing moved.
std::string most_moved_text(const std::vector<Movement>& movements, Counting counting);

}  // namespace headlight
