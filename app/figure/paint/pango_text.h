// Text drawn by Pango on a Cairo surface, with the same glyphs and widths in every format.
#pragma once

#include <cairo/cairo.h>

#include <memory>

#include "app/figure/plan/heatmap_plan.h"

// Declared as in Pango's header, which is not included here.
// NOLINTNEXTLINE(bugprone-reserved-identifier,modernize-use-using)
typedef struct _PangoLayout PangoLayout;

namespace headlight {

struct CairoRelease {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_pattern_t* pattern) const { cairo_pattern_destroy(pattern); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
  void operator()(PangoLayout* layout) const;
};
template <class T>
using CairoOwned = std::unique_ptr<T, CairoRelease>;

void set_color(cairo_t* context, Color color);

// Throws std::bad_alloc if Cairo had no memory for the context or its surface: such a context draws nothing
// and has no pixels.
void require_drawable(cairo_t* context);

// Draws and measures on one Cairo context, which must outlive this object.
class PangoText {
 public:
  PangoText(cairo_t* context, const FigureFonts& fonts);
  void draw(const PlannedText& text, Point at);
  double width(const std::string& text, double size_px, FontFace face);

  // Lays out one line without replacing characters that no font has.
  void lay_out(const std::string& text, double size_px, FontFace face);
  PangoLayout* layout() const { return layout_.get(); }

 private:
  cairo_t* context_;
  FigureFonts fonts_;
  CairoOwned<PangoLayout> layout_;
};

// The text, or only its two ends if it is longer than any line: shaping needs about a hundred bytes of memory
// per byte of text.
std::string shaped_part(const std::string& text);

// The text with invalid UTF-8 replaced by U+FFFD.
std::string valid_utf8(const std::string& text);

}  // namespace headlight
