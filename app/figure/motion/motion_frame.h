// One moment of a motion as drawings, for files.
#pragma once

#include <vector>

#include "app/figure/motion/motion_plan.h"

namespace headlight {

// What is visible at `t`: `rest`, and over it the shapes. Several drawings, to be painted in their order,
// because each paints its fills first, then its boxes, then its texts. `line`: the width of outlines.
std::vector<Drawing> drawings_at(const MotionPlan& plan, double t, double line);

}  // namespace headlight
