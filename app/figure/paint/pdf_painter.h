// Paints a figure into a PDF of one page, or several into its pages, with text as text and its fonts inside.
#pragma once

#include <string>
#include <vector>

#include "app/figure/paint/figure_file.h"
#include "app/figure/paint/painter.h"

namespace headlight {

// A planned pixel is 1/96 inch. PDF 1.4, which every publisher takes. Same figure, same bytes: its dates are
// fixed. Throws Error.
std::string pdf_bytes(const FigureGrid& figure, CellsForm form, const FigureNotes& notes);
// Cells are rectangles. At least one page; fonts are those of the first.
std::string pdf_bytes(const std::vector<FigureGrid>& pages, const FigureNotes& notes);

}  // namespace headlight
