// Rows of values are drawn out by their weights and flow together into the row of the context.
#pragma once

#include <string>
#include <vector>

#include "app/figure/motion/motion_parts.h"

namespace headlight {

struct MixingMotion {
  MotionMatrix weights, values, context;
  Index row = 0;  // of the query, as the weights and the context are drawn
  // The keys with the largest weights, in the order of the tokens; the others are told together.
  struct Part {
    Index row = 0;     // of its value, as the values are drawn
    Index column = 0;  // of its weight, as the weights are drawn
    float weight = 0;
    std::vector<float> value;  // its row of values
    std::string name;          // "journey (1)"
  };
  std::vector<Part> parts;
  Index others = 0;           // keys that are not in `parts` and have a weight other than 0
  float others_weight = 0;    // theirs together
  std::vector<float> result;  // the row of the context; long rows have one number for several dimensions
  CellColors weight_colors, value_colors, context_colors;
  std::string query;  // "journey (1)"
  int decimals = 4;
};

// How many parts have room below the matrices, at least one.
std::size_t fitting_parts(const MotionRoom& room);

MotionPlan plan_mixing(const MixingMotion& motion, const MotionRoom& room);

}  // namespace headlight
