#include "app/figure/plan/heatmap_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/axis_labels.h"
#include "app/figure/plan/cell_marks.h"
#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

Colormap map_of(const HeatmapFigure& figure, const FigureStyle& style) {
  const Colormap map = Colormap::of(figure.colormap, style.neutral);
  return figure.least_strongest ? map.turned_round() : map;
}

// The margins around the cells, in pixels, and the layouts of the labels.
struct Surroundings {
  double left = 0, top = 0, right = 0, bottom = 0;
  double beside_columns = 0;  // between the cells and the name of the column axis
  LabelLayout rows, columns;
};

struct CellExtent {
  double width = 0, height = 0;
};

// Lays one heatmap out. The margins and the cell size depend on each other, so both are refined in turn.
class Planner {
 public:
  Planner(const HeatmapFigure& figure, const FigureStyle& style, const PlanLimits& limits,
          const MeasureText& measure)
      : figure_(figure),
        style_(style),
        limits_(limits),
        measure_(measure),
        line_(line_height(style.label_size_px)),
        row_axis_{figure.row_labels, [this](Index i) { return first_row(*figure_.tile, i); },
                  figure.tile->values.rows(), figure.selected_row, figure.kept_rows},
        column_axis_{figure.column_labels, [this](Index i) { return first_column(*figure_.tile, i); },
                     figure.tile->values.cols(), figure.selected_column} {
    colorbar_ = figure.show_colorbar;
    detail_ = limits.detail.value_or(
        PlanDetail{limits.show_labels, limits.show_labels, scaled_px(style, limits.max_label_px)});
  }

  HeatmapPlan plan() {
    HeatmapPlan plan = placed();
    if (limits_.contents) paint_parts(plan);
    return plan;
  }

  // The plan with the sizes of picture and cells, without contents.
  HeatmapPlan placed() {
    const bool fixed_picture = limits_.cell_px <= 0;
    CellExtent cell = {limits_.cell_px,
                       limits_.cell_height_px > 0 ? limits_.cell_height_px : limits_.cell_px};
    if (fixed_picture) {
      cell = choose_detail();
    } else {
      around_ = surroundings(cell, bar_height(cell.height * row_count()));
    }
    HeatmapPlan plan;
    plan.background = style_.background;
    plan.detail = detail_;
    plan.cells.rows = figure_.tile->values.rows();
    plan.cells.columns = figure_.tile->values.cols();
    plan.cells.rect = {snapped(limits_.padding_px + around_.left), snapped(limits_.padding_px + around_.top),
                       cell.width * column_count(), cell.height * row_count()};
    set_size(plan, fixed_picture);
    return plan;
  }

 private:
  double row_count() const { return static_cast<double>(std::max<Index>(figure_.tile->values.rows(), 1)); }
  double column_count() const { return static_cast<double>(std::max<Index>(figure_.tile->values.cols(), 1)); }
  double snapped(double at) const { return std::ceil(at / limits_.pixel) * limits_.pixel; }
  double inner_width() const { return limits_.width - 2 * limits_.padding_px; }
  double inner_height() const { return limits_.height - 2 * limits_.padding_px; }

  double text_width(const std::string& text, double size_px) const {
    return measure_(capped(text, kMostMeasured), size_px, FontFace::Text).width;
  }

  // High enough for the labels of both ends, even beside one row of cells.
  double bar_height(double cells_height) const { return std::max(cells_height, std::ceil(3 * line_)); }

  double header_height() const {
    if (!limits_.show_title) return 0;
    double height = 0;
    if (!figure_.title.empty()) height += line_height(style_.title_size_px);
    if (!figure_.subtitle.empty()) height += line_ + scaled_px(style_, 4);
    return height > 0 ? height + scaled_px(style_, 12) : 0;
  }

  double row_axis_width() const {
    return detail_.axis_names && !figure_.row_axis.empty() ? line_ + scaled_px(style_, 6) : 0;
  }
  double column_axis_height() const {
    return detail_.axis_names && !figure_.column_axis.empty() ? line_ + scaled_px(style_, 4) : 0;
  }

  bool has_bar_title() const { return detail_.axis_names && !figure_.bar_title.empty(); }

