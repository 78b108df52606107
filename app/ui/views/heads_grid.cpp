#include "app/ui/views/heads_grid.h"

#include <algorithm>
#include <cmath>

#include "app/ui/picture/cell_legend.h"
#include "app/ui/picture/shown_heads.h"
#include "app/ui/views/head_captions.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/views/head_thumbs.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

namespace {

// The layout of a grid of pictures, and the space reserved around each.
struct HeadsGrid {
  std::vector<Index> heads;
  Area area;
  bool large = false;
  bool shared = true;  // one colour range for all
  int columns = 1;
  float gap = 0, caption = 0, summary = 0;  // pixels above and below each picture
  float bar = 0;                            // beside the last picture of a row, for the common colour bar
  float header = 0;                         // above the first row, for the common column labels
  float gutter = 0;                         // beside the first picture of a row, for the common row labels
  ImVec2 cell;

  int count() const { return static_cast<int>(heads.size()); }
  bool begins_row(int i) const { return i % columns == 0; }
  bool ends_row(int i) const { return i % columns == columns - 1 || i == count() - 1; }
  float width(int i) const {
    // Slanted labels of the last column may extend into the gap.
    return cell.x + (begins_row(i) ? gutter : gap) + (ends_row(i) ? bar : 0);
  }
  ImVec2 at(int i) const {
    const int row = i / columns, column = i % columns;
    return {area.at.x + static_cast<float>(column) * (cell.x + gap) + (column > 0 ? gutter : 0),
            area.at.y + static_cast<float>(row) * (cell.y + gap) + (row > 0 ? header : 0)};
  }
  // The limit for one picture's cells, equal for all: pictures below the first row have only their own
  // height.
  ImVec2 most_cells(float line) const {
    const float height = cell.y - caption - summary;
    return {cell.x, header > 0 ? height - line : height};
  }
  bool in_first_row(int i) const { return i < columns; }
  float height(int i) const { return cell.y + (in_first_row(i) ? header : 0) - caption - summary; }
};

float widest_label(const UiContext& ui, const std::vector<std::string>& labels) {
  // Of very many labels, only those at both ends are measured.
  constexpr std::size_t kEnd = 64;
  float widest = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (i < kEnd || i + kEnd >= labels.size())
      widest = std::max(widest, text_width(ui.theme.fonts.label, labels[i]));
  return std::min(widest, ui.theme.px(96));
}

// The approximate height of the labels of columns `column` pixels wide: they are slanted if they do not fit.
float labels_height(const UiContext& ui, Stage stage, float column) {
  const float line = font_size(ui.theme.fonts.label) + ui.theme.px(8);
  if (!is_pair(stage)) return line;
  const float widest = widest_label(ui, TokenLabels(ui.model()).keys);
  if (widest + ui.theme.px(8) <= column) return line;
  return std::ceil(column >= ui.theme.px(18) ? line + widest * 0.75f : ui.theme.px(8) + widest);
}

std::vector<Index> heads_in_order(UiContext& ui, Stage stage, bool large) {
  std::vector<Index> heads = shown_heads(ui, stage);
  // The measures describe the weights, so only the weights are sorted.
  return large && stage == Stage::Weights ? ordered_heads(ui, std::move(heads)) : heads;
}

HeadsGrid heads_grid(UiContext& ui, Stage stage, const Area& area, bool large, bool one_row,
                     std::vector<Index> heads) {
  HeadsGrid grid;
  const Theme& theme = ui.theme;
  grid.heads = std::move(heads);
  grid.area = area;
  grid.large = large;
  grid.shared = ui.view.colors_of(stage).shared;
  grid.gap = theme.px(large ? 12 : 4);
  const bool several = stage_info(stage).per_head && ui.model().head_count() > 1;
  const bool any_off = stage_info(stage).per_head && !ui.model().attention.disabled_heads.empty();
  if (large && (several || any_off)) grid.caption = font_size(theme.fonts.label) + theme.px(8);
  if (large && stage == Stage::Weights) grid.summary = font_size(theme.fonts.label) + theme.px(4);
  // If heads share one colour range, the last picture of a row has the bar for all.
  const float bar = large && grid.shared ? colorbar_width(ui) : 0;
  const float gutter = large ? row_labels_width(ui, stage) : 0;
  // Half a line above and below the cells is reserved in every row.
  const float halves = large ? font_size(theme.fonts.label) : 0;
  const float lines = grid.caption + grid.summary + halves, aspect = picture_aspect(ui.model(), stage);
  const auto columns_of = [&](float header) {
    if (one_row) return grid.count();
    return best_columns(grid.count(), area.size.x - bar - gutter, area.size.y - header, grid.gap, aspect,
                        lines);
  };
  grid.columns = columns_of(0);
  const float width =
      std::min((area.size.x - bar - gutter) / static_cast<float>(grid.columns), area.size.y * aspect);
  // Wide pictures also have axis names.
  const float axis = width >= theme.px(340) ? font_size(theme.fonts.label) + theme.px(4) : 0;
  const float header =
      large ? axis + labels_height(ui, stage, width / static_cast<float>(stage_columns(ui.model(), stage)))
            : 0;
  grid.columns = columns_of(header);
  const int rows = (grid.count() + grid.columns - 1) / grid.columns;
  grid.header = rows > 1 ? std::max(1.0f, header - halves) : 0;
  grid.bar = grid.columns > 1 ? bar : 0;
  grid.gutter = grid.columns > 1 ? gutter : 0;
  const auto share = [&](float room, int parts) {
    return std::floor((room - grid.gap * static_cast<float>(parts - 1)) / static_cast<float>(parts));
  };
  grid.cell = {share(area.size.x - grid.bar - grid.gutter, grid.columns),
               share(area.size.y - grid.header, rows)};
  return grid;
}

// Whether there are too many heads to be read side by side.
bool too_many_to_read(const UiContext& ui, Stage stage, const HeadsGrid& grid) {
  constexpr int kMostHeads = 6;
  constexpr float kLeastCell = 6;  // planned pixels
  if (grid.count() <= kMostHeads) return false;
  const float width = grid.cell.x / static_cast<float>(stage_columns(ui.model(), stage));
  const float height =
      (grid.cell.y - grid.caption - grid.summary) / static_cast<float>(stage_rows(ui.model(), stage));
  return std::min(width, height) < ui.theme.px(kLeastCell);
}

// Dims a disabled head.
void dim(const UiContext& ui, ImVec2 origin, const Rect& cells) {
  const ImVec2 a = {origin.x + static_cast<float>(cells.x), origin.y + static_cast<float>(cells.y)};
  ImGui::GetWindowDrawList()->AddRectFilled(
      a, {a.x + static_cast<float>(cells.width), a.y + static_cast<float>(cells.height)},
      to_imgui(ui.theme.panel, 0.65));
}

// Whether the stage's heads are key-value heads, each shared by several query heads.
bool of_shared_heads(const UiContext& ui, Stage stage) {
  return stage_info(stage).heads == StageHeads::Keys && ui.model().kv_head_count() != ui.model().head_count();
}

// "kv head 1", without switches: it cannot be disabled alone.
void kv_head_caption(UiContext& ui, Index head, ImVec2 at) {
  ImFont* font = ui.theme.fonts.label;
  const std::string text = "kv head " + ui.counting().number(head);
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x, at.y + ui.theme.px(1.5f)},
                                      to_imgui(ui.theme.quiet_text), text.c_str());
  ui.probe.mark_rect("focus.kv_head.h" + std::to_string(head),
                     {at.x, at.y, text_width(font, text), font_size(font)}, text);
}

