#include "app/export/model_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/export/figure_choice.h"
#include "app/export/figure_titles.h"
#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/label_text.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// In planned pixels: the side of a picture, and the least on a page of a given size; between two pictures.
constexpr double kMapPicture = 60, kLeastMapPicture = 4, kMapGap = 4, kMapPadding = 24;

// The pictures of all heads, a row for each layer and a column for each head, with one bar beside all.
class MapPlanner {
 public:
  MapPlanner(const HeadsOverview& glance, const std::vector<std::string>& labels,
             const FigureOptions& options, const FigureStyle& style, const SheetSize& size,
             const MeasureText& measure)
      : glance_(glance),
        tokens_(labels),
        options_(options),
        style_(style),
        size_(size),
        measure_(measure),
        line_(line_height(style.label_size_px)),
        gap_(scaled_px(style, kMapGap)),
        padding_(scaled_px(style, kMapPadding)) {
    for (const HeadOverview& head : glance.all)
      all_ = joined(all_, statistics_of(head.picture));
    // One head, which has the range of all.
    range_ = color_range(all_, options.colors, Stage::Weights);
  }

  FigureGrid plan(const std::string& title, const std::string& subtitle) {
    GridLimits limits;
    limits.padding_px = padding_;
    limits.max_width = size_.width.value_or(1e9);
    FigureGrid figure = arrange({}, title, subtitle, style_, limits, measure_);
    const double header = figure.texts.empty() ? padding_ : figure.height - padding_ + gap_;
    const double left = padding_ + names_width(), top = header + (options_.axis_names ? 2 * line_ : 0);
    side_ = side(left, top);
    add_pictures(figure, left, top);
    if (options_.axis_names) add_names(figure, left, top);
    const double bottom = top + extent(glance_.layers);
    double right = left + extent(glance_.heads);
    if (options_.color_bar && options_.colors.shared) right = add_common_bar(figure, left, top);
    figure.width = std::ceil(std::max(right, size_.width ? 0.0 : figure.width - padding_) + padding_);
    figure.height = std::ceil(bottom + padding_);
    add_hatching_legend(figure, style_, limits, measure_);
    return on_page(std::move(figure));
  }

 private:
  // Of so many pictures with the gaps between them.
  double extent(Index count) const { return static_cast<double>(count) * (side_ + gap_) - gap_; }
  // Room for the turned names of the layers, and for what they count where they do not fit.
  double names_width() const { return options_.axis_names ? 2 * line_ : 0; }

  double bar_room() const {
    if (!options_.color_bar || !options_.colors.shared) return 0;
    return bar_width(bar_ticks(range_, 200, line_, options_.percent), true, style_, measure_);
  }

  // The largest pictures that the page takes, of cells of whole pixels where the file has some.
  double side(double left, double top) const {
    const Index cells = std::max<Index>(1, glance_.of(0, 0).picture.values.rows());
    const auto share = [&](double room, Index count) {
      return (room + gap_) / static_cast<double>(std::max<Index>(count, 1)) - gap_;
    };
    double side = scaled_px(style_, kMapPicture);
    if (size_.cell) side = *size_.cell * static_cast<double>(cells);
    if (size_.width) side = share(*size_.width - left - bar_room() - padding_, glance_.heads);
    if (size_.height) {
      const double down =
          share(*size_.height - top - padding_ - hatching_legend_height(style_), glance_.layers);
      side = size_.width ? std::min(side, down) : down;
    }
    if (!(side >= kLeastMapPicture))
      throw Error("the page has no room for the heatmaps", size_.width ? "width" : "height",
                  "choose a larger size or a smaller font, or leave out the title or the colour bar");
    const double pixel = size_.pixel > 0 ? size_.pixel : 0.25, cell = side / static_cast<double>(cells);
    return cell >= pixel ? std::floor(cell / pixel + 1e-6) * pixel * static_cast<double>(cells) : side;
  }

  HeatmapFigure picture_of(const Tile& tile) const {
    HeatmapFigure figure = stage_figure(tile, tokens_, glance_.heads, "", options_.colors, options_.counting);
    if (options_.colors.shared) figure.range = range_;
    figure.title = figure.subtitle = figure.row_axis = figure.column_axis = "";
    figure.row_labels.clear();
    figure.column_labels.clear();
    figure.decimals = -1;
    figure.grid_lines = GridLines::Never;
    figure.show_colorbar = false;
    return figure;
  }

