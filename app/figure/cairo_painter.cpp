#include "app/figure/cairo_painter.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "engine/core/error.h"
#include "engine/formats/session.h"

namespace headlight {
namespace {

struct Release {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(PangoLayout* layout) const { g_object_unref(layout); }
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

// Letters are the same whatever the desktop's font settings, and as wide at every scale as at scale 1.
void set_font_options(PangoLayout* layout) {
  const Owned<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  PangoContext* context = pango_layout_get_context(layout);
  pango_cairo_context_set_font_options(context, options.get());
  pango_cairo_context_set_resolution(context, 96);
  // Pango 1.56 rounds to whole pixels whatever the hint metrics are, 1.50 does not.
  pango_context_set_round_glyph_positions(context, FALSE);
}

void set_text(PangoLayout* layout, const std::string& text, double size_px, FontFace face) {
  const Owned<PangoFontDescription> font(pango_font_description_from_string(
      face == FontFace::Number ? "DejaVu Sans Mono" : "Inter, DejaVu Sans"));
  pango_font_description_set_absolute_size(font.get(), size_px * PANGO_SCALE);
  pango_layout_set_font_description(layout, font.get());
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  const std::unique_ptr<char, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), &g_free);
  pango_layout_set_text(layout, valid.get(), -1);
}

void set_color(cairo_t* context, Color color) {
  cairo_set_source_rgba(context, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
}

std::uint32_t rgb24(Color color) {
  return std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b;
}

// One picture. Cells and upright outlines are put into the pixels directly, not through Cairo's paths: every
// pixel then has exactly the colour of the cell under its middle.
class Canvas {
 public:
  Canvas(double width, double height, double scale, Color background)
      : scale_(scale),
        surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, device_size(width), device_size(height))),
        context_(cairo_create(surface_.get())),
        layout_(nullptr) {
    if (cairo_surface_status(surface_.get()) != CAIRO_STATUS_SUCCESS)
      throw Error("there is not enough memory for a picture of this size", "", "choose a smaller scale");
    set_color(context_.get(), background);
    cairo_paint(context_.get());
    cairo_scale(context_.get(), scale, scale);
    layout_.reset(pango_cairo_create_layout(context_.get()));
    set_font_options(layout_.get());
  }

  void paint(const HeatmapPlan& plan, double x, double y) {
    paint_colors(plan.cells.rect, x, y, plan.cells.rows, plan.cells.columns, plan.cells.colors);
    for (const PlannedLine& line : plan.lines)
      paint_line(line, x, y);
    for (const PlannedBox& box : plan.boxes)
      paint_box(box, x, y);
    for (const PlannedBar& bar : plan.bars)
      paint_bar(bar, x, y);
    for (const PlannedText& text : plan.texts)
      paint_text(text, x, y);
  }

  void paint_text(const PlannedText& text, double x, double y) {
    set_text(layout_.get(), text.text, text.size_px, text.face);
    int width = 0, height = 0;
    pango_layout_get_size(layout_.get(), &width, &height);
    const double text_width = static_cast<double>(width) / PANGO_SCALE;
    const double shift = text.anchor == Anchor::Start    ? 0
                         : text.anchor == Anchor::Middle ? -text_width / 2
                                                         : -text_width;
    // Capitals and digits of both fonts are 0.73 of the size high: their middle stands on the anchor.
    const double baseline = 0.365 * text.size_px;
    cairo_save(context_.get());
    cairo_translate(context_.get(), x + text.x, y + text.y);
    cairo_rotate(context_.get(), -text.angle_deg * M_PI / 180);
    cairo_move_to(context_.get(), shift, baseline);
    set_color(context_.get(), text.color);
    pango_cairo_update_layout(context_.get(), layout_.get());
    pango_cairo_show_layout_line(context_.get(), pango_layout_get_line_readonly(layout_.get(), 0));
    cairo_restore(context_.get());
  }