// Strikes out a disabled head at large, whose numbers stay readable.
void strike_out(const UiContext& ui, ImVec2 origin, const Rect& cells) {
  const ImVec2 a = {origin.x + static_cast<float>(cells.x), origin.y + static_cast<float>(cells.y)};
  const ImVec2 b = {origin.x + static_cast<float>(cells.right()),
                    origin.y + static_cast<float>(cells.bottom())};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(ui.theme.quiet_text);
  list.AddRect(a, b, color, 0, 0, ui.theme.px(1.5f));
  list.AddLine({a.x, b.y}, {b.x, a.y}, color, ui.theme.px(1.5f));
}

HeatmapResult draw_head(UiContext& ui, HeatmapCache& cache, const HeadsGrid& grid, int i,
                        const HeatmapSpot& spot) {
  const ImVec2 at = grid.at(i);
  const bool shared = of_shared_heads(ui, spot.stage);
  if (grid.caption > 0 && shared)
    kv_head_caption(ui, spot.head, at);
  else if (grid.caption > 0)
    head_caption(ui, spot.head, at, grid.cell.x);
  const ImVec2 origin = {at.x, at.y + grid.caption};
  const ImVec2 size = {grid.large ? grid.width(i) : grid.cell.x, grid.height(i)};
  ImGui::SetCursorScreenPos(origin);
  const HeatmapResult result = heatmap_view(ui, cache, spot, size);
  const bool off =
      !shared && stage_info(spot.stage).per_head && !ui.model().attention.head_enabled(spot.head);
  if (off && grid.caption > 0)
    strike_out(ui, origin, result.laid.cells);
  else if (off)
    dim(ui, origin, result.laid.cells);
  if (grid.summary > 0) {
    // Directly below the cells, however high they are, and below the labels at their lower end.
    const float below = result.laid.cells.height > 0 ? static_cast<float>(result.laid.cells.bottom()) +
                                                           std::floor(font_size(ui.theme.fonts.label) * 0.6f)
                                                     : size.y;
    head_summary_line(ui, spot.head, {at.x, origin.y + std::min(below, size.y)}, grid.cell.x);
  }
  return result;
}