  Surroundings surroundings(CellExtent cell, double height_of_bar) const {
    Surroundings around;
    if (detail_.labels) {
      around.rows = fit_row_labels(row_axis_, cell.height, detail_.max_label_px, style_, measure_);
      around.columns = fit_column_labels(column_axis_, cell.width, detail_.max_label_px, style_, measure_);
    }
    const double frame = whole_px(style_, 1);
    // The labels of the first and the last row extend beyond rows lower than a line.
    const double beyond = around.rows.extent_px > 0 ? std::max(0.0, (line_ - cell.height) / 2) : 0;
    around.left = std::max(frame, row_axis_width() + extent(around.rows, kRowLabelGap));
    around.beside_columns = std::max({frame, beyond, extent(around.columns, kColumnLabelGap)});
    const double bare = std::max(frame, beyond);
    const double with_columns = column_axis_height() + around.beside_columns;
    const bool below = figure_.columns_below;
    around.top =
        std::max(header_height() + (below ? bare : with_columns), limits_.min_cells_top - limits_.padding_px);
    around.bottom = below ? with_columns : bare;
    // Cells of a given size leave room for a name that is longer than they are high.
    if (limits_.cell_px > 0 && row_axis_width() > 0)
      around.bottom = std::max(
          around.bottom, text_width(figure_.row_axis, style_.label_size_px) - cell.height * row_count());
    // A name that is wider than its columns begins above them, and must not reach the next heatmap.
    const double name = column_axis_height() > 0 ? text_width(figure_.column_axis, style_.label_size_px) : 0;
    const double name_beyond = name - cell.width * column_count();
    const double overhang = std::max(around.columns.overhang_px - cell.width / 2, name_beyond);
    const bool leftwards = below && around.columns.angle_deg == 45;
    around.right = std::max(frame, leftwards ? 0 : overhang);
    if (leftwards) around.left = std::max(around.left, overhang);
    if (colorbar_) {
      // The final bar is as high as the cells: a shorter one may have other ticks, with longer labels.
      for (const double height : {height_of_bar, bar_height(cell.height * row_count())})
        around.right =
            std::max(around.right, bar_width(bar_ticks(figure_.range, height, line_, figure_.percent),
                                             has_bar_title(), style_, measure_));
      // The labels at the two ends extend half a line beyond the bar.
      around.top = std::max(around.top, header_height() + line_ / 2);
      around.bottom = std::max(around.bottom, line_ / 2);
    }
    return around;
  }

  double extent(const LabelLayout& layout, double gap) const {
    return layout.extent_px > 0 ? layout.extent_px + scaled_px(style_, gap) : 0;
  }

  double rounded(double size) const {
    return size >= limits_.pixel ? std::floor(size / limits_.pixel) * limits_.pixel : size;
  }

  // Positive even without room, because positions are computed from shares of the cells.
  double cell_side(double room) const { return std::max(1e-3, std::min(room, limits_.max_cell_px)); }

  // The largest cells that fit. Those of a token by token stage are square, or wide enough for their number;
  // others may be longer, so that a few tokens of many dimensions do not become a thin strip.
  CellExtent largest_cell(double width, double height) const {
    const double across = cell_side(width / column_count()), down = cell_side(height / row_count());
    const double smaller = std::min(across, down);
    const bool room_for_numbers = smaller >= 1.5 * style_.number_size_px;
    const double wide = room_for_numbers ? std::max(smaller, limits_.wide_cell_px) : smaller;
    const bool words = !figure_.cell_texts.empty();
    const double higher = std::max(words ? limits_.tall_cell_px : 0, limits_.named_row_px);
    const double tall = std::max(smaller, std::min(height / row_count(), higher));
    if (is_pair(figure_.tile->request.stage)) return {rounded(std::min(across, wide)), rounded(tall)};
    const double larger = std::max({rounded(smaller) * 1.5, scaled_px(style_, 24), wide});
    return {rounded(std::min(across, larger)), rounded(std::min(down, larger))};
  }

