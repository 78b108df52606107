#include "app/page/page_picture.h"

#include <string_view>

#include "app/export/exported_files.h"

namespace headlight {

std::string figure_svg(const FigureChoice& choice, const ComputedSession& computed, Index first) {
  FigureOptions options;
  options.percent = true;
  options.counting.first = first;
  const FigureGrid figure = make_figure(choice, computed, nullptr, options, FigureFormat::Svg);
  std::string svg = figure_file(figure, FigureFormat::Svg, options.dpi, {}).bytes;
  svg.erase(0, svg.find("<svg"));
  const std::size_t begin = svg.find("<metadata>"), end = svg.find("</metadata>\n");
  if (begin < end && end != std::string::npos)
    svg.erase(begin, end + std::string_view("</metadata>\n").size() - begin);
  return svg;
}

}  // namespace headlight
