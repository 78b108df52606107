#include "app/figure/paint/cairo_painter.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "app/figure/paint/cairo_curve.h"
#include "app/figure/paint/painter.h"
#include "app/figure/paint/pango_text.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/machine_memory.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

std::uint32_t opaque_pixel(Color color) {
  return 0xFF000000u | std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b;
}

// Cairo's pixels are premultiplied by opacity, those of a PNG are not.
std::uint32_t unmultiplied(std::uint32_t pixel) {
  const std::uint32_t opacity = pixel >> 24;
  if (opacity == 0 || opacity == 255) return opacity == 0 ? 0 : pixel;
  std::uint32_t result = opacity << 24;
  for (const int shift : {16, 8, 0})
    result |= std::min(255u, (((pixel >> shift) & 255u) * 255u + opacity / 2) / opacity) << shift;
  return result;
}

// Undefined pixels, in huge pages if the system has them.
class PixelMemory {
 public:
  PixelMemory(int width, int height)
      : stride_(std::ptrdiff_t{4} * width),
        size_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height)) {
    data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED)
      throw Error("there is not enough memory for a picture of this size", "the picture",
                  "choose a smaller size or fewer dpi");
    use_large_pages(data_, size_);
  }
  ~PixelMemory() { ::munmap(data_, size_); }
  PixelMemory(const PixelMemory&) = delete;
  PixelMemory& operator=(const PixelMemory&) = delete;

  int rows() const { return static_cast<int>(size_ / static_cast<std::size_t>(stride_)); }
  // A surface over the rows [begin, end).
  CairoOwned<cairo_surface_t> surface(cairo_format_t format, int begin, int end) const {
    unsigned char* first = static_cast<unsigned char*>(data_) + begin * stride_;
    return CairoOwned<cairo_surface_t>(cairo_image_surface_create_for_data(
        first, format, static_cast<int>(stride_ / 4), end - begin, static_cast<int>(stride_)));
  }

 private:
  std::ptrdiff_t stride_;  // bytes
  std::size_t size_;
  void* data_;
};

// A figure as pixels.
struct Canvas {
  Canvas(double figure_width, double figure_height, double pixels_per_unit, Color figure_background)
      : scale(pixels_per_unit),
        background(figure_background),
        width(device_size(figure_width)),
        height(device_size(figure_height)) {}

  int device_size(double size) const {
    const double pixels = std::ceil(std::max(size, 1.0) * scale - 1e-6);
    if (!(pixels <= 32767))
      throw Error("the picture would be " + std::to_string(static_cast<long long>(pixels)) +
                      " pixels long, at most 32767 are possible",
                  "scale", "choose a smaller scale");
    return static_cast<int>(pixels);
  }
  bool see_through() const { return background.a < 255; }

  double scale;
  Color background;
  int width, height;
};

using PendingStroke = std::variant<PlannedBand, PlannedCurve>;

// A rectangle that holds all of it.
Rect inked(const PlannedBand& band) {
  return outset(bounds(band.path), std::max(band.width, band.to_width));
}
Rect inked(const PlannedCurve& curve) {
  return outset(bounds(curve.path), curve.width);
}
Rect inked(const PendingStroke& stroke) {
  return std::visit([](const auto& one) { return inked(one); }, stroke);
}

// Paints the rows [begin, end) of a picture; what lies outside is cut off. Cells, axis-parallel lines and
// boxes are written directly to the pixels, not through Cairo's paths, so that every pixel has exactly the
// colour of the cell under its centre.
class PixelPainter : public Painter {
 public:
  PixelPainter(const Canvas& canvas, int begin, int end, PixelMemory& memory, const FigureFonts& fonts)
      : scale_(canvas.scale),
        see_through_(canvas.see_through()),
        width_(canvas.width),
        height_(canvas.height),
        begin_(begin),
        end_(end),
        memory_(memory),
        surface_(memory_.surface(format(), 0, end - begin)),
        context_(cairo_create(surface_.get())) {
    require_drawable(context_.get());
    constexpr std::size_t kForText = std::size_t{32} << 20;  // bytes in addition to the pixels
    require_address_space(kForText);
    if (see_through_) {
      cairo_set_operator(context_.get(), CAIRO_OPERATOR_SOURCE);
      set_color(context_.get(), canvas.background);
      cairo_paint(context_.get());
      cairo_set_operator(context_.get(), CAIRO_OPERATOR_OVER);
    } else {
      fill_pixels({0, 0, width_, height_}, 1, 1, &canvas.background);
    }
    show_rows_from(begin_, context_.get());
    text_ = std::make_unique<PangoText>(context_.get(), fonts);
  }

