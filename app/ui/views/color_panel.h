// The popover that sets the colours of a stage's pictures: colour map, range, decimals, and a legend.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headlight {

struct ColorPanelState {
  bool asked = false;  // by the command palette: opens in the next frame
  TextFieldState low, high;
};

// The button with the stage's colours, "focus.colours", and its popover while that is open.
void color_button(UiContext& ui, ColorPanelState& state, Stage stage);
float color_button_width(const UiContext& ui);
// The popover alone, where a menu opens it: beside `anchor`, in window pixels.
void color_popover(UiContext& ui, ColorPanelState& state, Stage stage, const Rect& anchor);

// One choice of the panel by name, for the large stage.
struct ColorChoice {
  std::string text;      // "colours: viridis"
  bool current = false;  // active now
  std::string keywords;  // also searched, never shown
  std::function<void(UiContext&)> choose;
};
std::vector<ColorChoice> color_choices(const UiContext& ui);

// A typed end of the range; nullopt if it is not a number.
std::optional<double> parse_range_end(const std::string& text);

}  // namespace headlight