  // Refines `around_` and the size of the cells for the detail chosen: smaller cells may rotate the labels,
  // which takes more room, which makes the cells smaller. From the third round on the margins only grow, so
  // that the two converge.
  CellExtent refine() {
    around_ = surroundings(largest_cell(inner_width(), inner_height()), inner_height());
    for (int round = 0; round < 10; ++round) {
      const CellExtent cell = largest_cell(inner_width() - around_.left - around_.right - limits_.pixel,
                                           inner_height() - around_.top - around_.bottom - limits_.pixel);
      const Surroundings needed = surroundings(cell, inner_height());
      const bool enough = needed.left <= around_.left && needed.top <= around_.top &&
                          needed.right <= around_.right && needed.bottom <= around_.bottom;
      const Surroundings before = std::exchange(around_, needed);
      if (enough) return cell;
      if (round < 2) continue;
      around_.left = std::max(before.left, needed.left);
      around_.top = std::max(before.top, needed.top);
      around_.right = std::max(before.right, needed.right);
      around_.bottom = std::max(before.bottom, needed.bottom);
    }
    detail_.labels = false;
    return refine();
  }

  // Reduces, in turn, the names of the axes, the length of the labels, the labels and the colour bar, until
  // the cells have a good part of the picture, the width of the bar not counted.
  CellExtent choose_detail() {
    const PlanDetail full = detail_;
    const bool with_colorbar = colorbar_;
    const double side = std::min(inner_width(), inner_height());
    const CellExtent bare = largest_cell(inner_width(), inner_height());
    for (int step = 0; step < 5; ++step) {
      detail_ = full;
      detail_.axis_names = full.axis_names && step < 1;
      detail_.max_label_px =
          std::min(full.max_label_px, std::max(scaled_px(style_, 48), side * (step < 2 ? 0.3 : 0.2)));
      detail_.labels = full.labels && step < 3;
      colorbar_ = with_colorbar && step < 4;
      const CellExtent cell = refine();
      const double beside_bar = inner_width() - (colorbar_ ? around_.right : 0);
      const bool roomy = inner_width() - around_.left - around_.right >= 0.4 * beside_bar &&
                         inner_height() - around_.top - around_.bottom >= 0.4 * inner_height();
      // `roomy` does not suffice: after refine() has dropped the labels, small cells may be left in a void.
      const bool taken = cell.width >= 0.3 * bare.width && cell.height >= 0.3 * bare.height;
      if ((roomy && taken) || step == 4) return cell;
    }
    return {};
  }

  void set_size(HeatmapPlan& plan, bool fixed_picture) const {
    if (fixed_picture) {
      plan.width = limits_.width;
      plan.height = limits_.height;
      return;
    }
    const Rect& cells = plan.cells.rect;
    const double bar_bottom = colorbar_ ? cells.y + bar_height(cells.height) : 0;
    plan.width = std::ceil(std::max(cells.right() + around_.right, header_right()) + limits_.padding_px);
    plan.height = std::ceil(std::max(cells.bottom(), bar_bottom) + around_.bottom + limits_.padding_px);
  }

  // A picture is at least as wide as its title, up to max_header_px.
  double header_right() const {
    if (!limits_.show_title) return 0;
    const double needed = std::max(text_width(figure_.title, style_.title_size_px),
                                   text_width(figure_.subtitle, style_.label_size_px));
    return limits_.padding_px + std::min(needed, scaled_px(style_, limits_.max_header_px));
  }

  void paint_parts(HeatmapPlan& plan) const {
    if (plan.cells.rows > 0 && plan.cells.columns > 0) {
      const Colormap colored = map_of(figure_, style_);
      const Colormap map = figure_.without_color ? colored.without_color() : colored;
      const double cell_width = plan.cells.rect.width / column_count();
      const double cell_height = plan.cells.rect.height / row_count();
      plan.cells.colors = cell_colors(figure_, map, style_, cell_width, cell_height, measure_);
      add_cell_marks(plan, figure_, style_, measure_);
      plan.numbers = std::any_of(plan.texts.begin(), plan.texts.end(),
                                 [](const PlannedText& text) { return text.face == FontFace::Number; });
      if (colorbar_) add_fitting_bar(plan, figure_.bar_without_color ? map : colored);
      if (detail_.labels) {
        plan.row_labels =
            append(plan.texts, place_row_labels(row_axis_, around_.rows, plan.cells, style_, measure_));
        plan.column_labels = append(plan.texts, place_column_labels(column_axis_, around_.columns, plan.cells,
                                                                    style_, measure_, figure_.columns_below));
      }
      plan.labels_x = row_axis_width() > 0 ? limits_.padding_px + row_axis_width() : 0;
      plan.labels_y = column_axis_height() > 0
                          ? plan.cells.rect.y - around_.beside_columns + style_.label_size_px / 6
                          : 0;
      add_axis_names(plan);
    }
    add_header(plan);
  }