  void cells(const PlannedCells& cells, Point at) override {
    fill_pixels(pixels_in(cells.rect, at), cells.rows, cells.columns, cells.colors.data());
  }
  void bar(const PlannedBar& bar, Point at) override {
    fill_pixels(pixels_in(bar.rect, at), static_cast<Index>(bar.colors.size()), 1, bar.colors.data());
  }

  void hatching(const PlannedHatching& hatching, Point at) override {
    for (const auto& [from, to] : hatching.segments)
      stroke({from.x, from.y, to.x, to.y, hatching.width, hatching.color}, at);
  }

  void fill(const PlannedFill& fill, Point at) override { cover(pixels_in(fill.rect, at), fill.color); }

  void band(const PlannedBand& band, Point at) override {
    strokes_.push_back(PlannedBand{moved(band.path, at), band.width, band.to_width, band.color});
  }

  void curve(const PlannedCurve& curve, Point at) override {
    strokes_.push_back(PlannedCurve{moved(curve.path, at), curve.width, curve.color, curve.dash});
  }

  void stroke(const PlannedLine& line, Point at) override {
    curve({straight_curve({line.x1, line.y1}, {line.x2, line.y2}), line.width, line.color}, at);
  }

  void line(const PlannedLine& line, Point at) override {
    if (line.x1 != line.x2 && line.y1 != line.y2) return stroke(line, at);
    const double half = line.width / 2;
    const bool level = line.y1 == line.y2;
    const Rect rect = {line.x1 - (level ? 0 : half), line.y1 - (level ? half : 0),
                       level ? line.x2 - line.x1 : line.width, level ? line.width : line.y2 - line.y1};
    fill_pixels(pixels_in(rect, at), 1, 1, &line.color);
  }

  // Fills the pixels between the outline's two edges, which are rounded like the edges of the framed cells.
  void box(const PlannedBox& box, Point at) override {
    const PixelRect outer = pixels_in(box.rect, at), inner = pixels_in(outset(box.rect, -box.width), at);
    cover({outer.left, outer.top, outer.right, inner.top}, box.color);
    cover({outer.left, inner.bottom, outer.right, outer.bottom}, box.color);
    cover({outer.left, inner.top, inner.left, inner.bottom}, box.color);
    cover({inner.right, inner.top, outer.right, inner.bottom}, box.color);
  }

  void triangle(const std::array<Point, 3>& corners, Color color, Point at) override {
    paint_on(context(), corners, color, at);
  }
  void dot(const PlannedDot& dot, Point at) override { paint_on(context(), dot, at); }

  void text(const PlannedText& text, Point at) override {
    const double most = 2 * text.size_px * static_cast<double>(text.text.size() + 1);  // from its anchor
    const double reach = text.angle_deg == 0 ? 2 * text.size_px : most, y = at.y + text.y;
    if (is_outside(y - reach, y + reach)) return;
    draw_strokes();
    text_->draw(text, at);
  }

