#include "app/ui/views/heads_grid.h"

#include <algorithm>
#include <cmath>

#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/cell_legend.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/picture/heads_plan.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/head_captions.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/views/head_thumbs.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

namespace {

constexpr float kLeastCell = 5;  // planned pixels, of heads side by side

// The layout of the pictures, and what is drawn around each.
struct HeadsGrid : HeadsPlan {
  std::vector<Index> heads;
  bool large = false;
  bool switches = true;            // the captions turn heads off and on
  bool shared = true;              // one colour range for all
  float caption = 0, summary = 0;  // pixels above and below each picture

  float width(int i) const {
    // Slanted labels of the last column may extend into the gap.
    return cell.x + (begins_row(i) ? gutter : gap) + (ends_row(i) ? bar : 0);
  }
  // The limit for one picture's cells, equal for all: pictures below the first row have only their own
  // height.
  ImVec2 most_cells(float line) const {
    const float height = cell.y - caption - summary;
    return {cell.x, header > 0 ? height - line : height};
  }
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
  const float widest = widest_label(ui, TokenLabels(ui.layer()).keys);
  if (widest + ui.theme.px(8) <= column) return line;
  return std::ceil(column >= ui.theme.px(18) ? line + widest * 0.75f : ui.theme.px(8) + widest);
}

std::vector<Index> heads_in_order(UiContext& ui, Stage stage, bool large) {
  std::vector<Index> heads = shown_heads(ui, stage);
  // The measures describe the weights, so only the weights are sorted.
  return large && stage == Stage::Weights ? ordered_heads(ui, std::move(heads)) : heads;
}

HeadsRoom heads_room(const UiContext& ui, Stage stage, const Area& area, bool large, bool presented,
                     int count) {
  const Theme& theme = ui.theme;
  HeadsRoom room;
  room.area = area;
  room.count = count;
  room.rows = stage_rows(ui.layer(), stage);
  room.columns = stage_columns(ui.layer(), stage);
  room.aspect = picture_aspect(ui.layer(), stage);
  // For an audience rather below each other: cells may be wider than high, for their numbers. Narrow matrices
  // stand side by side.
  constexpr float kPresentedAspect = 1.6f;
  if (presented && 2 * room.columns >= room.rows) room.aspect = std::max(room.aspect, kPresentedAspect);
  room.gap = theme.px(large ? 12 : 4);
  if (!large) return room;
  const float line = font_size(theme.fonts.label);
  const bool several = stage_info(stage).per_head && ui.layer().head_count() > 1;
  const bool any_off = stage_info(stage).per_head && !ui.layer().attention.disabled_heads.empty();
  // Beside the pages of a model, which tell all of a head, the chosen one has the whole room.
  const bool told = ui.view.model.pages_beside && ui.view.head;
  if ((several && !told) || any_off) room.caption = line + theme.px(8);
  if (stage == Stage::Weights && !ui.shows_gradients() && !told) room.summary = line + theme.px(4);
  room.halves = line;
  // If heads share one colour range, the last picture of a row has the bar for all.
  room.bar = ui.view.picture.colors_of(stage).shared ? colorbar_width(ui, false) : 0;
  room.gutter = row_labels_width(ui, stage);
  room.header = [&ui, stage, line](float width) {
    // Wide pictures also have axis names.
    const float axis = width >= ui.theme.px(340) ? line + ui.theme.px(4) : 0;
    return axis + labels_height(ui, stage, width / static_cast<float>(stage_columns(ui.layer(), stage)));
  };
  return room;
}

HeadsGrid heads_grid(const UiContext& ui, Stage stage, const HeadsRoom& room, bool large,
                     std::vector<Index> heads) {
  HeadsGrid grid;
  static_cast<HeadsPlan&>(grid) = plan_heads(room);
  grid.heads = std::move(heads);
  grid.large = large;
  grid.shared = ui.view.picture.colors_of(stage).shared;
  grid.caption = room.caption;
  grid.summary = room.summary;
  return grid;
}

// The pictures in their room. Where it is low, first the lines below them are left out, then those above.
HeadsGrid fitting_grid(const UiContext& ui, Stage stage, HeadsRoom& room, bool large,
                       const std::vector<Index>& heads) {
  constexpr float kLeastPicture = 56;  // planned pixels: below that, lines would cover each other
  const float least = ui.theme.px(kLeastPicture), line = font_size(ui.theme.fonts.label);
  HeadsGrid grid = heads_grid(ui, stage, room, large, heads);
  for (float* lines : {&room.summary, &room.caption}) {
    if (!large || grid.most_cells(line).y >= least) break;
    *lines = 0;
    grid = heads_grid(ui, stage, room, large, heads);
  }
  return grid;
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
  return stage_info(stage).heads == StageHeads::Keys && ui.layer().kv_head_count() != ui.layer().head_count();
}

// "head 1", without controls.
void head_name_caption(UiContext& ui, Index head, ImVec2 at) {
  ImFont* font = ui.theme.fonts.label;
  const std::string text = head_name(head, ui.counting());
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), {at.x, at.y + ui.theme.px(1.5f)},
                                      to_imgui(ui.theme.quiet_text), text.c_str());
  ui.probe.mark_rect("focus.head.h" + std::to_string(head) + ".name",
                     {at.x, at.y, text_width(font, text), font_size(font)}, text);
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
  else if (grid.caption > 0 && !grid.switches)
    head_name_caption(ui, spot.head, at);
  else if (grid.caption > 0)
    head_caption(ui, spot.head, at, grid.cell.x);
  const ImVec2 origin = {at.x, at.y + grid.caption};
  const ImVec2 size = {grid.large ? grid.width(i) : grid.cell.x, grid.height(i)};
  ImGui::SetCursorScreenPos(origin);
  const HeatmapResult result = heatmap_view(ui, cache, spot, size);
  if (spot.off && grid.caption > 0)
    strike_out(ui, origin, result.laid.cells);
  else if (spot.off)
    dim(ui, origin, result.laid.cells);
  if (grid.summary > 0) {
    // Directly below the cells, however high they are, and below the labels at their lower end.
    const float line = font_size(ui.theme.fonts.label);
    double lowest =
        result.laid.cells.bottom();  // of the cells and of the colour bar, which has a least height
    for (const PlannedBar& bar : cache.entry(spot.name).plan.bars)
      lowest = std::max(lowest, bar.rect.bottom());
    const float below =
        result.laid.cells.height > 0 ? static_cast<float>(lowest) + std::floor(line * 0.6f) : size.y;
    // Cells that fill all of a low place leave no room for the line.
    if (below > size.y + line * 0.35f) return result;
    head_summary_line(ui, spot.head, {at.x, origin.y + std::min(below, size.y)}, grid.cell.x);
  }
  return result;
}

