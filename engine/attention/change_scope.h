// The part of the stages that changed since all stages were fresh, where that is less than whole stages.
#pragma once

#include <variant>

#include "engine/layer/layer.h"

namespace headlight {

struct RowsChange {  // embedding rows, or given rows, of one sequence
  Index sequence = 0, begin = 0, end = 0;
};
struct HeadChange {  // the parameters that produce the queries, keys or values of one head
  Parameter parameter = Parameter::Query;
  Index head = 0;
};
struct MaskChange {  // rows of the model's own mask
  Index begin = 0, end = 0;
};
// monostate: whole stages must be refreshed.
using ChangeScope = std::variant<std::monostate, RowsChange, HeadChange, MaskChange>;

}  // namespace headlight