  void add_fitting_bar(HeatmapPlan& plan, const Colormap& map) const {
    const double room = plan.height - limits_.padding_px - line_ / 2 - plan.cells.rect.y;
    const double height = std::min(bar_height(plan.cells.rect.height), std::floor(room));
    const BarWords words = {figure_.percent, has_bar_title() ? figure_.bar_title : ""};
    if (height >= line_) add_bar(plan, figure_.range, map, height, words, style_, measure_);
  }

  // Returns the number of texts appended.
  static Index append(std::vector<PlannedText>& texts, std::vector<PlannedText> more) {
    texts.insert(texts.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return static_cast<Index>(more.size());
  }

  PlannedText quiet_text(const std::string& text) const {
    PlannedText planned;
    planned.text = text;
    planned.size_px = style_.label_size_px;
    planned.color = style_.quiet_text;
    return planned;
  }

  // Beyond the column labels and to the left of the row labels, centred on the cells if the whole name fits.
  void add_axis_names(HeatmapPlan& plan) const {
    const Rect& cells = plan.cells.rect;
    if (column_axis_height() > 0) {
      PlannedText name = quiet_text(figure_.column_axis);
      const double width = text_width(name.text, name.size_px);
      const bool centred = width <= cells.width;
      name.anchor = centred ? Anchor::Middle : Anchor::Start;
      name.x = centred ? cells.x + cells.width / 2 : cells.x;
      name.y = figure_.columns_below
                   ? cells.bottom() + around_.beside_columns + column_axis_height() - line_ / 2
                   : cells.y - around_.beside_columns - column_axis_height() + line_ / 2;
      plan.texts.push_back(name);
    }
    if (row_axis_width() > 0) {
      const double room = plan.height - limits_.padding_px - cells.y;
      PlannedText name = quiet_text(shortened(figure_.row_axis, room, style_.label_size_px, measure_));
      const double width = text_width(name.text, name.size_px);
      const bool centred = width <= cells.height;
      name.angle_deg = 90;
      name.anchor = centred ? Anchor::Middle : Anchor::End;
      name.x = limits_.padding_px + line_ / 2;
      name.y = centred ? cells.y + cells.height / 2 : cells.y;
      if (!name.text.empty()) plan.texts.push_back(name);
    }
  }

  // A heatmap without a title is one of several: its caption begins above its cells, or farther left if long.
  double header_x(const HeatmapPlan& plan, const std::string& text, double size_px) const {
    if (!figure_.title.empty()) return limits_.padding_px;
    const double room = plan.width - limits_.padding_px - text_width(text, size_px);
    return std::max(limits_.padding_px, std::min(plan.cells.rect.x, room));
  }

  void add_header(HeatmapPlan& plan) const {
    if (!limits_.show_title) return;
    const double room = plan.width - 2 * limits_.padding_px;
    double y = limits_.padding_px;
    auto add = [&](const std::string& text, double size_px, Color color) {
      if (text.empty()) return;
      PlannedText line = quiet_text(shortened(text, room, size_px, measure_));
      line.size_px = size_px;
      line.color = color;
      line.x = header_x(plan, text, size_px);
      line.y = y + line_height(size_px) / 2;
      y += line_height(size_px);
      if (!line.text.empty()) plan.texts.push_back(line);
    };
    add(figure_.title, style_.title_size_px, style_.text);
    y += scaled_px(style_, 4);
    add(figure_.subtitle, style_.label_size_px, style_.quiet_text);
  }

  const HeatmapFigure& figure_;
  const FigureStyle& style_;
  const PlanLimits& limits_;
  const MeasureText& measure_;
  const double line_;
  const LabelAxis row_axis_, column_axis_;
  PlanDetail detail_;
  bool colorbar_ = true;
  Surroundings around_;
};

}  // namespace

// The base is one pixel outside the bar, which the frame covers.
std::array<Point, 3> PlannedBar::top_tip() const {
  const double base = rect.y - 1;
  return {{{rect.x, base}, {rect.right(), base}, {rect.x + rect.width / 2, base - top_tip_px}}};
}

std::array<Point, 3> PlannedBar::bottom_tip() const {
  const double base = rect.bottom() + 1;
  return {{{rect.x, base}, {rect.right(), base}, {rect.x + rect.width / 2, base + bottom_tip_px}}};
}

