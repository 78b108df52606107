#include "app/export/figure_preview.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/export/stage_numbers.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kMostEnlarged = 3;       // with more, a small figure would look like a large one
constexpr double kLongestPainted = 6000;  // longest side in pixels of a picture before averaging
constexpr Index kMostCellsAtOnce = 200'000, kRowsShown = 24, kColumnsShown = 12;

// The number of painted pixels per pixel and side at which every cell has one, limited by kLongestPainted.
int paintings(const FigureGrid& figure, double scale) {
  double least = 1;
  for (const PlacedPlan& placed : figure.plans) {
    const PlannedCells& cells = placed.plan.cells;
    if (cells.rows == 0 || cells.columns == 0) continue;
    least = std::min({least, scale * cells.rect.width / static_cast<double>(cells.columns),
                      scale * cells.rect.height / static_cast<double>(cells.rows)});
  }
  const double longest = std::max({figure.width, figure.height, 1.0}) * scale;
  return static_cast<int>(std::clamp(std::ceil(1 / std::max(least, 1e-6)), 1.0,
                                     std::max(1.0, std::floor(kLongestPainted / longest))));
}

// The means of blocks of `times` x `times` pixels, weighted by opacity.
FigurePixels averaged(const FigurePixels& large, int times) {
  if (times == 1) return large;
  FigurePixels small{large.width / times, large.height / times, {}};
  for (int y = 0; y < small.height; ++y)
    for (int x = 0; x < small.width; ++x) {
      int red = 0, green = 0, blue = 0, opacity = 0;
      for (int part = 0; part < times * times; ++part) {
        const Color& color = large.pixels[static_cast<std::size_t>(y * times + part / times) *
                                              static_cast<std::size_t>(large.width) +
                                          static_cast<std::size_t>(x * times + part % times)];
        red += color.r * color.a;
        green += color.g * color.a;
        blue += color.b * color.a;
        opacity += color.a;
      }
      const auto mean = [](int sum, int of) { return static_cast<std::uint8_t>(of > 0 ? sum / of : 0); };
      small.pixels.push_back(
          {mean(red, opacity), mean(green, opacity), mean(blue, opacity), mean(opacity, times * times)});
    }
  return small;
}

void note_size(FigurePreview& preview, const FigureGrid& figure, const PreviewRequest& order) {
  const double pixels_per_inch = order.format == FileFormat::Png ? order.options.dpi : kPixelsPerInch;
  preview.width_mm = figure.width / kPixelsPerInch * kMillimetresPerInch;
  preview.height_mm = figure.height / kPixelsPerInch * kMillimetresPerInch;
  preview.width_px = std::ceil(figure.width * pixels_per_inch / kPixelsPerInch - 1e-6);
  preview.height_px = std::ceil(figure.height * pixels_per_inch / kPixelsPerInch - 1e-6);
  if (figure.plans.empty()) return;
  preview.cells = order.format == FileFormat::Png ? CellsForm::Image : cells_form(figure);
}

std::string shape_text(const std::string& name, const std::vector<Index>& shape) {
  std::string text = name + "  ";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "" : " × ") + std::to_string(shape[i]);
  return text + "  float32\n";
}

void preview_table(FigurePreview& preview, const PreviewRequest& order, const ComputedSession& session) {
  const StageChoice& part = order.choice.part;
  const auto heads = static_cast<Index>(chosen_heads(part, session.layer()).size());
  const FigurePart shown = chosen_part(part, session.layer());
  const Index rows = shown.rows.count(), columns = shown.columns.count();
  const bool text = file_format_info(order.format).text;
  if (heads * rows * columns <= kMostCellsAtOnce) {
    const std::string bytes = table_bytes(stage_table_of(session, part), order.format);
    preview.file_size = bytes.size();
    if (text) preview.text = bytes;
  } else if (text) {
    preview.text = table_bytes(stage_table_beginning(session, part, kRowsShown, kColumnsShown), order.format);
  }
  if (text) return;
  std::vector<Index> shape = {rows, columns};
  if (heads > 1) shape.insert(shape.begin(), heads);
  preview.text = shape_text(std::string(stage_info(part.stage).name), shape);
}

std::string fixed_text(double value, int decimals) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

}  // namespace

FigurePreview preview_figure(const PreviewRequest& order, const ComputedSession& session,
                             const ComputedSession* compared, FigureGrid& figure) {
  FigurePreview preview;
  try {
    check_options(order.options, order.choice.part.stage);
    figure =
        make_figure(order.choice, session, compared, order.options, *file_format_info(order.format).figure);
    note_size(preview, figure, order);
    const double scale =
        std::min({order.width_px / figure.width, order.height_px / figure.height, kMostEnlarged});
    const int times = paintings(figure, scale);
    preview.pixels = averaged(figure_pixels(figure, scale * times), times);
  } catch (const Error& error) {
    preview = {};
    preview.failure = error.what();
  }
  return preview;
}

FigurePreview preview_numbers(const PreviewRequest& order, const ComputedSession& session) {
  FigurePreview preview;
  try {
    if (figure_kind_info(order.choice.kind).every_stage)
      for (const Stage stage : stages_in_use(session.layer()))
        preview.text += shape_text(std::string(stage_info(stage).name), whole_shape(session.layer(), stage));
    else
      preview_table(preview, order, session);
  } catch (const Error& error) {
    preview = {};
    preview.failure = error.what();
  }
  return preview;
}

std::string file_size_text(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  if (size < 999'500) return fixed_text(size / 1e3, size < 9950 ? 1 : 0) + " kB";
  return fixed_text(size / 1e6, 1) + " MB";
}

std::string preview_size_text(const FigurePreview& preview) {
  return fixed_text(preview.width_mm, 1) + " × " + fixed_text(preview.height_mm, 1) + " mm · " +
         fixed_text(preview.width_px, 0) + " × " + fixed_text(preview.height_px, 0) + " px";
}

std::string preview_file_text(const FigurePreview& preview, FileFormat format) {
  std::string text(file_format_info(format).name);
  if (preview.file_size) text += " · " + file_size_text(*preview.file_size);
  if (!preview.cells || format == FileFormat::Png) return text;
  return text + (*preview.cells == CellsForm::Image ? " · one raster image inside vector labels"
                                                    : " · vector cells");
}

}  // namespace headlight
