// Describes in words what a plan changes in a layer.
#pragma once

#include <string>
#include <vector>

#include "engine/array_import/array_plan.h"

namespace headlight {

struct PlanNotes {
  std::vector<std::string> cautions;  // why the result may differ from the file's layer
  std::vector<std::string> changes;   // "T 6 → 4", "d_out 2 → 64", "projection none → linear"
  std::vector<std::string> replaced;  // parts without an array: "W_key and W_value are drawn anew (...)"
};
PlanNotes plan_notes(const ArrayPlan& plan, const Layer& layer);

}  // namespace headlight