HeatmapPlan::Cell HeatmapPlan::cell_at(double x, double y) const {
  const Rect& r = cells.rect;
  if (x < r.x || y < r.y || x >= r.right() || y >= r.bottom()) return {};
  const auto index = [](double share, Index count) {
    return std::min(static_cast<Index>(share * static_cast<double>(count)), count - 1);
  };
  return {index((y - r.y) / r.height, cells.rows), index((x - r.x) / r.width, cells.columns)};
}

Rect HeatmapPlan::cell_rect(Index row, Index column) const {
  const double width = cells.rect.width / static_cast<double>(cells.columns);
  const double height = cells.rect.height / static_cast<double>(cells.rows);
  return {cells.rect.x + width * static_cast<double>(column),
          cells.rect.y + height * static_cast<double>(row), width, height};
}

namespace {

// The sink's column: its distance from the cells and its width.
constexpr double kSinkGap = 6, kSinkWidth = 20;

double sink_room(const HeatmapFigure& figure, const FigureStyle& style) {
  return figure.tile->sink_weights.empty() ? 0 : scaled_px(style, kSinkGap + kSinkWidth);
}

PlanLimits without_sink(const HeatmapFigure& figure, const FigureStyle& style, PlanLimits limits) {
  if (limits.width > 0) limits.width = std::max(1.0, limits.width - sink_room(figure, style));
  return limits;
}

// Makes room behind the cells: moves the bar, with its frame, ticks and numbers.
void move_bar(HeatmapPlan& plan, double by) {
  const double right = plan.cells.rect.right() + 1;  // the frame of the cells ends there
  for (PlannedBar& bar : plan.bars)
    bar.rect.x += by;
  for (PlannedBox& box : plan.boxes)
    if (box.rect.x > right) box.rect.x += by;
  for (PlannedLine& line : plan.lines)
    if (std::min(line.x1, line.x2) > right) {
      line.x1 += by;
      line.x2 += by;
    }
  for (PlannedText& text : plan.texts)
    if (text.x > right && text.y >= plan.cells.rect.y - text.size_px) text.x += by;
}

void add_sink(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style) {
  const Rect& cells = plan.cells.rect;
  const double room = sink_room(figure, style);
  move_bar(plan, room);
  plan.width += room;
  const Colormap colored = map_of(figure, style);
  const Colormap map = figure.without_color ? colored.without_color() : colored;
  PlannedBar strip;
  strip.rect = {cells.right() + scaled_px(style, kSinkGap), cells.y, scaled_px(style, kSinkWidth),
                cells.height};
  for (const float weight : figure.tile->sink_weights)
    strip.colors.push_back(map.at(figure.range.share(static_cast<double>(weight))));
  const double line = whole_px(style, 1);
  plan.boxes.push_back({outset(strip.rect, line), line, style.line});
  if (plan.detail.labels) {
    PlannedText name;
    name.text = "sink";
    name.size_px = style.label_size_px;
    name.color = style.quiet_text;
    name.angle_deg = 90;
    name.x = strip.rect.x + strip.rect.width / 2;
    name.anchor = figure.columns_below ? Anchor::End : Anchor::Start;
    name.y = figure.columns_below ? cells.bottom() + scaled_px(style, kColumnLabelGap)
                                  : cells.y - scaled_px(style, kColumnLabelGap);
    plan.texts.push_back(std::move(name));
  }
  plan.strips.push_back(std::move(strip));
}

}  // namespace

PlanSize heatmap_size(const HeatmapFigure& figure, const FigureStyle& style, const PlanLimits& limits,
                      const MeasureText& measure) {
  const PlanLimits own = without_sink(figure, style, limits);
  const HeatmapPlan placed = Planner(figure, style, own, measure).placed();
  return {placed.width + sink_room(figure, style), placed.height, placed.cells.rect.x, placed.cells.rect.y};
}

HeatmapPlan plan_heatmap(const HeatmapFigure& figure, const FigureStyle& style, const PlanLimits& limits,
                         const MeasureText& measure) {
  const PlanLimits own = without_sink(figure, style, limits);
  HeatmapPlan plan = Planner(figure, style, own, measure).plan();
  if (sink_room(figure, style) > 0 && plan.cells.rows > 0) add_sink(plan, figure, style);
  return plan;
}

}  // namespace headlight