// Narrow matrices are drawn next to each other, however much room there is.
void place_adjacent(const UiContext& ui, HeadsGrid& grid, const HeatmapSpot::Like& first) {
  constexpr float kCaption = 72;  // planned pixels: "head 12" and its eye
  if (!grid.shared || grid.columns == 1 || grid.summary > 0 || first.cells.width <= 0) return;
  const float least = grid.caption > 0 ? ui.theme.px(kCaption) : 0;
  const float own = std::ceil(static_cast<float>(first.cells.right())) - grid.gutter;
  grid.cell.x = std::min(grid.cell.x, std::max(own, least));
}

float chip_height(const UiContext& ui) {
  return font_size(ui.theme.fonts.label) + ui.theme.px(4);
}

}  // namespace

float row_labels_width(const UiContext& ui, Stage stage) {
  return std::ceil(widest_label(ui, TokenLabels(ui.layer()).rows(stage)) + ui.theme.px(12));
}

namespace {

// "" if the range is neither logarithmic by itself nor was switched to the whole one.
std::string scale_chip_text(const StageColors& colors, Stage stage, const ValueStatistics& numbers) {
  if (stage_info(stage).is_signed || numbers.range.empty()) return "";
  if (colors.range == RangeKind::Whole && !colors.without_first) return "whole range ▸";
  return colors.range == RangeKind::Automatic && is_logarithmic(numbers) ? "log scale ▸" : "";
}

void scale_chip(UiContext& ui, Stage stage, const std::string& text, ImVec2 at) {
  ImFont* font = ui.theme.fonts.label;
  const float pad = ui.theme.px(6), width = text_width(font, text) + 2 * pad, height = chip_height(ui);
  ImGui::SetCursorScreenPos(at);
  StageColors& colors = ui.view.picture.colors_of(stage);
  const bool automatic = colors.range == RangeKind::Automatic;
  if (click_area("focus.scale", {width, height}))
    colors.range = automatic ? RangeKind::Whole : RangeKind::Automatic;
  ui.probe.mark("focus.scale", text);
  const bool hot = ImGui::IsItemHovered();
  tooltip(
      ui,
      automatic
          ? "Each power of ten has the same share of the colours, so that the pattern shows. A click shows "
            "the whole range evenly"
          : "From the smallest weight to the largest, evenly. A click chooses the automatic range");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(ui.theme.raised), ui.theme.px(4));
  list.AddText(font, font_size(font), {at.x + pad, at.y + (height - font_size(font)) / 2},
               to_imgui(hot ? ui.theme.text : ui.theme.quiet_text), text.c_str());
}

}  // namespace

