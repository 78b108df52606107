// The images of a PDF, put in when the rest of it stands. Cairo would keep them at three bytes a pixel and
// compress them one after the other, which takes seconds for a dozen heads.
#pragma once

#include <cairo/cairo.h>

#include <string>
#include <vector>

#include "app/figure/paint/pango_text.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

class PdfImages {
 public:
  // What to paint where the cells belong, in a rectangle of its size. The cells must live until insert.
  CairoOwned<cairo_surface_t> stand_in(const PlannedCells& cells);
  bool empty() const { return cells_.empty(); }
  // The PDF with the cells, one pixel each and enlarged to `by` x `by`, in place of the stand-ins. Throws
  // Error when there is no PDF.
  std::string insert(const std::string& pdf, Index by) const;

 private:
  std::vector<const PlannedCells*> cells_;
};

}  // namespace headlight
