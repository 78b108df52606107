// Paints a figure as SVG. Cairo's SVG turns text into outlines and lets viewers blur cells, so this painter
// writes <text>, and cells as <rect> or as an enlarged image that is not to be smoothed.
#pragma once

#include <string>

#include "app/figure/paint/figure_file.h"
#include "app/figure/paint/painter.h"

namespace headlight {

// A planned pixel is a CSS pixel. Equal figures give equal bytes.
std::string svg_text(const FigureGrid& figure, CellsForm form, const FigureNotes& notes);

}  // namespace headlight
