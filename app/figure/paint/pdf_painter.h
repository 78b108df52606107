// Paints one figure as a PDF of one page, or several as its pages, with text as text and embedded fonts.
#pragma once

#include <string>
#include <vector>

#include "app/figure/paint/figure_file.h"
#include "app/figure/paint/painter.h"

namespace headlight {

// A planned pixel is 1/96 inch. PDF 1.4, which every publisher accepts. Equal figures give equal bytes: the
// dates in the file are fixed. Throws Error if a page exceeds 200 inches or the file cannot be written.
std::string pdf_bytes(const FigureGrid& figure, CellsForm form, const FigureNotes& notes);
// Each page has its figure's size and fonts. Cells are rectangles. Precondition: at least one page.
std::string pdf_bytes(const std::vector<FigureGrid>& pages, const FigureNotes& notes);

}  // namespace headlight