  std::string png() {
    std::string bytes;
    const auto append = [](void* to, const unsigned char* data, unsigned int length) {
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
      return CAIRO_STATUS_SUCCESS;
    };
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface_.get(), append, &bytes);
    if (status != CAIRO_STATUS_SUCCESS) throw Error(cairo_status_to_string(status), "the PNG", "");
    return bytes;
  }

 private:
  int device_size(double size) const {
    const double pixels = std::ceil(std::max(size, 1.0) * scale_ - 1e-6);
    if (!(pixels <= 32767))
      throw Error("the picture would be " + std::to_string(static_cast<long long>(pixels)) +
                      " pixels long, at most 32767 are possible",
                  "scale", "choose a smaller scale");
    return static_cast<int>(pixels);
  }

  // The device pixels whose middles lie inside a rectangle of the plan.
  struct PixelRect {
    int left = 0, top = 0, right = 0, bottom = 0;
  };
  PixelRect pixels_in(const Rect& rect, double x, double y) const {
    const auto edge = [this](double at, int limit) {
      return std::clamp(static_cast<int>(std::lround(at * scale_)), 0, limit);
    };
    const int width = cairo_image_surface_get_width(surface_.get());
    const int height = cairo_image_surface_get_height(surface_.get());
    return {edge(x + rect.x, width), edge(y + rect.y, height), edge(x + rect.right(), width),
            edge(y + rect.bottom(), height)};
  }

  void paint_colors(const Rect& rect, double x, double y, Index rows, Index columns,
                    const std::vector<Color>& colors) {
    if (rows == 0 || columns == 0) return;
    fill(pixels_in(rect, x, y), rows, columns, colors.data());
  }

  void paint_bar(const PlannedBar& bar, double x, double y) {
    paint_colors(bar.rect, x, y, static_cast<Index>(bar.colors.size()), 1, bar.colors);
    if (bar.top_tip_px > 0) paint_triangle(bar.top_tip(), x, y, bar.colors.front());
    if (bar.bottom_tip_px > 0) paint_triangle(bar.bottom_tip(), x, y, bar.colors.back());
  }

  void paint_triangle(const std::array<Point, 3>& corners, double x, double y, Color color) {
    set_color(context_.get(), color);
    for (const Point& corner : corners)
      cairo_line_to(context_.get(), x + corner.x, y + corner.y);
    cairo_close_path(context_.get());
    cairo_fill(context_.get());
  }

  void fill(const PixelRect& at, Index rows, Index columns, const Color* colors) {
    cairo_surface_flush(surface_.get());
    unsigned char* data = cairo_image_surface_get_data(surface_.get());
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface_.get());
    const auto cell = [](int pixel, int begin, int end, Index count) {
      return (2 * (pixel - begin) + 1) * count / (2 * (end - begin));
    };
    for (int py = at.top; py < at.bottom; ++py) {
      auto* row = reinterpret_cast<std::uint32_t*>(data + py * stride);
      const Color* from = colors + cell(py, at.top, at.bottom, rows) * columns;
      for (int px = at.left; px < at.right; ++px)
        row[px] = rgb24(from[cell(px, at.left, at.right, columns)]);
    }
    cairo_surface_mark_dirty(surface_.get());
  }

  // Level and upright lines take whole pixels; others are smooth.
  void paint_line(const PlannedLine& line, double x, double y) {
    const double half = line.width / 2;
    if (line.x1 == line.x2 || line.y1 == line.y2) {
      const bool level = line.y1 == line.y2;
      const Rect rect = {line.x1 - (level ? 0 : half), line.y1 - (level ? half : 0),
                         level ? line.x2 - line.x1 : line.width, level ? line.width : line.y2 - line.y1};
      fill(pixels_in(rect, x, y), 1, 1, &line.color);
      return;
    }
    set_color(context_.get(), line.color);
    cairo_set_line_width(context_.get(), line.width);
    cairo_move_to(context_.get(), x + line.x1, y + line.y1);
    cairo_line_to(context_.get(), x + line.x2, y + line.y2);
    cairo_stroke(context_.get());
  }

  // The pixels between the outline's two edges, each rounded alike with the cells it may frame.
  void paint_box(const PlannedBox& box, double x, double y) {
    const PixelRect outer = pixels_in(box.rect, x, y), inner = pixels_in(outset(box.rect, -box.width), x, y);
    fill({outer.left, outer.top, outer.right, inner.top}, 1, 1, &box.color);
    fill({outer.left, inner.bottom, outer.right, outer.bottom}, 1, 1, &box.color);
    fill({outer.left, inner.top, inner.left, inner.bottom}, 1, 1, &box.color);
    fill({inner.right, inner.top, outer.right, inner.bottom}, 1, 1, &box.color);
  }

  double scale_;
  Owned<cairo_surface_t> surface_;
  Owned<cairo_t> context_;
  Owned<PangoLayout> layout_;
};

}  // namespace

MeasureText pango_measure() {
  struct State {
    Owned<cairo_surface_t> surface{cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)};
    Owned<cairo_t> context{cairo_create(surface.get())};
    Owned<PangoLayout> layout{pango_cairo_create_layout(context.get())};
    std::map<std::tuple<std::string, double, FontFace>, TextSize> known;
  };
  auto state = std::make_shared<State>();
  set_font_options(state->layout.get());
  return [state](const std::string& text, double size_px, FontFace face) {
    const auto [at, added] = state->known.try_emplace({text, size_px, face});
    if (added) {
      set_text(state->layout.get(), text, size_px, face);
      int width = 0, height = 0;
      pango_layout_get_size(state->layout.get(), &width, &height);
      at->second = {static_cast<double>(width) / PANGO_SCALE, 1.2 * size_px};
    }
    return at->second;
  };
}

std::string png_bytes(const HeatmapPlan& plan, double scale) {
  Canvas canvas(plan.width, plan.height, scale, plan.background);
  canvas.paint(plan, 0, 0);
  return canvas.png();
}

std::string png_bytes(const FigureGrid& grid, double scale) {
  Canvas canvas(grid.width, grid.height, scale, grid.background);
  for (const PlacedPlan& placed : grid.plans)
    canvas.paint(placed.plan, placed.x, placed.y);
  for (const PlannedText& text : grid.texts)
    canvas.paint_text(text, 0, 0);
  return canvas.png();
}

void save_png(const HeatmapPlan& plan, double scale, const std::filesystem::path& path) {
  write_file_atomically(path, png_bytes(plan, scale));
}

void save_png(const FigureGrid& grid, double scale, const std::filesystem::path& path) {
  write_file_atomically(path, png_bytes(grid, scale));
}

}  // namespace headlight