  // Call once, after painting: it undoes the premultiplication in place. The result refers to the memory.
  PngPixels pixels() {
    draw_strokes();
    cairo_surface_flush(surface_.get());
    PngPixels image;
    image.width = width_;
    image.height = end_ - begin_;
    image.stride = width_;
    image.has_opacity = see_through_;
    auto* pixels = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface_.get()));
    image.pixels = pixels;
    if (see_through_) std::transform(pixels, pixels + image.stride * image.height, pixels, unmultiplied);
    return image;
  }

 private:
  cairo_format_t format() const { return see_through_ ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24; }

  // The context, after drawing the pending strokes, which belong below what is drawn next.
  cairo_t* context() {
    draw_strokes();
    return context_.get();
  }

  bool is_outside(double top, double bottom) const { return bottom * scale_ < begin_ || top * scale_ > end_; }

  // Lets the context draw a picture whose rows from `begin` on it has.
  void show_rows_from(int begin, cairo_t* context) const {
    const cairo_matrix_t matrix = {scale_, 0, 0, scale_, 0, static_cast<double>(-begin)};
    cairo_set_matrix(context, &matrix);
  }

  // A hatched matrix has thousands of strokes, so bands of rows are drawn in parallel. The pixels are the
  // same as without bands.
  void draw_strokes() {
    constexpr int kBandRows = 256;
    constexpr double kWorkOfPixel = 50;  // multiplications per pixel of stroke length
    if (strokes_.empty()) return;
    const std::vector<PendingStroke> strokes = std::exchange(strokes_, {});
    double length = 0;
    for (const PendingStroke& stroke : strokes)
      length += scale_ * std::hypot(inked(stroke).width, inked(stroke).height);
    cairo_surface_flush(surface_.get());
    for_each_index((end_ - begin_ + kBandRows - 1) / kBandRows, kWorkOfPixel * length, [&](Index band) {
      const int begin = begin_ + static_cast<int>(band) * kBandRows;
      draw_band(strokes, begin, std::min(begin + kBandRows, end_));
    });
    cairo_surface_mark_dirty(surface_.get());
  }

  void draw_band(const std::vector<PendingStroke>& strokes, int begin, int end) const {
    const CairoOwned<cairo_surface_t> surface = memory_.surface(format(), begin - begin_, end - begin_);
    const CairoOwned<cairo_t> owned(cairo_create(surface.get()));
    cairo_t* const to = owned.get();
    require_drawable(to);
    show_rows_from(begin, to);
    for (const PendingStroke& stroke : strokes)
      if (inked(stroke).bottom() * scale_ >= begin && inked(stroke).y * scale_ <= end)
        std::visit([to](const auto& one) { paint_on(to, one); }, stroke);
    cairo_surface_flush(surface.get());
  }

  // The device pixels whose centres lie inside a rectangle of the plan; half open.
  struct PixelRect {
    int left = 0, top = 0, right = 0, bottom = 0;
  };
  PixelRect pixels_in(const Rect& rect, Point at) const {
    const auto edge = [this](double place, int limit) {
      return std::clamp(static_cast<int>(std::lround(place * scale_)), 0, limit);
    };
    return {edge(at.x + rect.x, width_), edge(at.y + rect.y, height_), edge(at.x + rect.right(), width_),
            edge(at.y + rect.bottom(), height_)};
  }

  // One colour, which what is below shines through if it is transparent.
  void cover(const PixelRect& pixels, Color color) {
    if (color.a == 255) return fill_pixels(pixels, 1, 1, &color);
    if (pixels.right <= pixels.left || pixels.bottom <= pixels.top) return;
    cairo_t* const to = context();
    set_color(to, color);
    cairo_rectangle(to, pixels.left / scale_, pixels.top / scale_, (pixels.right - pixels.left) / scale_,
                    (pixels.bottom - pixels.top) / scale_);
    cairo_fill(to);
  }

  void fill_pixels(const PixelRect& at, Index rows, Index columns, const Color* colors) {
    const int top = std::max(at.top, begin_), bottom = std::min(at.bottom, end_);
    if (at.right <= at.left || bottom <= top) return;
    draw_strokes();
    cairo_surface_flush(surface_.get());
    unsigned char* data = cairo_image_surface_get_data(surface_.get());
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface_.get());
    const auto row_of = [&](int py) {
      return reinterpret_cast<std::uint32_t*>(data + (py - begin_) * stride);
    };
    const std::vector<Index> column_at = middles(at.left, at.right, columns);
    const std::vector<Index> row_at = middles(at.top, at.bottom, rows);
    const auto width = static_cast<std::size_t>(at.right - at.left);
    constexpr int kStripRows = 64;
    const int strips = (bottom - top + kStripRows - 1) / kStripRows;
    for_each_index(strips, static_cast<double>(width) * (bottom - top), [&](Index strip) {
      const int first = top + static_cast<int>(strip) * kStripRows;
      for (int py = first; py < std::min(first + kStripRows, bottom); ++py) {
        std::uint32_t* to = row_of(py) + at.left;
        const Index row = row_at[static_cast<std::size_t>(py - at.top)];
        if (py > first && row_at[static_cast<std::size_t>(py - at.top - 1)] == row) {
          std::copy_n(row_of(py - 1) + at.left, width, to);
          continue;
        }
        const Color* from = colors + row * columns;
        for (std::size_t i = 0; i < width; ++i)
          to[i] = opaque_pixel(from[column_at[i]]);
      }
    });
    cairo_surface_mark_dirty(surface_.get());
  }

  // For each pixel of [begin, end), which `count` equal cells span: the cell under its centre.
  static std::vector<Index> middles(int begin, int end, Index count) {
    std::vector<Index> cells;
    cells.reserve(static_cast<std::size_t>(std::max(end - begin, 0)));
    for (int pixel = begin; pixel < end; ++pixel)
      cells.push_back((Index{2} * (pixel - begin) + 1) * count / (Index{2} * (end - begin)));
    return cells;
  }

  double scale_;
  bool see_through_;
  int width_, height_;  // of the whole picture
  int begin_, end_;     // of its rows
  PixelMemory& memory_;
  CairoOwned<cairo_surface_t> surface_;
  CairoOwned<cairo_t> context_;
  std::unique_ptr<PangoText> text_;
  std::vector<PendingStroke> strokes_;  // pending, in coordinates of the whole picture
};

