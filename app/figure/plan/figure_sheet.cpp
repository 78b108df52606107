#include "app/figure/plan/figure_sheet.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/figure/plan/label_text.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kNumberSide = 62;  // side of a cell that is large enough for "−0.1234"
// Of cells with words: wide enough for most tokens.
constexpr double kTextCellWidth = 62, kTextCellHeight = 24;
constexpr double kWidestSheet = 1200;  // 2,400 pixels of a PNG of 192 dpi
constexpr double kTallest = 2;         // of heatmaps that share their columns: higher by width at the most
constexpr double kLeastCell = 0.1;  // of a vector file, whose cells of one size may be smaller than a pixel
// The least length of the longer side of a heatmap on a page of a given size.
constexpr double kLeastHeatmap = 12;
// Of a sheet that wraps: the most rows that are as high as their names, and the room for words that read
// upwards.
constexpr Index kMostHighRows = 48;
constexpr double kWordRoom = 40, kUprightWord = 62;

// The default side of a cell if there are `count` along one direction.
double side_px(Index count, double pixel) {
  constexpr Index kWithNumbers = kMostNumbered;
  if (count <= kWithNumbers) return kNumberSide;
  return std::max(pixel, std::clamp(std::floor(1000.0 / static_cast<double>(count)), 1.0, 40.0));
}

// Figure `i` of the sheet in a grid of `columns` columns, without the labels and bars that its neighbours
// have. A shared bar is beside the last heatmap of the first line.
HeatmapFigure panel(const FigureSheet& sheet, std::size_t i, std::size_t columns) {
  HeatmapFigure figure = sheet.figures[i];
  const std::size_t count = sheet.figures.size();
  const bool outermost = figure.columns_below ? i + columns >= count : i < columns;
  if (sheet.same_rows && i % columns > 0) {
    figure.row_labels.clear();
    figure.row_axis.clear();
  }
  if (sheet.same_columns && !outermost) {
    figure.column_labels.clear();
    figure.column_axis.clear();
  }
  if (sheet.same_range && i + 1 != std::min(columns, count)) figure.show_colorbar = false;
  return figure;
}

struct PanelRequest {
  HeatmapFigure figure;
  PlanLimits limits;
};

std::vector<HeatmapPlan> plans_of(const std::vector<PanelRequest>& panels, const FigureStyle& style,
                                  const MeasureText& measure) {
  std::vector<HeatmapPlan> plans;
  plans.reserve(panels.size());
  for (const PanelRequest& panel : panels)
    plans.push_back(plan_heatmap(panel.figure, style, panel.limits, measure));
  return plans;
}

// The plans of a grid, in each line aligned at their titles and at the tops of their cells.
std::vector<HeatmapPlan> plans_in_lines(std::vector<PanelRequest> panels, const GridLimits& grid,
                                        const FigureStyle& style, const MeasureText& measure) {
  std::vector<PanelRequest> places = panels;
  for (PanelRequest& panel : places)
    panel.limits.contents = false;
  const std::vector<HeatmapPlan> tried = plans_of(places, style, measure);
  for (std::size_t first = 0; first < panels.size();) {
    const std::size_t end = first + row_length(tried, first, grid);
    double top = 0;
    for (std::size_t i = first; i < end; ++i)
      top = std::max(top, tried[i].cells.rect.y);
    for (; first < end; ++first)
      panels[first].limits.min_cells_top = top;
  }
  return plans_of(panels, style, measure);
}

bool has_masked(const FigureSheet& sheet) {
  return std::any_of(sheet.figures.begin(), sheet.figures.end(), [](const HeatmapFigure& figure) {
    const std::vector<CellMark>& marks = figure.tile->marks;
    return std::find(marks.begin(), marks.end(), CellMark::Masked) != marks.end();
  });
}

double legend_height(const FigureSheet& sheet, const FigureStyle& style) {
  return sheet.legend && has_masked(sheet) ? hatching_legend_height(style) : 0;
}

// Rounded down to whole pixels of the file, if it has any and the cell is not smaller than one.
double in_pixels(double cell, double pixel) {
  return pixel > 0 && cell >= pixel ? std::floor(cell / pixel + 1e-6) * pixel : cell;
}

// "6 mm", of planned pixels.
std::string in_millimetres(double px, bool up) {
  const double hundredths = px / 96 * 25.4 * 100;
  const double rounded = (up ? std::ceil(hundredths) : std::floor(hundredths)) / 100;
  return number_text(rounded, rounded < 10 ? 2 : 0) + " mm";
}

