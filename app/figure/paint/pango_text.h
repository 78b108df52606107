// Text by Pango on a Cairo surface: the same letters, as wide, in every format.
#pragma once

#include <cairo/cairo.h>

#include <memory>

#include "app/figure/plan/heatmap_plan.h"

// As Pango declares it.
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

// Throws std::bad_alloc where Cairo had no memory for it, or for the surface that it draws on: such a context
// draws nothing and has no pixels.
void require_drawable(cairo_t* context);

// Draws and measures on one Cairo context, which must live as long.
class PangoText {
 public:
  PangoText(cairo_t* context, const FigureFonts& fonts);
  void draw(const PlannedText& text, Point at);
  double width(const std::string& text, double size_px, FontFace face);

  // Lays out one line as it stands, even where no font has its characters.
  void lay_out(const std::string& text, double size_px, FontFace face);
  PangoLayout* layout() const { return layout_.get(); }

 private:
  cairo_t* context_;
  FigureFonts fonts_;
  CairoOwned<PangoLayout> layout_;
};

// The ends of a text that is longer than a line can be, the text itself of any other: shaping takes a hundred
// bytes for each of its own.
std::string shaped_part(const std::string& text);

// Text that is valid UTF-8: what is not becomes the replacement character.
std::string valid_utf8(const std::string& text);

}  // namespace headlight
