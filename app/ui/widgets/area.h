// A rectangle of the window to draw into, and layout of text and cells in one.
#pragma once

#include <cstddef>
#include <string>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// In screen pixels.
struct Area {
  ImVec2 at, size;
  ImVec2 end() const { return {at.x + size.x, at.y + size.y}; }
};

// The background and the border of a card; the border of the chosen card has the accent colour.
void draw_card_frame(const UiContext& ui, const Area& area, bool chosen);

// A bar from the left of `area`, whose width stands for a share of 1; a share beyond 0 to 1 ends at its
// edges.
void share_bar(const UiContext& ui, const Area& area, double share);

// Draws text at `at`, shortened with an ellipsis to `width`.
void fitted_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text);

// Draws text from `at` on, wrapped at words to at most `lines` lines that are `line` apart; the last one is
// shortened. Returns whether text is missing.
bool wrapped_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text,
                  std::size_t lines, float line);

// How many lines wrapped_text would need for all of the text; 0 where there is no room for any.
std::size_t wrapped_lines(ImFont* font, float width, const std::string& text);

// How many lines of height `line`, with `gap` between them, fit into the height `room`; 0 if none fits.
std::size_t fitting_lines(float room, float line, float gap = 0);

// The number of columns with which `count` equal cells inside width x height are largest. aspect: a cell's
// width by its height; lines: pixels of text above and below a cell; beside: pixels reserved beside it.
int best_columns(int count, float width, float height, float gap, float aspect, float lines = 0,
                 float beside = 0);

}  // namespace headlight