// A layout is found by trying: only the one that is kept has colours, numbers and labels.
enum class Layout { Tried, Kept };

// Lays the sheet out on a page of a given size: the default cell sizes times the largest factor that fits.
class PagePlanner {
 public:
  PagePlanner(const FigureSheet& sheet, const SheetSize& size, const FigureStyle& style,
              const MeasureText& measure)
      : sheet_(sheet),
        size_(size),
        style_(style),
        measure_(measure),
        legend_height_(legend_height(sheet, style)) {
    grid_.padding_px = scaled_px(style, 8);
    grid_.gap_px = scaled_px(style, 16);
    grid_.align_columns = sheet.same_columns;
    grid_.legend = sheet.legend;
    grid_.hidden_words = sheet.hidden_words;
    if (size.width) grid_.max_width = *size.width;
  }

  FigureGrid plan(Layout layout) {
    double best = 0;
    std::size_t best_columns = 0;
    for (const std::size_t columns : columns_to_try()) {
      grid_.columns = columns;
      const double factor = largest_factor();
      if (factor <= best) continue;
      best = factor;
      best_columns = columns;
      if (wraps() && is_readable(factor)) break;
    }
    if (best <= 0) throw no_room();
    grid_.columns = best_columns;
    std::vector<PanelRequest> planned;
    for (std::size_t i = 0; i < sheet_.figures.size(); ++i) {
      planned.push_back({panel(sheet_, i, best_columns), limits(i, best)});
      planned.back().limits.contents = layout == Layout::Kept;
    }
    std::vector<HeatmapPlan> plans = plans_in_lines(std::move(planned), grid_, style_, measure_);
    FigureGrid figure = arrange(std::move(plans), sheet_.title, sheet_.subtitle, style_, grid_, measure_);
    centre(figure);
    return figure;
  }

 private:
  bool has_room() {
    const std::vector<std::size_t> all = columns_to_try();
    return std::any_of(all.begin(), all.end(), [&](std::size_t columns) {
      grid_.columns = columns;
      return largest_factor() > 0;
    });
  }

  // With the least width that has room, where the height is open.
  Error no_room() const {
    const std::string hint =
        "choose a larger size or a smaller font, or leave out labels, colour bar or title";
    if (!size_.width || size_.height)
      return {"the page has no room for the heatmaps", size_.width ? "width" : "height", hint};
    double low = *size_.width, high = kLongestSide;
    for (int step = 0; step < 14; ++step) {
      SheetSize other = size_;
      other.width = (low + high) / 2;
      (PagePlanner(sheet_, other, style_, measure_).has_room() ? high : low) = *other.width;
    }
    return {"the page has no room for the heatmaps: they need a width of " + in_millimetres(high, true),
            "width", hint};
  }

  // Whether the sheet may be in fewer columns, as the page is as high as they need.
  bool wraps() const { return sheet_.wraps && sheet_.columns == 0 && size_.width && !size_.height; }

  // Whether columns are wide enough for names, or words, that read upwards.
  bool is_readable(double factor) const {
    const double least =
        line_height(std::max(style_.label_size_px, style_.number_size_px)) + scaled_px(style_, 2);
    for (std::size_t i = 0; i < sheet_.figures.size(); ++i)
      if (sheet_.figures[i].tile->values.cols() > 1 && limits(i, factor).cell_px < least) return false;
    return true;
  }

  // Without both a width and a height the shape of the page is open, and the grid is about square.
  std::vector<std::size_t> columns_to_try() const {
    const std::size_t count = sheet_.figures.size();
    if (sheet_.columns > 0) return {std::min(sheet_.columns, count)};
    const std::size_t square =
        count <= 3 ? count : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    std::vector<std::size_t> all;
    if (wraps()) {
      for (std::size_t columns = square; columns > 0; --columns)
        all.push_back(columns);
      return all;
    }
    if (!size_.width || !size_.height) return {square};
    for (std::size_t columns = 1; columns <= count; ++columns)
      all.push_back(columns);
    return all;
  }