float legend_below(UiContext& ui, Stage stage, const Area& area) {
  if (area.size.y < ui.theme.px(300)) return 0;
  const bool gradients = ui.shows_gradients();
  const StageColors colors = gradients ? gradient_colors(ui, stage) : ui.view.picture.colors_of(stage);
  const auto only_head = stage_heads(ui.layer(), stage) > 1 ? ui.view.head : std::nullopt;
  const ValueStatistics numbers = shown_numbers(ui, stage, only_head, colors, shown_content(ui, stage));
  const std::vector<CellKind> kinds = occurring_kinds(numbers.range, color_range(numbers, colors, stage));
  ImFont* font = ui.theme.fonts.label;
  std::string chip = gradients ? std::string() : scale_chip_text(colors, stage, numbers);
  if (text_width(font, chip) + ui.theme.px(24) > area.size.x) chip.clear();
  const float beside = chip.empty() ? 0 : text_width(font, chip) + ui.theme.px(24);
  const float legend = cell_legend_height(ui, kinds, area.size.x - beside);
  const float height = std::max(legend, chip.empty() ? 0 : chip_height(ui));
  if (height == 0) return 0;
  const ImVec2 at = {area.at.x, area.end().y - height};
  if (!chip.empty()) scale_chip(ui, stage, chip, at);
  if (legend > 0) {
    ImGui::SetCursorScreenPos({at.x + beside, at.y});
    cell_legend(ui, "focus.legend", kinds, stage, area.size.x - beside);
  }
  return height + ui.theme.px(8);
}

// Planned pixels: with less for each head, one of them is drawn.
constexpr float kLeastOfSeveral = 20;

bool draw_heads(UiContext& ui, HeatmapCache& cache, MaskPainter& painter, Stage stage, const Area& area,
                const std::string& prefix, bool large, bool one_row, const PresentedView* presented) {
  const float legend = large ? legend_below(ui, stage, area) : 0;
  Area below = {area.at, {area.size.x, area.size.y - legend}};
  std::vector<Index> heads = heads_in_order(ui, stage, large);
  HeadsRoom room = heads_room(ui, stage, below, large, presented != nullptr, static_cast<int>(heads.size()));
  room.one_row = one_row;
  HeadsGrid grid = fitting_grid(ui, stage, room, large, heads);
  if (large && too_many_heads(room, grid, ui.theme.px(kLeastCell))) {
    ui.view.heads.one_large = true;
    const Index head = draw_thumbs(ui, cache, stage, heads, below);
    room.area.size.x -= thumbs_width(ui);
    room.count = 1;
    grid = fitting_grid(ui, stage, room, large, {head});
    grid.caption = 0;
  }
  const auto named = presented ? presented->head : std::nullopt;
  if (named && grid.count > 1 && std::find(heads.begin(), heads.end(), *named) != heads.end()) {
    room.count = 1;
    grid = fitting_grid(ui, stage, room, large, {*named});
  }
  grid.switches = !presented;
  if (large && grid.count > 1 &&
      grid.most_cells(font_size(ui.theme.fonts.label)).y < ui.theme.px(kLeastOfSeveral)) {
    room.count = 1;
    grid = fitting_grid(ui, stage, room, large, {stage_head(ui.layer(), stage, ui.shown_head())});
  }
  const bool paints = large && stage == Stage::Masked && ui.view.picture.paints_mask;
  bool opened = false, held = false;
  // The other pictures take the size of the first one's cells.
  HeatmapSpot::Like first;
  for (int i = 0; i < grid.count; ++i) {
    HeatmapSpot spot;
    spot.stage = stage;
    spot.head = grid.heads[static_cast<std::size_t>(i)];
    spot.zooms = large;
    spot.labels = large;
    spot.off = is_head_off(ui.layer(), stage, spot.head);
    spot.colorbar = large && (grid.ends_row(i) || !grid.shared);
    spot.name = prefix + std::string(stage_info(stage).name) + ".h" + std::to_string(spot.head);
    spot.row_labels = grid.gutter == 0 || grid.begins_row(i);
    spot.column_labels = grid.header == 0 || grid.in_first_row(i);
    if (grid.shared) spot.like = first;
    if (large && grid.count > 1) {
      spot.most_cells = grid.most_cells(font_size(ui.theme.fonts.label));
      spot.overhang = grid.begins_row(i) ? 0 : grid.gap;
    }
    // Half a line of the first label, and of the bar's, protrudes above the cells.
    if (grid.shared && !spot.column_labels) spot.like.cells.y = font_size(ui.theme.fonts.label) * 0.5;
    const HeatmapResult result = draw_head(ui, cache, grid, i, spot);
    if (paints) paint_mask(ui, painter, result);
    if (large && !paints) paint_goal(ui, painter, stage, result);
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
