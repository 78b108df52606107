#include "app/figure/paint/pdf_painter.h"

#include <cairo/cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/paint/cairo_curve.h"
#include "app/figure/paint/pango_text.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kPointsPerPixel = 72.0 / 96;
constexpr const char* kDate = "2000-01-01T00:00:00Z";
constexpr double kLongestPage = 14400;  // points; the limit of PDF readers

class PdfPainter : public Painter {
 public:
  PdfPainter(cairo_t* context, CellsForm form, const FigureGrid& figure)
      : context_(context), form_(form), enlargement_(enlargement(figure)), text_(context, figure.fonts) {}

  void cells(const PlannedCells& cells, Point at) override {
    if (form_ == CellsForm::Image) return image(cells, at);
    for (Index row = 0; row < cells.rows; ++row)
      for (Index column = 0; column < cells.columns; ++column)
        fill({joined_cell(cells, row, column),
              cells.colors[static_cast<std::size_t>(row * cells.columns + column)]},
             at);
  }

  void bar(const PlannedBar& bar, Point at) override {
    const CairoOwned<cairo_pattern_t> gradient(
        cairo_pattern_create_linear(0, at.y + bar.rect.y, 0, at.y + bar.rect.bottom()));
    const std::vector<Color> stops = bar_stops(bar);
    for (std::size_t i = 0; i < stops.size(); ++i)
      cairo_pattern_add_color_stop_rgb(gradient.get(),
                                       static_cast<double>(i) / static_cast<double>(stops.size() - 1),
                                       stops[i].r / 255.0, stops[i].g / 255.0, stops[i].b / 255.0);
    cairo_set_source(context_, gradient.get());
    cairo_rectangle(context_, at.x + bar.rect.x, at.y + bar.rect.y, bar.rect.width, bar.rect.height);
    cairo_fill(context_);
  }

  // One path: a hatched region has hundreds of lines.
  void hatching(const PlannedHatching& hatching, Point at) override {
    set_color(context_, hatching.color);
    cairo_set_line_width(context_, hatching.width);
    for (const auto& [from, to] : hatching.segments) {
      cairo_move_to(context_, at.x + from.x, at.y + from.y);
      cairo_line_to(context_, at.x + to.x, at.y + to.y);
    }
    cairo_stroke(context_);
  }

  void fill(const PlannedFill& fill, Point at) override {
    set_color(context_, fill.color);
    cairo_rectangle(context_, at.x + fill.rect.x, at.y + fill.rect.y, fill.rect.width, fill.rect.height);
    cairo_fill(context_);
  }

  void band(const PlannedBand& band, Point at) override {
    paint_on(context_, PlannedBand{moved(band.path, at), band.width, band.to_width, band.color});
  }

  void curve(const PlannedCurve& curve, Point at) override {
    paint_on(context_, PlannedCurve{moved(curve.path, at), curve.width, curve.color, curve.dash});
  }

  void stroke(const PlannedLine& line, Point at) override {
    curve({straight_curve({line.x1, line.y1}, {line.x2, line.y2}), line.width, line.color}, at);
  }
  void line(const PlannedLine& line, Point at) override { stroke(line, at); }

  void box(const PlannedBox& box, Point at) override {
    const Rect middle = outset(box.rect, -box.width / 2);
    set_color(context_, box.color);
    cairo_set_line_width(context_, box.width);
    cairo_rectangle(context_, at.x + middle.x, at.y + middle.y, middle.width, middle.height);
    cairo_stroke(context_);
  }

  void triangle(const std::array<Point, 3>& corners, Color color, Point at) override {
    paint_on(context_, corners, color, at);
  }
  void dot(const PlannedDot& dot, Point at) override { paint_on(context_, dot, at); }

  void text(const PlannedText& text, Point at) override { text_.draw(text, at); }

