#include "app/figure/paint/figure_file.h"

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/paint/pdf_painter.h"
#include "app/figure/paint/svg_painter.h"
#include "engine/core/ascii.h"

namespace headlight {

std::optional<FigureFormat> figure_format(const std::filesystem::path& path) {
  const std::string ending = lowered(path.extension().string());
  if (ending == ".png") return FigureFormat::Png;
  if (ending == ".svg") return FigureFormat::Svg;
  if (ending == ".pdf") return FigureFormat::Pdf;
  return std::nullopt;
}

FigureFile figure_file(const FigureGrid& figure, FigureFormat format, double dpi, const FigureNotes& notes) {
  const CellsForm form = cells_form(figure);
  switch (format) {
    case FigureFormat::Svg:
      return {svg_text(figure, form, notes), form};
    case FigureFormat::Pdf:
      return {pdf_bytes(figure, form, notes), form};
    case FigureFormat::Png:
      break;
  }
  PngNotes texts;
  texts.dpi = dpi;
  texts.texts = {{"Title", notes.title}, {"Source", notes.session}, {"Software", notes.program}};
  if (!notes.about.empty()) texts.texts.emplace_back("About", notes.about);
  return {png_bytes(figure, dpi / 96, texts), CellsForm::Image};
}

}  // namespace headlight