  void add_pictures(FigureGrid& figure, double left, double top) const {
    for (Index layer = 0; layer < glance_.layers; ++layer)
      for (Index head = 0; head < glance_.head_count(layer); ++head) {
        const Tile& tile = glance_.of(layer, head).picture;
        PlanLimits limits;
        limits.cell_px = side_ / static_cast<double>(std::max<Index>(tile.values.cols(), 1));
        limits.cell_height_px = side_ / static_cast<double>(std::max<Index>(tile.values.rows(), 1));
        limits.pixel = 1e-3;
        limits.show_title = limits.show_labels = false;
        HeatmapPlan plan = plan_heatmap(picture_of(tile), style_, limits, measure_);
        figure.plans.push_back({left + static_cast<double>(head) * (side_ + gap_) - plan.cells.rect.x,
                                top + static_cast<double>(layer) * (side_ + gap_) - plan.cells.rect.y,
                                std::move(plan)});
      }
  }

  double width_of(const std::string& text) const {
    return measure_(text, style_.label_size_px, FontFace::Text).width;
  }
  // "layer 3", "encoder layer 3"
  std::string layer_name(Index row) const {
    LayerNames names(options_.counting);
    names.sides = glance_.place(0).side != glance_.place(glance_.layers - 1).side;
    return names.text(glance_.place(row));
  }

  PlannedText name(const std::string& text, double x, double y, double angle) const {
    PlannedText planned = planned_label(style_, text, x, y, Anchor::Middle, style_.quiet_text);
    planned.angle_deg = angle;
    return planned;
  }

  // "head 0" above each column and "layer 0" beside each row; where they do not fit, their numbers, and the
  // word once for all.
  void add_names(FigureGrid& figure, double left, double top) const {
    const double middle = side_ / 2, pitch = side_ + gap_;
    const Index last_head = glance_.heads - 1, last_layer = glance_.layers - 1;
    const bool heads = width_of(head_name(last_head, options_.counting)) <= pitch;
    for (Index head = 0; head <= last_head; ++head)
      figure.texts.push_back(name(heads ? head_name(head, options_.counting) : options_.counting.number(head),
                                  left + middle + static_cast<double>(head) * pitch,
                                  top - line_ / 2 - gap_ / 2, 0));
    if (!heads)
      figure.texts.push_back(name("head", left + extent(glance_.heads) / 2, top - line_ * 1.5 - gap_ / 2, 0));
    const bool layers = width_of(layer_name(last_layer)) <= pitch;
    for (Index row = 0; row <= last_layer; ++row)
      figure.texts.push_back(
          name(layers ? layer_name(row) : options_.counting.number(glance_.place(row).layer),
               left - line_ / 2 - gap_, top + middle + static_cast<double>(row) * pitch, layers ? 90 : 0));
    if (!layers)
      figure.texts.push_back(name("layer", left - line_ * 1.5 - gap_, top + extent(glance_.layers) / 2, 90));
  }

  // As high as all pictures. Returns where it ends.
  double add_common_bar(FigureGrid& figure, double left, double top) const {
    const double height = std::max(extent(glance_.layers), std::ceil(3 * line_));
    HeatmapPlan beside;
    beside.cells.rect = {left, top, extent(glance_.heads), height};
    const StageColors colors = picture_colors(options_.colors, Stage::Weights, all_.range);
    add_bar(beside, range_, Colormap::of(colormap_of(colors, Stage::Weights), style_.neutral), height,
            {options_.percent, bar_title(glance_.of(0, 0).picture.request)}, style_, measure_);
    figure.plans.push_back({0, 0, std::move(beside)});
    return left + extent(glance_.heads) + bar_room();
  }

  // Gives the figure the size of the page, and centres it.
  FigureGrid on_page(FigureGrid figure) const {
    const double width = size_.width.value_or(figure.width), height = size_.height.value_or(figure.height);
    const double dx = std::floor(std::max(0.0, width - figure.width) / 2),
                 dy = std::floor(std::max(0.0, height - figure.height) / 2);
    shift(figure, dx, dy);
    figure.width = width;
    figure.height = height;
    return figure;
  }

  const HeadsOverview& glance_;
  const TokenLabels tokens_;
  const FigureOptions& options_;
  const FigureStyle& style_;
  const SheetSize& size_;
  const MeasureText& measure_;
  const double line_, gap_, padding_;
  ValueStatistics all_;
  ColorRange range_;
  double side_ = 0;
};

}  // namespace

FigureGrid model_map(const HeadsOverview& glance, const std::vector<std::string>& labels,
                     const std::string& title, const FigureOptions& options, FigureFormat format) {
  const FigureStyle style = figure_style(options);
  const SheetSize size = sheet_size(options, format);
  const std::string own = "Attention weights of all heads";
  const MeasureText measure = pango_measure(style.fonts);
  MapPlanner planner(glance, labels, options, style, size, measure);
  FigureGrid figure =
      planner.plan(options.title.value_or(own), options.subtitle.value_or(subtitle_of(title, options)));
  figure.title = options.title && options.title->empty() ? title : options.title.value_or(own);
  set_background(figure, options);
  return figure;
}

}  // namespace headlight
