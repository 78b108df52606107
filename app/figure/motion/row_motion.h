// A row of query by key numbers goes from one stage to the next: scaled, masked, normalised or with dropout.
#pragma once

#include <string>
#include <vector>

#include "app/figure/motion/motion_parts.h"

namespace headlight {

// Each: every number by itself, as in scaling. Mask: some fade before they are counted. Softmax: bars swell
// and pour into one bar of length 1. Dropout: some blink out, the others grow.
enum class RowOperation { Each, Mask, Softmax, Dropout };

struct RowMotion {
  RowOperation operation = RowOperation::Each;
  MotionMatrix before, after;
  Index row = 0;                // as the matrices are drawn
  std::vector<float> from, to;  // the row in both stages, equally many numbers
  std::vector<CellMark> marks;  // of `to`
  std::vector<float> raised;    // Softmax: what is divided by its sum; negative, NaN and infinite count as 0
  float sum = 0;                // Softmax: the sum of the whole row of `raised`
  bool raised_known = false;    // Softmax: `raised` are numbers of the engine, to be written
  bool exponentials = true;     // Softmax: false where the scores themselves are divided by their sum
  float factor = 1;             // Each: for its caption; Dropout: 1/(1-p)
  std::string how;              // Each: "× 0.7071"
  std::string why;              // Each: "every score is multiplied by 0.7071"
  Index total = 0;              // keys of the whole row: several share a place if they are more than `from`
  Index allowed = 0;            // Mask: how many of them the query may look at
  std::vector<std::string> labels;  // of the places
  CellColors from_colors, to_colors;
  std::string query;  // "journey (1)"
  int decimals = 4;
};

MotionPlan plan_row_motion(const RowMotion& motion, const MotionRoom& room);

}  // namespace headlight
