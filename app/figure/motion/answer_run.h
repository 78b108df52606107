// What *See it* shows at a time: the change runs from the number that is changed along the strip of stages to
// the cells that are right. Computed, not painted; no Dear ImGui.
#pragma once

#include <cstddef>
#include <vector>

namespace headlight {

inline constexpr double kAnswerSeconds = 0.66;

struct AnswerMoment {
  double changed = 0;          // how far the number has gone from its old value to the new one, 0 to 1
  std::vector<double> stages;  // how bright each stage is that changes, in the order of computation, 0 to 1
  double filled = 0;           // how far the cells that are right are filled, 0 to 1
};

// `stages`: how many stages of the strip change. Continuous in `seconds`; nothing is bright at 0 and from
// kAnswerSeconds on, when all else is 1.
AnswerMoment answer_at(double seconds, std::size_t stages);

}  // namespace headlight
