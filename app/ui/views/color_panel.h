// The popover in which the colours of a stage's pictures are chosen: map, range, decimals, and a legend.
#pragma once

#include <vector>

#include "app/ui/frame/palette.h"
#include "app/ui/kit/widgets.h"

namespace headlight {

struct ColorPanelState {
  bool asked = false;  // by the palette: opens with the next frame
  TextFieldState low, high;
};

// The button that shows the stage's colours, "focus.colours", and its popover while that is open.
void color_button(UiContext& ui, ColorPanelState& state, Stage stage);
float color_button_width(const UiContext& ui);

// The same choices for the command palette; they are those of the large picture.
void add_color_entries(const UiContext& ui, std::vector<PaletteEntry>& entries);

// The range that one typed, if it can be read.
std::optional<double> parse_range_end(const std::string& text);

}  // namespace headlight
