// Numbers at the checkpoints of a training: a line for each number over the steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/core/matrix.h"

namespace headlight {

struct StepLines {
  std::vector<std::int64_t> steps;  // rising
  std::vector<std::string> names;   // of the numbers, at most as many as FigureStyle::series
  Matrix values;                    // steps x names; NaN: there is no number
};

// A dot for each number, at its step on a linear axis, and lines between those that follow each other. Below
// them the names, of which those are left out that have no room.
Drawing plan_step_lines(const StepLines& lines, const FigureStyle& style, double width, double height,
                        const MeasureText& measure);

}  // namespace headlight