  PlanLimits limits(std::size_t i, double factor) const {
    PlanLimits limits = picture_limits(sheet_.figures[i], size_.pixel);
    limits.cell_px = in_pixels(limits.cell_px * factor, size_.pixel);
    limits.cell_height_px = in_pixels(limits.cell_height_px * factor, size_.pixel);
    const double side = std::min(size_.width.value_or(1e9) / static_cast<double>(grid_.columns),
                                 size_.height.value_or(1e9) / static_cast<double>(line_count()));
    const double look = 12 / style_.label_size_px;
    limits.max_label_px = std::clamp(side * (wraps() ? 0.4 : 0.25) * look, 20.0, 140.0);
    limits.max_header_px = std::clamp((side - 2 * grid_.padding_px) * look, 0.0, 480.0);
    if (wraps()) raise_rows(sheet_.figures[i], limits);
    return limits;
  }

  // Rows as high as their names, or as words that read upwards in columns too narrow for them.
  void raise_rows(const HeatmapFigure& figure, PlanLimits& limits) const {
    if (figure.tile->values.rows() > kMostHighRows) return;
    const bool words = !figure.cell_texts.empty() || figure.beside_words;
    const bool upright = words && limits.cell_px < scaled_px(style_, kWordRoom);
    const double least = upright ? scaled_px(style_, kUprightWord)
                                 : line_height(style_.label_size_px) + std::max(1.0, size_.pixel);
    limits.cell_height_px = std::max(limits.cell_height_px, in_pixels(least, size_.pixel));
  }
  std::size_t line_count() const { return (sheet_.figures.size() + grid_.columns - 1) / grid_.columns; }

  bool fits(double factor) const {
    std::vector<double> lefts(grid_.columns, 0), rights(grid_.columns, 0);
    double width = 0, height = 0;
    for (std::size_t first = 0; first < sheet_.figures.size(); first += grid_.columns) {
      double line_width = 0, above = 0, below = 0;
      for (std::size_t i = first; i < std::min(first + grid_.columns, sheet_.figures.size()); ++i) {
        const PlanSize size = heatmap_size(figures_[i], style_, limits(i, factor), measure_);
        line_width += size.width + (i > first ? grid_.gap_px : 0);
        above = std::max(above, size.cells_y);
        below = std::max(below, size.height - size.cells_y);
        lefts[i - first] = std::max(lefts[i - first], size.cells_x);
        rights[i - first] = std::max(rights[i - first], size.width - size.cells_x);
      }
      height += above + below + (first > 0 ? grid_.gap_px : 0);
      width = std::max(width, line_width);
    }
    if (grid_.align_columns)
      width = std::accumulate(lefts.begin(), lefts.end(), 0.0) +
              std::accumulate(rights.begin(), rights.end(), 0.0) +
              grid_.gap_px * static_cast<double>(grid_.columns - 1);
    // Rounding up to whole planned pixels adds up to one for each line.
    return std::ceil(width) + 2 * grid_.padding_px <= size_.width.value_or(1e9) &&
           height + header_height() + legend_height_ + 2 * grid_.padding_px +
                   static_cast<double>(line_count()) <=
               size_.height.value_or(1e9);
  }

  double header_height() const {
    const FigureGrid header = arrange({}, sheet_.title, sheet_.subtitle, style_, grid_, measure_);
    return header.texts.empty() ? 0 : header.height - 2 * grid_.padding_px;
  }

  double least_factor() const {
    double least = 0;
    for (std::size_t i = 0; i < sheet_.figures.size(); ++i) {
      const HeatmapFigure& figure = sheet_.figures[i];
      const PlanLimits natural = picture_limits(figure, size_.pixel);
      const double longest =
          std::max(natural.cell_px * static_cast<double>(figure.tile->values.cols()),
                   natural.cell_height_px * static_cast<double>(figure.tile->values.rows()));
      if (longest > 0) least = std::max(least, kLeastHeatmap / longest);
    }
    return least > 0 ? least : 1;
  }

  // Found by bisection; 0 if even the smallest cells do not fit.
  double largest_factor() {
    figures_.clear();
    for (std::size_t i = 0; i < sheet_.figures.size(); ++i)
      figures_.push_back(panel(sheet_, i, grid_.columns));
    double low = least_factor();
    if (!fits(low)) return 0;
    double high = 2 * low;
    while (high < 1e6 * low && fits(high))
      low = std::exchange(high, 2 * high);
    for (int step = 0; step < 14; ++step) {
      const double middle = (low + high) / 2;
      (fits(middle) ? low : high) = middle;
    }
    return low;
  }

