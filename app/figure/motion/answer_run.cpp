#include "app/figure/motion/answer_run.h"

#include <algorithm>
#include <cmath>

#include "app/figure/motion/between.h"

namespace headlight {
namespace {

// Shares of the time: the number changes, one stage after another lights up, the cells fill.
constexpr double kChangedBy = 0.35, kStagesFrom = 0.2, kStagesTo = 0.75, kFillFrom = 0.6;

double part(double time, double from, double to) {
  return std::clamp((time - from) / (to - from), 0.0, 1.0);
}

// Rises from 0 and falls to 0 again within `length` around `middle`.
double pulse(double time, double middle, double length) {
  return eased(std::max(0.0, 1 - std::abs(time - middle) / (length / 2)));
}

}  // namespace

AnswerMoment answer_at(double seconds, std::size_t stages) {
  const double time = std::clamp(seconds / kAnswerSeconds, 0.0, 1.0);
  AnswerMoment moment{eased(part(time, 0, kChangedBy)), {}, eased(part(time, kFillFrom, 1))};
  // Each stage is at its brightest half a turn after it began, and overlaps with its neighbours.
  const double turn = (kStagesTo - kStagesFrom) / static_cast<double>(stages + 1);
  for (std::size_t i = 0; i < stages; ++i)
    moment.stages.push_back(pulse(time, kStagesFrom + turn * static_cast<double>(i + 1), 2 * turn));
  return moment;
}

}  // namespace headlight