 private:
  // Without opacity, for which Cairo would store a mask beside the image, and not to be smoothed. Cairo
  // copies the pixels when the surface ends.
  void image(const PlannedCells& cells, Point at) {
    CellPixels pixels(cells, enlargement_);
    const auto width = static_cast<int>(pixels.width), height = static_cast<int>(pixels.height);
    const CairoOwned<cairo_surface_t> image(
        cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.pixels.data()),
                                            CAIRO_FORMAT_RGB24, width, height, 4 * width));
    if (cairo_surface_status(image.get()) == CAIRO_STATUS_INVALID_SIZE)
      throw Error("a heatmap has more than 32767 rows or columns", "the PDF",
                  "choose fewer, or save it as SVG");
    cairo_save(context_);
    cairo_translate(context_, at.x + cells.rect.x, at.y + cells.rect.y);
    cairo_scale(context_, cells.rect.width / width, cells.rect.height / height);
    cairo_set_source_surface(context_, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
    cairo_paint(context_);
    cairo_restore(context_);
    require_drawable(context_);
  }

  cairo_t* context_;
  CellsForm form_;
  Index enlargement_;
  PangoText text_;
};

void set_metadata(cairo_surface_t* surface, const FigureNotes& notes) {
  const auto set = [&](cairo_pdf_metadata_t what, const std::string& text) {
    if (!text.empty()) cairo_pdf_surface_set_metadata(surface, what, valid_utf8(text).c_str());
  };
  set(CAIRO_PDF_METADATA_TITLE, notes.title);
  set(CAIRO_PDF_METADATA_SUBJECT, notes.session);
  set(CAIRO_PDF_METADATA_CREATOR, notes.program);
  set(CAIRO_PDF_METADATA_KEYWORDS, notes.about);
  set(CAIRO_PDF_METADATA_CREATE_DATE, kDate);
  set(CAIRO_PDF_METADATA_MOD_DATE, kDate);
}

// Writes a PDF to memory, page by page.
class PdfFile {
 public:
  PdfFile(double width, double height, const FigureNotes& notes)
      : surface_(cairo_pdf_surface_create_for_stream(append, &bytes_, width * kPointsPerPixel,
                                                     height * kPointsPerPixel)) {
    cairo_pdf_surface_restrict_to_version(surface_.get(), CAIRO_PDF_VERSION_1_4);
    set_metadata(surface_.get(), notes);
    context_.reset(cairo_create(surface_.get()));
    cairo_scale(context_.get(), kPointsPerPixel, kPointsPerPixel);
  }

  void page(const FigureGrid& figure, CellsForm form) {
    const double width = figure.width * kPointsPerPixel, height = figure.height * kPointsPerPixel;
    if (!(std::max(width, height) <= kLongestPage))
      throw Error("the page would be longer than the 200 inches that PDF allows", "the PDF",
                  "choose a smaller size");
    cairo_pdf_surface_set_size(surface_.get(), width, height);
    PdfPainter painter(context_.get(), form, figure);
    if (figure.background.a > 0) painter.fill({{0, 0, figure.width, figure.height}, figure.background}, {});
    paint(figure, painter);
    cairo_show_page(context_.get());
  }

  std::string finish() {
    cairo_surface_finish(surface_.get());
    const cairo_status_t status = cairo_surface_status(surface_.get());
    if (status != CAIRO_STATUS_SUCCESS)
      throw Error(std::string("it could not be written: ") + cairo_status_to_string(status), "the PDF",
                  "choose a smaller size, or save it as PNG or SVG");
    return std::move(bytes_);
  }

 private:
  static cairo_status_t append(void* to, const unsigned char* data, unsigned int length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  }

  std::string bytes_;
  CairoOwned<cairo_surface_t> surface_;
  CairoOwned<cairo_t> context_;
};

}  // namespace

std::string pdf_bytes(const FigureGrid& figure, CellsForm form, const FigureNotes& notes) {
  PdfFile file(figure.width, figure.height, notes);
  file.page(figure, form);
  return file.finish();
}

std::string pdf_bytes(const std::vector<FigureGrid>& pages, const FigureNotes& notes) {
  PdfFile file(pages.front().width, pages.front().height, notes);
  for (const FigureGrid& page : pages)
    file.page(page, CellsForm::Rectangles);
  return file.finish();
}

}  // namespace headlight
