#include "app/figure/plan/figure_grid.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/hatching.h"
#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kSample = 14;  // side of the sample of hatching in the legend

// Adds one line of the header, shortened to `room` px; returns the y of the next line.
double add_header_line(FigureGrid& grid, const std::string& text, double size_px, Color color, double x,
                       double y, double room, const MeasureText& measure) {
  if (text.empty()) return y;
  PlannedText line;
  line.text = shortened(text, room, size_px, measure);
  line.x = x;
  line.y = y + line_height(size_px) / 2;
  line.size_px = size_px;
  line.color = color;
  grid.width = std::max(grid.width, x + measure(line.text, size_px, FontFace::Text).width);
  grid.texts.push_back(line);
  return y + line_height(size_px);
}

// The parts of a subtitle, with " · " between them, in as few lines as have room.
std::vector<std::string> subtitle_lines(const std::string& text, double size_px, double room,
                                        const MeasureText& measure) {
  const std::string between = " · ";
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    const std::string part = text.substr(at, end - at);
    std::string longer = lines.empty() ? "" : lines.back() + between;
    longer += part;
    if (!lines.empty() && measure(longer, size_px, FontFace::Text).width <= room)
      lines.back() = longer;
    else
      lines.push_back(part);
    at = end + between.size();
  }
  return lines;
}

// The widths that the plans of one column need to the left and to the right of the left side of their cells.
struct ColumnMargins {
  double left = 0, right = 0;
};

std::vector<ColumnMargins> column_rooms(const std::vector<HeatmapPlan>& plans, const GridLimits& limits) {
  std::vector<ColumnMargins> rooms(limits.align_columns ? std::min(limits.columns, plans.size()) : 0);
  for (std::size_t i = 0; i < plans.size() && !rooms.empty(); ++i) {
    ColumnMargins& room = rooms[i % rooms.size()];
    room.left = std::max(room.left, plans[i].cells.rect.x);
    room.right = std::max(room.right, plans[i].width - plans[i].cells.rect.x);
  }
  return rooms;
}

}  // namespace

std::size_t row_length(const std::vector<HeatmapPlan>& plans, std::size_t first, const GridLimits& limits) {
  if (limits.columns > 0) return std::min(limits.columns, plans.size() - first);
  double x = limits.padding_px + plans[first].width;
  std::size_t end = first + 1;
  while (end < plans.size() && x + limits.gap_px + plans[end].width + limits.padding_px <= limits.max_width) {
    x += limits.gap_px + plans[end].width;
    ++end;
  }
  return end - first;
}

double hatching_legend_height(const FigureStyle& style) {
  return std::ceil(line_height(style.label_size_px) + scaled_px(style, 8));
}

// A sample of the hatching and its name, below the cells of the first plan.
void add_hatching_legend(FigureGrid& grid, const FigureStyle& style, const GridLimits& limits,
                         const MeasureText& measure) {
  const bool hatched = std::any_of(grid.plans.begin(), grid.plans.end(), [](const PlacedPlan& placed) {
    return !placed.plan.hatching.segments.empty();
  });
  const double height = hatching_legend_height(style), line = line_height(style.label_size_px);
  const double sample = scaled_px(style, kSample), text_x = sample + scaled_px(style, 6);
  const std::string name = shortened(limits.hidden_words, grid.width - 2 * limits.padding_px - text_x,
                                     style.label_size_px, measure);
  if (!hatched || name.empty()) return;
  Drawing legend;
  legend.width = text_x + measure(name, style.label_size_px, FontFace::Text).width;
  legend.height = line;
  const Rect box = {0, (line - sample) / 2, sample, sample};
  legend.fills.push_back({box, style.neutral});
  legend.hatching = empty_hatching(style);
  add_hatching(legend.hatching, box, style);
  legend.boxes.push_back({box, whole_px(style, 1), style.line});
  legend.texts.push_back(planned_label(style, name, text_x, line / 2, Anchor::Start, style.quiet_text));
  const double x = grid.plans.front().x + grid.plans.front().plan.cells.rect.x;
  const double most = grid.width - limits.padding_px - legend.width;
  const double y = grid.height - limits.padding_px + height - line;
  grid.drawings.push_back({std::floor(std::max(limits.padding_px, std::min(x, most))), y, std::move(legend)});
  grid.height = std::ceil(grid.height + height);
}

void shift(FigureGrid& figure, double dx, double dy) {
  const auto move_by = [&](auto& placed) {
    placed.x += dx;
    placed.y += dy;
  };
  std::for_each(figure.plans.begin(), figure.plans.end(), move_by);
  std::for_each(figure.drawings.begin(), figure.drawings.end(), move_by);
  std::for_each(figure.texts.begin(), figure.texts.end(), move_by);
}

FigureGrid arrange(std::vector<HeatmapPlan> plans, const std::string& title, const std::string& subtitle,
                   const FigureStyle& style, const GridLimits& limits, const MeasureText& measure) {
  FigureGrid grid;
  grid.background = style.background;
  grid.fonts = style.fonts;
  const double room = limits.max_width - 2 * limits.padding_px;
  double y = limits.padding_px;
  for (const std::string& line : wrapped(title, 2, room, style.title_size_px, measure))
    y = add_header_line(grid, line, style.title_size_px, style.text, limits.padding_px, y, room, measure);
  if (!title.empty()) y += scaled_px(style, 4);
  for (const std::string& line : subtitle_lines(subtitle, style.label_size_px, room, measure))
    y = add_header_line(grid, line, style.label_size_px, style.quiet_text, limits.padding_px, y, room,
                        measure);
  if (!grid.texts.empty()) y += limits.gap_px / 2;
  const std::vector<ColumnMargins> rooms = column_rooms(plans, limits);
  for (std::size_t first = 0; first < plans.size();) {
    const std::size_t end = first + row_length(plans, first, limits);
    double baseline = 0, height = 0, x = limits.padding_px;
    for (std::size_t i = first; i < end && limits.align_cells; ++i)
      baseline = std::max(baseline, plans[i].cells.rect.y);
    for (std::size_t i = first; i < end; ++i) {
      const double drop = limits.align_cells ? baseline - plans[i].cells.rect.y : 0;
      height = std::max(height, drop + plans[i].height);
      const ColumnMargins room_here =
          rooms.empty() ? ColumnMargins{plans[i].cells.rect.x, plans[i].width - plans[i].cells.rect.x}
                        : rooms[i - first];
      grid.plans.push_back(
          {x + room_here.left - plans[i].cells.rect.x, std::ceil(y + drop), std::move(plans[i])});
      x += room_here.left + room_here.right + limits.gap_px;
    }
    grid.width = std::max(grid.width, x - limits.gap_px);
    y = std::ceil(y) + height + limits.gap_px;
    first = end;
  }
  grid.width = std::ceil(grid.width + limits.padding_px);
  grid.height = std::ceil(plans.empty() ? y + limits.padding_px : y - limits.gap_px + limits.padding_px);
  if (limits.legend) add_hatching_legend(grid, style, limits, measure);
  return grid;
}

}  // namespace headlight
