// A planned figure as the bytes of a file: PNG, SVG or PDF.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/figure/paint/painter.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

enum class FigureFormat { Png, Svg, Pdf };

// By the name's ending, in small or capital letters; none for another ending.
std::optional<FigureFormat> figure_format(const std::filesystem::path& path);

// What the file says of itself in its metadata. Each may be empty.
struct FigureNotes {
  std::string title, session, program;  // "weights · head 1 of 2", "Two heads", "Headlight 0.1.0"
};

struct FigureFile {
  std::string bytes;
  CellsForm cells = CellsForm::Rectangles;  // how the cells are held; Image always in a PNG
};

// `dpi`: pixels of a PNG per 96 planned pixels; of no matter for the others. Same arguments, same bytes.
// Throws Error when the figure is too large for its format.
FigureFile figure_file(const FigureGrid& figure, FigureFormat format, double dpi, const FigureNotes& notes);

}  // namespace headlight