  // Gives the figure exactly the size of the page.
  void centre(FigureGrid& figure) const {
    const double width = size_.width.value_or(figure.width), height = size_.height.value_or(figure.height);
    const double step = size_.pixel > 0 ? size_.pixel : 0.25;
    const auto half = [step](double room) { return std::floor(std::max(0.0, room) / 2 / step) * step; };
    const double dx = half(width - figure.width), dy = half(height - figure.height);
    shift(figure, dx, dy);
    figure.width = width;
    figure.height = height;
  }

  const FigureSheet& sheet_;
  const SheetSize& size_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  const double legend_height_;
  GridLimits grid_;
  std::vector<HeatmapFigure> figures_;  // panel() of each, for the current number of columns
};

// The sheet with default cell sizes in `columns` columns; 0: wrapped at kWidestSheet, with all labels.
FigureGrid lay_out_comfortably(const FigureSheet& sheet, std::size_t columns, const SheetSize& size,
                               Layout layout, const FigureStyle& style, const MeasureText& measure) {
  GridLimits limits;
  limits.padding_px = scaled_px(style, 24);
  limits.gap_px = scaled_px(style, 32);
  limits.max_width = kWidestSheet;
  limits.columns = columns;
  limits.legend = sheet.legend;
  limits.hidden_words = sheet.hidden_words;
  limits.align_columns = columns > 0 && sheet.same_columns;
  std::vector<PanelRequest> panels;
  for (std::size_t i = 0; i < sheet.figures.size(); ++i) {
    HeatmapFigure figure = columns > 0 ? panel(sheet, i, columns) : sheet.figures[i];
    PlanLimits cells = picture_limits(figure, size.pixel > 0 ? size.pixel : 1);
    if (cells.cell_px >= kNumberSide) cells.cell_px = scaled_px(style, cells.cell_px);
    if (cells.cell_height_px >= kNumberSide) cells.cell_height_px = scaled_px(style, cells.cell_height_px);
    if (size.cell) cells.cell_px = cells.cell_height_px = in_pixels(*size.cell, size.pixel);
    cells.contents = layout == Layout::Kept;
    panels.push_back({std::move(figure), cells});
  }
  std::vector<HeatmapPlan> plans = plans_in_lines(std::move(panels), limits, style, measure);
  return arrange(std::move(plans), sheet.title, sheet.subtitle, style, limits, measure);
}

// In as many columns as fit kWidestSheet if the heatmaps share their column labels.
FigureGrid lay_out_comfortably(const FigureSheet& sheet, const SheetSize& size, Layout layout,
                               const FigureStyle& style, const MeasureText& measure) {
  const std::size_t count = sheet.figures.size();
  if (sheet.columns > 0 || !sheet.same_columns || count == 0)
    return lay_out_comfortably(sheet, std::min(sheet.columns, count), size, layout, style, measure);
  const FigureGrid line = lay_out_comfortably(sheet, count, size, Layout::Tried, style, measure);
  if (line.width <= kWidestSheet) return lay_out_comfortably(sheet, count, size, layout, style, measure);
  // All have one size, except the first of a line, which has the labels, and the last, which has the bar.
  const double labels = line.plans.front().plan.width, bar = line.plans.back().plan.width;
  const double gap = scaled_px(style, 32), each = std::max(1.0, line.plans[count / 2].plan.width + gap);
  const double room = kWidestSheet - 2 * scaled_px(style, 24) - labels - bar - gap;
  const std::size_t columns = room > 0 ? 2 + static_cast<std::size_t>(room / each) : 1;
  return lay_out_comfortably(sheet, std::min(columns, count), size, layout, style, measure);
}

void require_cells(const FigureSheet& sheet, const SheetSize& size) {
  const double least = size.pixel > 0 ? size.pixel : kLeastCell;
  if (!(*size.cell >= least))
    throw Error("a cell has a side of at least " + in_millimetres(least, true) +
                    (size.pixel > 0 ? ", a pixel of the file" : ""),
                "cell", "choose larger cells, or more dpi");
  for (const HeatmapFigure& figure : sheet.figures)
    if (figure.tile->pooled)
      throw Error("the matrix has more than " + std::to_string(kMaxPictureCells) +
                      " rows or columns, of which several share a cell",
                  "cell", "choose a part with --rows and --columns, or give the figure's width");
}

