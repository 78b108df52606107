// A whole number with a minus and a plus button: for dimensions and counts.
#pragma once

#include <optional>
#include <string>

#include "app/ui/widgets/widgets.h"

namespace headlight {

// The values that the two buttons set. A button that sets the present value is disabled.
struct Steps {
  Index down = 1, up = 1;
};
// Steps of one, within [low, high].
Steps unit_steps(Index value, Index low, Index high);
// To the next smaller and larger number that divides `whole`.
Steps divisor_steps(Index value, Index whole);
// To the next smaller and larger multiple of `unit`, from `unit` up to `high`.
Steps multiple_steps(Index value, Index unit, Index high);

// Draws "label [-] value [+]" on one line. Named "<name>", "<name>.minus" and "<name>.plus" for the probe.
// Returns the newly chosen number; any whole number from `least`, 0 or 1, on can be typed.
std::optional<Index> stepper(const UiContext& ui, TextFieldState& state, const std::string& name,
                             const std::string& label, Index value, Steps steps, const std::string& tooltip,
                             Index least = 1);

// The width of a stepper with this label.
float stepper_width(const UiContext& ui, const std::string& label);

}  // namespace headlight