// The figure on that canvas, painted as its rows are asked for.
template <class PaintFigure>
std::string packed(const Canvas& canvas, const FigureFonts& fonts, const PngNotes& notes,
                   PaintFigure paint_on) {
  std::optional<PixelMemory> memory;
  std::optional<std::pair<int, int>> made;
  PngPixels pixels;
  const auto make = [&](int begin, int end) {
    if (made == std::pair(begin, end)) return pixels;
    if (!memory || memory->rows() < end - begin) memory.emplace(canvas.width, end - begin);
    PixelPainter painter(canvas, begin, end, *memory, fonts);
    paint_on(painter);
    pixels = painter.pixels();
    made = {begin, end};
    return pixels;
  };
  return png_file({canvas.width, canvas.height, canvas.see_through(), make}, notes);
}

}  // namespace

MeasureText pango_measure(const FigureFonts& fonts) {
  struct State {
    explicit State(const FigureFonts& fonts) : text(context.get(), fonts) {}
    CairoOwned<cairo_surface_t> surface{cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)};
    CairoOwned<cairo_t> context{cairo_create(surface.get())};
    PangoText text;
    std::map<std::tuple<std::string, double, FontFace>, TextSize> known;
  };
  auto state = std::make_shared<State>(fonts);
  return [state](const std::string& text, double size_px, FontFace face) {
    constexpr std::size_t kMostKnown = 20'000;  // a figure has hundreds
    if (state->known.size() > kMostKnown) state->known.clear();
    const std::string part = shaped_part(text);
    const auto [at, added] = state->known.try_emplace({part, size_px, face});
    if (added) at->second = {state->text.width(part, size_px, face), 1.2 * size_px};
    return at->second;
  };
}

std::string png_bytes(const HeatmapPlan& plan, double scale) {
  return packed({plan.width, plan.height, scale, plan.background}, {}, {},
                [&](Painter& painter) { paint(plan, {}, painter); });
}

std::string png_bytes(const FigureGrid& grid, double scale, const PngNotes& notes) {
  return packed({grid.width, grid.height, scale, grid.background}, grid.fonts, notes,
                [&](Painter& painter) { paint(grid, painter); });
}

FigurePixels figure_pixels(const FigureGrid& grid, double scale) {
  const Canvas canvas(grid.width, grid.height, scale, grid.background);
  PixelMemory memory(canvas.width, canvas.height);
  PixelPainter painter(canvas, 0, canvas.height, memory, grid.fonts);
  paint(grid, painter);
  const PngPixels image = painter.pixels();
  FigurePixels result{image.width, image.height, {}};
  result.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const std::uint32_t pixel = image.pixels[y * image.stride + x];
      const auto part = [pixel](int shift) { return static_cast<std::uint8_t>(pixel >> shift & 255u); };
      const std::uint8_t opacity = image.has_opacity ? part(24) : std::uint8_t{255};
      result.pixels.push_back({part(16), part(8), part(0), opacity});
    }
  return result;
}

std::string png_bytes(const FigurePixels& pixels) {
  std::vector<std::uint32_t> rows(pixels.pixels.size());
  std::transform(pixels.pixels.begin(), pixels.pixels.end(), rows.begin(), [](Color color) {
    return std::uint32_t{color.a} << 24 | (opaque_pixel(color) & 0xFFFFFFu);
  });
  return png_file(PngPixels{pixels.width, pixels.height, pixels.width, rows.data(), true});
}

void save_png(const HeatmapPlan& plan, double scale, const std::filesystem::path& path) {
  write_file_atomically(path, png_bytes(plan, scale));
}

void save_png(const FigureGrid& grid, double scale, const std::filesystem::path& path) {
  write_file_atomically(path, png_bytes(grid, scale));
}

}  // namespace headlight
