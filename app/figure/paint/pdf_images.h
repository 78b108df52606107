// The images of a PDF, inserted after Cairo has written the rest. Cairo would store them at three bytes a
// pixel and compress them one after the other; it takes compressed ones only as JPEG, JPEG 2000, JBIG2 or
// CCITT. Twelve heads of 1,024 tokens would take 6.6 MB instead of 4.3, one head of 200 tokens 280 kB instead
// of 107, and both more than twice the time.
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
