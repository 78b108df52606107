// What has changed since all stages were fresh, where it is less than whole stages.
#pragma once

#include <variant>

#include "engine/model/model.h"

namespace headlight {

struct RowsChange {  // embeddings, or given rows, of one sequence
  Index sequence = 0, begin = 0, end = 0;
};
struct HeadChange {  // what makes the queries, keys or values of one head
  Parameter parameter = Parameter::Query;
  Index head = 0;
};
struct MaskChange {  // rows of the model's own mask
  Index begin = 0, end = 0;
};
// monostate: whole stages have to be refreshed.
using PartChange = std::variant<std::monostate, RowsChange, HeadChange, MaskChange>;

}  // namespace headlight
