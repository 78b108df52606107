#include "app/figure/paint/pango_text.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "app/figure/paint/painter.h"
#include "app/figure/paint/text_picture.h"
#include "app/figure/plan/label_text.h"
#include "engine/core/machine_memory.h"

namespace headlight {
namespace {

struct FreeFont {
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};

// Makes glyphs independent of the desktop's font settings, and their widths independent of the scale.
void set_font_options(PangoLayout* layout) {
  const CairoOwned<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  PangoContext* context = pango_layout_get_context(layout);
  pango_cairo_context_set_font_options(context, options.get());
  pango_cairo_context_set_resolution(context, 96);
  // Pango 1.56 rounds to whole pixels whatever the hint metrics are, 1.50 does not.
  pango_context_set_round_glyph_positions(context, FALSE);
}

// GLib aborts the program if it gets no memory or no thread, so the address space is checked before the first
// layout: Pango reads the installed fonts on threads that it starts, each with a stack and a heap.
PangoLayout* new_layout(cairo_t* context) {
  constexpr std::size_t kForFonts = std::size_t{384} << 20;
  static const bool roomy = (require_address_space(kForFonts), true);
  require_drawable(context);
  return roomy ? pango_cairo_create_layout(context) : nullptr;
}

// Moves the origin, and the current point with it, to `start`, at a whole 64th of a device unit. Cairo draws
// a glyph in one of four places within a pixel; exact coordinates keep the choice the same whichever rows of
// the picture the surface holds.
void begin_on_grid(cairo_t* context, Point start) {
  constexpr double kGrid = 64;
  cairo_matrix_t matrix;
  cairo_translate(context, start.x, start.y);
  cairo_get_matrix(context, &matrix);
  matrix.x0 = std::round(matrix.x0 * kGrid) / kGrid;
  matrix.y0 = std::round(matrix.y0 * kGrid) / kGrid;
  cairo_set_matrix(context, &matrix);
  cairo_move_to(context, 0, 0);
}

}  // namespace

void require_drawable(cairo_t* context) {
  if (cairo_status(context) == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
}

void CairoRelease::operator()(PangoLayout* layout) const {
  g_object_unref(layout);
}

void set_color(cairo_t* context, Color color) {
  cairo_set_source_rgba(context, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
}

PangoText::PangoText(cairo_t* context, const FigureFonts& fonts)
    : context_(context), fonts_(fonts), layout_(new_layout(context)) {
  set_font_options(layout_.get());
}

void PangoText::lay_out(const std::string& whole, double size_px, FontFace face) {
  const std::string text = shaped_part(whole);
  const std::string& family = face == FontFace::Number ? fonts_.number : fonts_.text;
  const std::unique_ptr<PangoFontDescription, FreeFont> font(pango_font_description_new());
  pango_font_description_set_family(font.get(), family.c_str());
  pango_font_description_set_absolute_size(font.get(), size_px * PANGO_SCALE);
  pango_layout_set_font_description(layout_.get(), font.get());
  pango_layout_set_single_paragraph_mode(layout_.get(), TRUE);
  pango_layout_set_text(layout_.get(), valid_utf8(text).c_str(), -1);
}

double PangoText::width(const std::string& text, double size_px, FontFace face) {
  lay_out(with_code_points(shaped_part(text)), size_px, face);
  int width = 0, height = 0;
  pango_layout_get_size(layout_.get(), &width, &height);
  return static_cast<double>(width) / PANGO_SCALE;
}

void PangoText::draw(const PlannedText& text, Point at) {
  const double start = text_start(text, width(text.text, text.size_px, text.face));
  cairo_save(context_);
  cairo_translate(context_, at.x + text.x, at.y + text.y);
  cairo_rotate(context_, -text.angle_deg * M_PI / 180);
  begin_on_grid(context_, {start, baseline(text)});
  set_color(context_, text.color);
  pango_cairo_update_layout(context_, layout_.get());
  pango_cairo_show_layout_line(context_, pango_layout_get_line_readonly(layout_.get(), 0));
  cairo_restore(context_);
  cairo_new_path(context_);  // else the next path begins at the text's position
}

std::string shaped_part(const std::string& text) {
  return capped(text, 2 * kMostMeasured);
}

std::string valid_utf8(const std::string& text) {
  const std::unique_ptr<char, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), &g_free);
  return valid.get();
}

}  // namespace headlight
