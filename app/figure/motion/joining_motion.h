// The rows of all heads are put side by side.
#pragma once

#include <string>
#include <vector>

#include "app/figure/motion/motion_parts.h"

namespace headlight {

struct JoiningMotion {
  std::vector<MotionMatrix> heads;  // the context of each head
  MotionMatrix joined;
  Index head_row = 0, row = 0;           // as the heads and the joined matrix are drawn
  std::vector<std::vector<float>> rows;  // of each head; a long row has one number for several dimensions
  std::vector<bool> off;                 // heads that leave zeros
  std::vector<CellColors> colors;        // of each head
  CellColors joined_colors;
  std::vector<Color> marks;        // a colour for each head, of its outline
  std::vector<std::string> names;  // "head 0"
  std::string query;
  int decimals = 4;
};

MotionPlan plan_joining(const JoiningMotion& motion, const MotionRoom& room);

}  // namespace headlight
