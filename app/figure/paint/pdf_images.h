// The images of a PDF, inserted after Cairo has written the rest. Cairo would store them at three bytes a
// pixel and compress them one after the other, which takes seconds for a dozen heads.
#pragma once

#include <cairo/cairo.h>

#include <string>
#include <vector>

#include "app/figure/paint/pango_text.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

class PdfImages {
 public:
  // The placeholder to paint into the rectangle of the cells. The cells must live until insert().
  CairoOwned<cairo_surface_t> stand_in(const PlannedCells& cells);
  bool empty() const { return cells_.empty(); }
  // Returns the PDF with the placeholders replaced by images of the cells, each cell `by` x `by` pixels.
  // Throws Error if `pdf` cannot be read or written.
  std::string insert(const std::string& pdf, Index by) const;

 private:
  std::vector<const PlannedCells*> cells_;
};

}  // namespace headlight
