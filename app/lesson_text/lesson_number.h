// The number of a lesson, as the window, the handout and the texts of the course name it.
#pragma once

#include <optional>
#include <string>

namespace headlight {

// "4" for a lesson, "4a", "4b" ... for the variations of lesson 4. `order` of a variation: its place among
// those of its lesson, from 1.
std::string lesson_number(int order, const std::optional<int>& variation_of);

}  // namespace headlight
