// The preview of an export: the figure, or the numbers, at the size of the screen.
#pragma once

#include <optional>
#include <string>

#include "app/export/figure_choice.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/file_format.h"

namespace headlight {

struct PreviewRequest {
  FigureChoice choice;
  FigureOptions options;
  FileFormat format = FileFormat::Png;
  int width_px = 0, height_px = 0;  // the available size on screen
  bool operator==(const PreviewRequest&) const = default;
};

struct FigurePreview {
  FigurePixels pixels;  // empty for numbers
  std::string text;     // for numbers: the beginning of the file, or the arrays in it
  double width_mm = 0, height_mm = 0;
  double width_px = 0, height_px = 0;  // pixels of a PNG, else of 1/96 inch
  // How the cells are stored; none if there are no heatmaps.
  std::optional<CellsForm> cells;
  std::optional<std::size_t> file_size;  // bytes; none if not known yet, or for very many numbers
  std::string failure;                   // one line: why there is no such figure; nothing else is set then
  std::string note;                      // why no preview is shown of an export that is possible; likewise
};

// Plans the figure of the order and paints the plan at the resolution of the screen with the painter of PNG
// files. Cells smaller than a pixel are averaged, none is left out. Sets `figure` to the planned figure, from
// which the file is made. An Error is caught and stored in `failure`.
FigurePreview preview_figure(const PreviewRequest& order, const ComputedSession& session,
                             const ComputedSession* compared, FigureGrid& figure);

// A preview of numbers: the text of the file, of very many numbers only the first rows of the first head, or
// the arrays in it; and the file size unless there are very many.
FigurePreview preview_numbers(const PreviewRequest& order, const ComputedSession& session);

// "89.0 × 62.4 mm · 336 × 236 px"; "PDF · 21 kB · vector cells".
std::string preview_size_text(const FigurePreview& preview);
std::string preview_file_text(const FigurePreview& preview, FileFormat format);
// "812 bytes", "21 kB", "3.4 MB".
std::string file_size_text(std::size_t bytes);

}  // namespace headlight
