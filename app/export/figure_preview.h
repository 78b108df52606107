// A figure as it will be saved, small enough to be shown before that.
#pragma once

#include <optional>
#include <string>

#include "app/export/figure_choice.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/file_format.h"

namespace headlight {

struct PreviewOrder {
  FigureChoice choice;
  FigureOptions options;
  FileFormat format = FileFormat::Png;
  int width_px = 0, height_px = 0;  // the room on screen
  bool operator==(const PreviewOrder&) const = default;
};

struct FigurePreview {
  FigurePixels pixels;  // of numbers: none
  std::string text;     // of numbers: how the file begins, or what arrays it holds
  double width_mm = 0, height_mm = 0;
  double width_px = 0, height_px = 0;  // of a PNG its own pixels, else 1/96 inch
  // How the cells are held; none where there are no heatmaps.
  std::optional<CellsForm> cells;
  std::optional<std::size_t> file_size;  // bytes; none where it is not known yet, or numbers are very many
  std::string failure;                   // why there is no such figure: one line; nothing else is set then
  std::string note;                      // why none is shown though there will be one; likewise
};

// Plans the figure of the order and paints that plan at the room's resolution, with the painter of PNG files.
// Cells that would be smaller than a pixel are averaged, none is left out. `figure` gets the planned figure,
// of which the file is made. Never throws Error.
FigurePreview preview_figure(const PreviewOrder& order, const ComputedSession& session,
                             const ComputedSession* compared, FigureGrid& figure);

// The same for numbers: the first rows of the first head, and the file's size unless it holds very many.
FigurePreview preview_numbers(const PreviewOrder& order, const ComputedSession& session);

// "89.0 × 62.4 mm · 336 × 236 px"; "PDF · 21 kB · vector cells".
std::string preview_size_text(const FigurePreview& preview);
std::string preview_file_text(const FigurePreview& preview, FileFormat format);
// "812 bytes", "21 kB", "3.4 MB".
std::string file_size_text(std::size_t bytes);

}  // namespace headlight
