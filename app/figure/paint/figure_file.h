// A planned figure as the bytes of a file: PNG, SVG or PDF.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/figure/paint/painter.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

enum class FigureFormat { Png, Svg, Pdf };

// By file extension, in upper or lower case; none for any other extension.
std::optional<FigureFormat> figure_format(const std::filesystem::path& path);

// The metadata of a file; each text may be empty.
struct FigureNotes {
  std::string title, session, program;  // "weights · head 1 of 2", "Two heads", "Headlight 0.1.0"
  std::string about = {};               // what it shows, for programs: PNG "About", PDF keywords, SVG desc
};

struct FigureFile {
  std::string bytes;
  CellsForm cells = CellsForm::Rectangles;  // how the cells are stored; always Image in a PNG
};

// `dpi`: pixels of a PNG per 96 planned pixels; ignored for SVG and PDF. Equal arguments give equal bytes.
// Throws Error if the figure is too large for the format.
FigureFile figure_file(const FigureGrid& figure, FigureFormat format, double dpi, const FigureNotes& notes);

}  // namespace headlight
