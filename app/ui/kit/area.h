// A part of the window to draw into, and what is drawn into one.
#pragma once

#include <cstddef>
#include <string>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// In pixels of the screen.
struct Area {
  ImVec2 at, size;
  ImVec2 end() const { return {at.x + size.x, at.y + size.y}; }
};

// The ground and the edge of a card; the edge of the chosen one has the accent's colour.
void draw_card_frame(const UiContext& ui, const Area& area, bool chosen);

// Text at a place of its own, with an ellipsis rather than a cut at the card's edge.
void fitted_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text);

// How many lines of a height fit into a room below one another, with a gap between two of them; 0 where there
// is no room for one.
std::size_t fitting_lines(float room, float line, float gap = 0);

// How many columns of equal cells make `count` of them largest inside width x height, when each wants
// `aspect` (width by height) below its `lines` of text.
int best_columns(int count, float width, float height, float gap, float aspect, float lines = 0,
                 float beside = 0);

}  // namespace headlight