FigureGrid lay_out_cells(const FigureSheet& sheet, const SheetSize& size, const FigureStyle& style,
                         const MeasureText& measure) {
  require_cells(sheet, size);
  const auto of_cell = [&](double cell, Layout layout) {
    SheetSize other = size;
    other.cell = cell;
    return lay_out_comfortably(sheet, other, layout, style, measure);
  };
  // Cairo's pictures have at most 32767 pixels along a side.
  const double longest = size.pixel > 0 ? std::min(kLongestSide, 32767 * size.pixel) : kLongestSide;
  const double legend = legend_height(sheet, style);
  const auto fits = [&](const FigureGrid& tried) {
    return tried.width <= longest && tried.height + legend <= longest;
  };
  const FigureGrid figure = of_cell(*size.cell, Layout::Tried);
  if (fits(figure)) return of_cell(*size.cell, Layout::Kept);
  double low = 0, high = *size.cell;
  for (int step = 0; step < 12; ++step) {
    const double middle = (low + high) / 2;
    (fits(of_cell(middle, Layout::Tried)) ? low : high) = middle;
  }
  throw Error(
      "the figure would be " + in_millimetres(std::max(figure.width, figure.height), true) +
          " long, and it is at most " + in_millimetres(longest, false),
      "cell",
      "cells of at most " + in_millimetres(low, false) + " fit; or choose fewer heads, rows or columns");
}

// Whether smaller cells are better than this figure: it is too wide, or a tower of heatmaps.
bool is_unhandy(const FigureSheet& sheet, const FigureGrid& figure) {
  const bool tower = sheet.same_columns && sheet.columns == 0 && sheet.figures.size() > 1 &&
                     figure.height > kTallest * figure.width;
  return tower || figure.width > kWidestSheet;
}

// The number of cells along a side at which each cell of the densest heatmap has a pixel; 0 if all have one.
Index cells_with_pixels(const FigureGrid& figure, double pixel) {
  double least = 1;
  Index most = 0;
  for (const PlacedPlan& placed : figure.plans) {
    const PlannedCells& cells = placed.plan.cells;
    if (cells.rows == 0 || cells.columns == 0 || pixel <= 0) continue;
    const double across = cells.rect.width / static_cast<double>(cells.columns) / pixel;
    const double down = cells.rect.height / static_cast<double>(cells.rows) / pixel;
    const Index longest = std::max(cells.rows, cells.columns);
    if (std::min(across, down) >= least - 1e-6) continue;
    least = std::min(across, down);
    most = std::max<Index>(1, static_cast<Index>(least * static_cast<double>(longest)));
  }
  return most;
}

}  // namespace

PlanLimits picture_limits(const HeatmapFigure& figure, double pixel) {
  PlanLimits limits;
  limits.cell_px = side_px(figure.tile->values.cols(), pixel);
  limits.cell_height_px = side_px(figure.tile->values.rows(), pixel);
  const double smaller = std::min(limits.cell_px, limits.cell_height_px);
  // Square in token by token stages; elsewhere not too long.
  const double longest = is_pair(figure.tile->request.stage) ? smaller : std::max(2 * smaller, 24.0);
  limits.cell_px = std::min(limits.cell_px, longest);
  limits.cell_height_px = std::min(limits.cell_height_px, longest);
  // Wider for more than four decimals, if there are numbers at all.
  if (smaller >= kNumberSide && figure.decimals > 4) limits.cell_px += 8.0 * (figure.decimals - 4);
  if (!figure.cell_texts.empty() || figure.beside_words) {
    limits.cell_px = kTextCellWidth;
    limits.cell_height_px = kTextCellHeight;
  }
  return limits;
}

FigureGrid lay_out(const MakeSheet& make, const SheetSize& size, const FigureStyle& style,
                   const MeasureText& measure) {
  FigureSheet sheet = make(kMaxPictureCells);
  SheetSize page = size;
  const auto laid_out = [&](Layout layout) {
    if (page.cell) return lay_out_cells(sheet, page, style, measure);
    return page.width || page.height ? PagePlanner(sheet, page, style, measure).plan(layout)
                                     : lay_out_comfortably(sheet, page, layout, style, measure);
  };
  const bool comfortable = !size.width && !size.height && !size.cell;
  if (comfortable && is_unhandy(sheet, laid_out(Layout::Tried))) page.width = kWidestSheet;
  const bool of_page = page.width || page.height;
  const Index pooled = of_page ? cells_with_pixels(laid_out(Layout::Tried), size.pixel) : 0;
  if (pooled > 0) sheet = make(pooled);
  FigureGrid figure = laid_out(Layout::Kept);
  figure.title = sheet.name;
  return figure;
}

}  // namespace headlight
