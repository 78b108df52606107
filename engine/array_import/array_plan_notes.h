// What a plan makes of a model, in words.
#pragma once

#include <string>
#include <vector>

#include "engine/array_import/array_plan.h"

namespace headlight {

struct PlanNotes {
  std::vector<std::string> cautions;  // why it may not be what the file's model computes
  std::vector<std::string> changes;   // "T 6 → 4", "d_out 2 → 64", "projection none → linear"
  std::vector<std::string> replaced;  // what no array gives: "W_key and W_value are drawn anew (...)"
};
PlanNotes plan_notes(const ArrayPlan& plan, const Model& model);

}  // namespace headlight
