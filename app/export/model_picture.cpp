#include "app/export/model_picture.h"

#include <algorithm>

#include "app/export/figure_choice.h"
#include "app/figure/paint/cairo_painter.h"

namespace headlight {
namespace {

// In planned pixels.
constexpr double kPictureWidth = 72, kLeastWidth = 360, kBesidePictures = 96;

// "L3 H2"; of a model of two sides "E3 H2", "D3 H2" or "X3 H2".
std::string caption_of(const HeadsOverview& glance, Index row, Index head, const Counting& counting) {
  LayerNames names(counting);
  names.sides = glance.place(0).side != glance.place(glance.layers - 1).side;
  return names.brief(glance.place(row)) + " H" + counting.number(head);
}

// The options without what has no room in a small picture.
FigureOptions small_options(FigureOptions options) {
  options.labels = options.axis_names = options.numbers = false;
  options.grid_lines = GridLines::Never;
  return options;
}

}  // namespace

FigureGrid model_map(const HeadsOverview& glance, const std::vector<std::string>& labels,
                     const std::string& title, const FigureOptions& options, FigureFormat format) {
  const FigureOptions small = small_options(options);
  const TokenLabels tokens(labels);
  ValueStatistics all;
  for (const HeadOverview& head : glance.all)
    all = joined(all, statistics_of(head.picture));
  const auto sheet = [&](Index /*max_cells*/) {
    FigureSheet made;
    made.columns = static_cast<std::size_t>(glance.heads);
    made.same_rows = made.same_columns = true;
    made.same_range = options.colors.shared;
    made.title = made.name = options.title.value_or("weights of all heads");
    if (options.title && options.title->empty()) made.name = title;
    made.subtitle = options.subtitle.value_or(title);
    for (Index layer = 0; layer < glance.layers; ++layer)
      for (Index head = 0; head < glance.head_count(layer); ++head) {
        const Tile& tile = glance.of(layer, head).picture;
        HeatmapFigure figure = stage_figure(tile, tokens, glance.heads, "", options.colors, options.counting);
        if (options.colors.shared) figure.range = color_range(all, options.colors, Stage::Weights);
        apply_options(figure, small);
        figure.title.clear();
        figure.subtitle = caption_of(glance, layer, head, options.counting);
        made.figures.push_back(std::move(figure));
      }
    return made;
  };
  const FigureStyle style = figure_style(options);
  SheetSize size = sheet_size(options, format);
  if (!size.width && !size.height && !size.cell)
    size.width = std::max(kLeastWidth, static_cast<double>(glance.heads) * kPictureWidth + kBesidePictures);
  FigureGrid figure = lay_out(sheet, size, style, pango_measure(style.fonts));
  set_background(figure, options);
  return figure;
}

}  // namespace headlight
