// A cell of a product of matrices: a row and a column lift out of their matrices, come together, multiply
// pair by pair, add up and fall into the cell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/motion/motion_parts.h"

namespace headlight {

struct ProductMotion {
  MotionMatrix left, right, result;
  Index left_row = 0, right_column = 0;  // of the factors, as the matrices are drawn
  Index row = 0, column = 0;             // of the cell, as the result is drawn
  std::vector<Term> terms;               // the pairs
  std::optional<float> bias;
  float value = 0;                                      // of the cell
  CellColors left_colors, right_colors, result_colors;  // the products have those of the result
  std::string left_name, right_name, result_name;       // "q of journey (1)"; of the row, column and cell
  int decimals = 4;
};

// Pairs without room for their numbers are added in groups, as the caption says.
MotionPlan plan_product(const ProductMotion& motion, const MotionRoom& room);

}  // namespace headlight