// Narrow matrices are drawn next to each other, however much room there is.
void place_adjacent(const UiContext& ui, HeadsGrid& grid, const HeatmapSpot::Like& first) {
  constexpr float kCaption = 116;  // planned pixels: "head 12", on, solo
  if (!grid.shared || grid.summary > 0 || first.cells.width <= 0) return;
  const float least = grid.caption > 0 ? ui.theme.px(kCaption) : 0;
  const float own = std::ceil(static_cast<float>(first.cells.right())) - grid.gutter;
  grid.cell.x = std::min(grid.cell.x, std::max(own, least));
}

}  // namespace

float row_labels_width(const UiContext& ui, Stage stage) {
  return std::ceil(widest_label(ui, TokenLabels(ui.model()).rows(stage)) + ui.theme.px(12));
}

float legend_below(UiContext& ui, Stage stage, const Area& area) {
  if (area.size.y < ui.theme.px(300)) return 0;
  const StageColors& colors = ui.view.colors_of(stage);
  const auto only_head = stage_heads(ui.model(), stage) > 1 ? ui.view.head : std::nullopt;
  const ValueStatistics numbers = shown_numbers(ui, stage, only_head, colors);
  const std::vector<CellKind> kinds = occurring_kinds(numbers.range, color_range(numbers, colors, stage));
  const float height = cell_legend_height(ui, kinds, area.size.x);
  if (height == 0) return 0;
  ImGui::SetCursorScreenPos({area.at.x, area.end().y - height});
  cell_legend(ui, "focus.legend", kinds, stage, area.size.x);
  return height + ui.theme.px(8);
}

bool draw_heads(UiContext& ui, HeatmapCache& cache, MaskPainter& painter, Stage stage, const Area& area,
                const std::string& prefix, bool large, bool one_row) {
  const float legend = large ? legend_below(ui, stage, area) : 0;
  Area room = {area.at, {area.size.x, area.size.y - legend}};
  HeadsGrid grid = heads_grid(ui, stage, room, large, one_row, heads_in_order(ui, stage, large));
  if (large && too_many_to_read(ui, stage, grid)) {
    ui.view.one_large = true;
    const Index head = draw_thumbs(ui, cache, stage, grid.heads, room);
    room.size.x -= thumbs_width(ui);
    grid = heads_grid(ui, stage, room, large, one_row, {head});
    grid.caption = 0;
  }
  const bool paints = large && stage == Stage::Masked && ui.view.paints_mask;
  bool opened = false, held = false;
  // The other pictures take the size of the first one's cells.
  HeatmapSpot::Like first;
  for (int i = 0; i < grid.count(); ++i) {
    HeatmapSpot spot;
    spot.stage = stage;
    spot.head = grid.heads[static_cast<std::size_t>(i)];
    spot.zooms = large;
    spot.labels = large;
    spot.colorbar = large && (grid.ends_row(i) || !grid.shared);
    spot.name = prefix + std::string(stage_info(stage).name) + ".h" + std::to_string(spot.head);
    spot.row_labels = grid.gutter == 0 || grid.begins_row(i);
    spot.column_labels = grid.header == 0 || grid.in_first_row(i);
    if (grid.shared) spot.like = first;
    if (large && grid.count() > 1) {
      spot.most_cells = grid.most_cells(font_size(ui.theme.fonts.label));
      spot.overhang = grid.begins_row(i) ? 0 : grid.gap;
    }
    // Half a line of the first label, and of the bar's, protrudes above the cells.
    if (grid.shared && !spot.column_labels) spot.like.cells.y = font_size(ui.theme.fonts.label) * 0.5;
    const HeatmapResult result = draw_head(ui, cache, grid, i, spot);
    if (paints) paint_mask(ui, painter, result);
    opened |= result.double_clicked;
    held |= result.held;
    if (large && i == 0) {
      first = result.laid;
      place_adjacent(ui, grid, first);
    }
  }
  if (large && !held) end_stroke(painter);
  return opened;
}

}  // namespace headlight
