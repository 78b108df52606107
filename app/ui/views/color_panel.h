// The popover in which the colours of a stage's pictures are chosen: map, range, decimals, and a legend.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/kit/widgets.h"

namespace headlight {

struct ColorPanelState {
  bool asked = false;  // by the palette: opens with the next frame
  TextFieldState low, high;
};

// The button that shows the stage's colours, "focus.colours", and its popover while that is open.
void color_button(UiContext& ui, ColorPanelState& state, Stage stage);
float color_button_width(const UiContext& ui);

// One choice of the panel by its name, of the stage that is shown at large.
struct ColorChoice {
  std::string text;      // "colours: viridis"
  bool current = false;  // in force now
  std::string keywords;  // found as well, never shown
  std::function<void(UiContext&)> choose;
};
std::vector<ColorChoice> color_choices(const UiContext& ui);

// The range that one typed, if it can be read.
std::optional<double> parse_range_end(const std::string& text);

}  // namespace headlight
