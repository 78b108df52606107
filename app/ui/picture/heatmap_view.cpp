#include "app/ui/picture/heatmap_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/lesson_labels.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/cell_outline.h"
#include "app/ui/picture/compared_states.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/picture/heads_together.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/range_hold.h"
#include "app/ui/picture/spotlight.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// One value per pixel, rounded up in steps, so that dragging a splitter does not cause a new request for
// every pixel. At least 32: small matrices are always requested completely.
Index value_limit(float pixels) {
  const auto wanted = static_cast<Index>(std::max(pixels, 1.0f));
  const Index step = wanted <= 128 ? 32 : 64;
  return std::min<Index>((wanted + step - 1) / step * step, HeatmapCache::kNoLimit);
}

const StageColors& colors_of(const UiContext& ui, const HeatmapSpot& spot) {
  return spot.colors ? *spot.colors : ui.view.picture.colors_of(spot.stage);
}

// While gradients are shown, a picture of a stage is that of its gradient; weights may be shown by value.
HeatmapSpot as_shown(const UiContext& ui, HeatmapSpot spot) {
  if (spot.content != TileContent::Stage) return spot;
  const TileContent content = shown_content(ui, spot.stage);
  if (content == TileContent::Stage) return spot;
  const bool of_weights = content == TileContent::ValueWeighted || content == TileContent::WithoutFirst;
  if (of_weights && spot.colors) return spot;
  if (content == TileContent::Gradient) spot.colors = gradient_colors(ui, spot.stage);
  spot.content = content;
  spot.range.reset();
  return spot;
}

// The shape of the matrix that the spot shows: the baseline's may differ from the present one.
MapShape shape_of(const UiContext& ui, const HeatmapSpot& spot) {
  const bool kept = is_of_baseline(spot.content) && ui.view.baseline.layer;
  return stage_shape(kept ? *ui.view.baseline.layer : ui.layer(), spot.stage);
}

// Uses the limits in `entry`, which are known once the picture has been laid out.
TileRequest tile_request(const UiContext& ui, const HeatmapSpot& spot, const HeatmapCache::Entry& entry,
                         MapShape shape, ImVec2 size) {
  TileRequest request;
  request.stage = spot.stage;
  request.sequence = ui.view.sequence;
  request.head = spot.head;
  if (spot.zooms && is_zoomed(ui, spot.stage)) {
    const CellBlock region = fitted(region_of(ui, spot.stage), shape);
    request.row_begin = region.row;
    request.row_end = region.row_end;
    request.column_begin = region.column;
    request.column_end = region.column_end;
  }
  request.max_rows = std::min(value_limit(size.y), entry.most_rows);
  request.max_columns = std::min(value_limit(size.x), entry.most_columns);
  // A square matrix stays square when it is pooled.
  if (is_pair(spot.stage))
    request.max_rows = request.max_columns = std::min(request.max_rows, request.max_columns);
  request.content = spot.content;
  request.draws = spot.draws;
  request_spread(request, colors_of(ui, spot));
  request.pooling = pooling_of(colors_of(ui, spot), spot.stage);
  return request;
}

// The look of a spot in this frame, without the tile and the labels.
struct Look {
  ImVec2 size;
  ThemeKind theme;
  HeldRanges::Shown range;
  ColormapKind map;
  int decimals;
  bool percent = false;
  Index selected_row = -1, selected_column = -1;
};

// Sets the row and column of the selected cell, if the spot has labels for them.
void note_selection(const UiContext& ui, const HeatmapSpot& spot, Look& look) {
  const auto& selected = ui.view.selection.cell;
  if (!spot.labels || !selected || selected->sequence != ui.view.sequence) return;
  const CellTokens tokens = cell_tokens(*selected);
  const bool rows_are_keys = stage_info(spot.stage).rows == StageRows::Keys;
  const bool one_list = ui.layer().self_attention();
  look.selected_row = rows_are_keys ? tokens.key : tokens.query;
  if (look.selected_row < 0 && one_list) look.selected_row = rows_are_keys ? tokens.query : tokens.key;
  if (stage_info(selected->stage).columns == stage_info(spot.stage).columns)
    look.selected_column = selected->column;
}

// Whether the picture is of a state that *Compare* shows, whose range it takes: one stage has one range.
bool is_compared(const UiContext& ui, const HeatmapSpot& spot) {
  return !spot.colors && spot.content == compared_contents(ui, spot.stage).now && is_compared(ui, spot.stage);
}

// The pictures with one key have one range. Other matrices, settings and layers have other keys.
std::string range_key(const UiContext& ui, const HeatmapSpot& spot) {
  const StageColors& colors = colors_of(ui, spot);
  const bool alone = !spot.from_all_heads || !colors.shared;
  std::string key(stage_info(spot.stage).name);
  const MapShape shape = shape_of(ui, spot);
  for (const Index part :
       {static_cast<Index>(spot.content), alone ? spot.head : Index{-1}, static_cast<Index>(colors.range),
        Index{colors.without_first}, shape.rows, shape.columns, ui.view.sequence,
        static_cast<Index>(ui.opened_layer()), Index{spot.range.has_value() || is_compared(ui, spot)}})
    key += " " + std::to_string(part);
  return key;
}

Look look_of(UiContext& ui, HeatmapCache& cache, const HeatmapSpot& spot, ImVec2 size) {
  const StageColors& colors = colors_of(ui, spot);
  const bool alone = !spot.from_all_heads || !colors.shared;
  const auto only_head = alone ? std::optional<Index>(spot.head) : std::nullopt;
  const bool other = spot.content == TileContent::Gradient || spot.content == TileContent::HeadMean ||
                     spot.content == TileContent::HeadMaximum || spot.content == TileContent::ValueWeighted ||
                     spot.content == TileContent::WithoutFirst;
  const TileContent content = other ? spot.content : TileContent::Stage;
  const ValueStatistics numbers = cache.numbers().of(ui, spot.stage, only_head, colors, content);
  const StageColors shown = picture_colors(colors, spot.stage, numbers.range);
  const ColorRange fitted = spot.range              ? *spot.range
                            : is_compared(ui, spot) ? range_of_states(ui, spot.stage, only_head)
                                                    : color_range(numbers, shown, spot.stage);
  begin_ranges(ui);
  const HeldRanges::Shown range = ui.view.picture.held_ranges.shown(range_key(ui, spot), fitted);
  Look look = {size, ui.theme.kind, range, colormap_of(shown, spot.stage), ui.view.picture.decimals};
  look.percent = ui.percent() && is_share(ui.layer(), spot.stage, spot.content);
  note_selection(ui, spot, look);
  return look;
}

bool same_look(const HeatmapCache::Entry& entry, const HeatmapSpot& spot, const Look& look) {
  return entry.size.x == look.size.x && entry.size.y == look.size.y && entry.theme == look.theme &&
         entry.range == look.range.range && entry.map == look.map && entry.decimals == look.decimals &&
         entry.percent == look.percent && entry.selected_row == look.selected_row &&
         entry.selected_column == look.selected_column && entry.spot.labels == spot.labels &&
         entry.spot.row_labels == spot.row_labels && entry.spot.column_labels == spot.column_labels &&
         entry.spot.colorbar == spot.colorbar && entry.spot.most_cells.x == spot.most_cells.x &&
         entry.spot.most_cells.y == spot.most_cells.y && entry.spot.like == spot.like &&
         entry.spot.off == spot.off;
}

// The names of the axes and of what the colours show are the lesson's, where it has some.
void put_into_language(const UiContext& ui, HeatmapFigure& figure) {
  const LessonLanguage& language = language_of(ui.document.session());
  if (language.is_english()) return;
  const std::map<std::string, std::string> own = figure_words(language);
  for (std::string* const name : {&figure.row_axis, &figure.column_axis, &figure.bar_title})
    if (const auto words = own.find(*name); words != own.end()) *name = words->second;
}

HeatmapFigure figure_of(const UiContext& ui, const HeatmapSpot& spot, const Look& look,
                        const std::shared_ptr<const Tile>& tile) {
  static const std::vector<std::string> kNoLabels;
  const TokenLabels tokens =
      spot.labels ? TokenLabels(spot.labelled_by ? *spot.labelled_by : ui.layer()) : TokenLabels(kNoLabels);
  HeatmapFigure figure = stage_figure(tile, tokens, ui.layer().head_count(), {}, {}, ui.counting());
  put_into_language(ui, figure);
  if (!spot.column_labels) {
    figure.column_labels.clear();
    figure.column_axis.clear();
  }
  if (!spot.row_labels) {
    figure.row_labels.clear();
    figure.row_axis.clear();
  }
  figure.range = look.range.range;
  figure.without_color = spot.off;
  figure.bar_without_color = spot.off && (!spot.from_all_heads || !colors_of(ui, spot).shared);
  figure.colormap = look.map;
  figure.show_colorbar = spot.colorbar;
  figure.decimals = look.decimals;
  figure.percent = look.percent;
  figure.selected_row = look.selected_row;
  figure.selected_column = look.selected_column;
  // Narrow pictures use the room of the axis names for numbers in the cells; the inspector names the axes as
  // well.
  const float room = look.size.x - (spot.colorbar ? colorbar_width(ui) : 0);
  if (room < ui.theme.px(340)) figure.row_axis = figure.column_axis = {};
  const bool alone = spot.most_cells.x == 0 && spot.like.cells.width <= 0;
  if (room < ui.theme.px(340) || !alone) figure.bar_title.clear();
  return figure;
}

PlanLimits limits_of(const UiContext& ui, const HeatmapSpot& spot, ImVec2 size, const Tile& tile) {
  PlanLimits limits;
  limits.width = size.x;
  limits.height = size.y;
  limits.max_cell_px = ui.theme.px(spot.labels ? 240.0f : 64.0f);
  // With many cells, sizes in whole pixels would leave much of the picture empty.
  constexpr Index kMany = 12;
  if (std::max(tile.values.rows(), tile.values.cols()) >= kMany) limits.pixel = 1e-3;
  limits.wide_cell_px = spot.labels && !is_pair(spot.stage) ? number_width(ui) + ui.theme.px(10) : 0;
  if (spot.most_cells.x > 0)
    limits.max_cell_px =
        std::min({limits.max_cell_px, double{spot.most_cells.x} / static_cast<double>(tile.values.cols()),
                  double{spot.most_cells.y} / static_cast<double>(tile.values.rows())});
  limits.show_title = false;
  limits.show_labels = spot.labels;
  const Rect& like = spot.like.cells;
  if (like.width > 0) {
    limits.cell_px = like.width / static_cast<double>(tile.values.cols());
    limits.cell_height_px = like.height / static_cast<double>(tile.values.rows());
    limits.min_cells_top = like.y;
    limits.detail = spot.like.detail;
  }
  return limits;
}

HeatmapPlan planned(const UiContext& ui, const HeatmapSpot& spot, const Look& look,
                    const std::shared_ptr<const Tile>& tile, std::vector<bool> rough) {
  HeatmapFigure figure = figure_of(ui, spot, look, tile);
  figure.rough = std::move(rough);
  PlanLimits limits = limits_of(ui, spot, look.size, *tile);
  HeatmapPlan plan = plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme));
  // If cells of a prescribed size leave too little room for labels, the labels are dropped. Half a line of a
  // bar, and a digit of its numbers, may protrude.
  const float beside = spot.colorbar ? ui.theme.px(10) : 1;
  const bool outgrows = plan.width > look.size.x + beside || plan.height > look.size.y + ui.theme.px(8);
  if (spot.like.cells.width > 0 && spot.labels && outgrows) {
    limits.detail->labels = limits.detail->axis_names = false;
    plan = plan_heatmap(figure, ui.theme.figure, limits, imgui_measure(ui.theme));
  }
  return plan;
}

// Begins what the cells of a new tile show of their change: of a mask that goes on or off that, else which
// numbers are new. `exact`: neither tile is stitched.
void note_change(UiContext& ui, HeatmapCache::Entry& entry, const HeatmapSpot& spot, const Tile& tile,
                 bool exact) {
  Rect cells = entry.plan.cells.rect;
  cells.x += entry.origin.x;
  cells.y += entry.origin.y;
  const bool swept = entry.sweep.note(ui, spot.name, *entry.tile, tile, cells) || entry.sweep.moves();
  entry.glow = {};
  if (exact && !swept) entry.glow.note(*entry.tile, tile, ImGui::GetTime());
}

// Precondition: `source` has a fine tile.
void laid_out(UiContext& ui, HeatmapCache& cache, const HeatmapSpot& spot, ImVec2 size,
              const TileChoice& source, MapShape shape) {
  HeatmapCache::Entry& entry = cache.entry(spot.name);
  const Look look = look_of(ui, cache, spot, size);
  const std::uint64_t labels = spot.labels
                                   ? cache.labels_version(spot.labelled_by ? *spot.labelled_by : ui.layer(),
                                                          ui.counting(), spot.labelled_by)
                                   : 0;
  entry.ghost = look.range.ghost;
  if (entry.source == source && same_look(entry, spot, look) && entry.labels == labels) return;
  StitchedTile stitched;
  if (!source.as_it_is) stitched = stitched_tile(source, shape);
  const auto tile = source.as_it_is ? source.fine : std::make_shared<const Tile>(std::move(stitched.tile));
  // Small pictures would change as a whole, stitched tiles contain approximate values, and of a training no
  // single change is worth a look.
  const bool comparable = spot.labels && !ui.view.learning.plays && entry.tile;
  if (comparable && entry.tile != tile)
    note_change(ui, entry, spot, *tile, entry.exact && source.as_it_is);
  else if (!comparable)
    entry.glow = {};
  entry.tile = tile;
  entry.plan = planned(ui, spot, look, entry.tile, std::move(stitched.rough));
  entry.source = source;
  entry.exact = source.as_it_is;
  entry.size = size;
  entry.theme = look.theme;
  entry.range = look.range.range;
  entry.map = look.map;
  entry.decimals = look.decimals;
  entry.percent = look.percent;
  entry.selected_row = look.selected_row;
  entry.selected_column = look.selected_column;
  entry.labels = labels;
  entry.spot = spot;
  entry.spot.labelled_by = nullptr;  // the model may not outlive the frame
  entry.version = cache.next_version();
  entry.layer_revision = ui.document.layer_revision();
  entry.layer = ui.opened_layer();
}

// Cells smaller than a pixel are not visible: the next request has fewer, as soon as the size left by the
// labels is known. The limit only falls until the size changes, so that it converges.
void limit_cells(HeatmapCache::Entry& entry) {
  constexpr Index kStep = 8, kLeast = 32;
  const PlannedCells& cells = entry.plan.cells;
  const auto lower = [&](Index& most, Index count, double room) {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): a room is not negative
    const Index pixels = static_cast<Index>(room + 0.5);
    if (count > pixels) most = std::min(most, std::max(pixels / kStep * kStep, kLeast));
  };
  lower(entry.most_rows, cells.rows, cells.rect.height);
  lower(entry.most_columns, cells.columns, cells.rect.width);
}

// The place of `index` of the whole matrix among the tile's rows or columns; -1 outside.
Index shown_index(Index index, Index begin, Index end, Index shown) {
  if (index < begin || index >= end || end <= begin) return -1;
  return std::min(shown - 1, (index - begin) * shown / (end - begin));
}

struct ScreenRect {
  ImVec2 a, b;
};

ScreenRect on_screen(const Rect& rect, ImVec2 origin) {
  return {{origin.x + static_cast<float>(rect.x), origin.y + static_cast<float>(rect.y)},
          {origin.x + static_cast<float>(rect.right()), origin.y + static_cast<float>(rect.bottom())}};
}

bool has_slanting_text(const HeatmapPlan& plan) {
  return std::any_of(plan.texts.begin(), plan.texts.end(), [](const PlannedText& text) {
    return text.angle_deg != 0 && std::abs(text.angle_deg) != 90;
  });
}

// Bands behind the labels of the highlighted row and column, a little larger than the labels.
void draw_label_bands(UiContext& ui, const HeatmapPlan& plan, const LinkedCells& shown, ImVec2 origin,
                      const HeatmapSpot& spot) {
  if (!spot.labels) return;
  const float around = ui.theme.px(4);
  const ImU32 band = to_imgui(ui.theme.accent, 0.22);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ScreenRect cells = on_screen(plan.cells.rect, origin);
  if (shown.row >= 0) {
    const ScreenRect cell = on_screen(plan.cell_rect(shown.row, 0), origin);
    const float left = origin.x + static_cast<float>(plan.labels_x) - around;
    list.AddRectFilled({left, cell.a.y}, {cells.a.x - 1, cell.b.y}, band, ui.theme.px(3));
    ui.probe.mark_rect(spot.name + ".row_band", {left, cell.a.y, cells.a.x - 1 - left, cell.b.y - cell.a.y});
  }
  if (shown.column >= 0) {
    const ScreenRect cell = on_screen(plan.cell_rect(0, shown.column), origin);
    // A slanted label leaves its column: a full band would lie behind its neighbours as well.
    const float top = has_slanting_text(plan) ? cells.a.y - ui.theme.px(5)
                                              : origin.y + static_cast<float>(plan.labels_y) - around;
    list.AddRectFilled({cell.a.x, top}, {cell.b.x, cells.a.y - 1}, band, ui.theme.px(3));
  }
}

std::optional<LinkedCells> linked_in_tile(const UiContext& ui, const Tile& tile, const CellAddress& cell) {
  const TileRequest& r = tile.request;
  const auto linked = linked_cells(cell, r.stage, r.sequence, r.head, ui.layer());
  if (!linked) return std::nullopt;
  const CellBlock part = {r.row_begin, r.row_end, r.column_begin, r.column_end};
  const bool in_sight = part.contains(linked->row >= 0 ? linked->row : part.row,
                                      linked->column >= 0 ? linked->column : part.column);
  if (!in_sight) return std::nullopt;
  LinkedCells shown;
  if (linked->row >= 0) shown.row = shown_index(linked->row, r.row_begin, r.row_end, tile.values.rows());
  if (linked->column >= 0)
    shown.column = shown_index(linked->column, r.column_begin, r.column_end, tile.values.cols());
  return shown;
}

// The matrix cells that one cell of the tile stands for.
CellBlock whole_block(const Tile& tile, const HeatmapPlan::Cell& cell) {
  CellBlock block;
  block.row = first_row(tile, cell.row);
  block.column = first_column(tile, cell.column);
  block.row_end = cell.row + 1 < tile.values.rows() ? first_row(tile, cell.row + 1) : tile.request.row_end;
  block.column_end =
      cell.column + 1 < tile.values.cols() ? first_column(tile, cell.column + 1) : tile.request.column_end;
  return block;
}

// For several cells pooled into one: their range and the pooling.
std::string pooled_note(const UiContext& ui, const Tile& tile, const HeatmapPlan::Cell& cell,
                        const CellBlock& block) {
  const auto range = [&ui](Index begin, Index end) {
    return (end - begin == 1 ? " " : "s ") + ui.counting().range(begin, end);
  };
  const std::string pooling(pooling_table()[static_cast<std::size_t>(tile.request.pooling)].name);
  const CellMark mark = tile.mark(cell.row, cell.column);
  const std::string value =
      mark == CellMark::Masked ? label_text(language_of(ui.document.session()), LessonLabel::Masked)
      : mark == CellMark::Dropped
          ? label_text(language_of(ui.document.session()), LessonLabel::Dropped)
          : pooling + " " + number_text(tile.values(cell.row, cell.column), ui.view.picture.decimals);
  return value + "  ·  row" + range(block.row, block.row_end) + ", column" +
         range(block.column, block.column_end);
}

void handle_pointer(UiContext& ui, HeatmapCache& cache, const HeatmapCache::Entry& entry,
                    const HeatmapSpot& spot, ImVec2 origin, HeatmapResult& result) {
  const ScreenRect cells = on_screen(entry.plan.cells.rect, origin);
  const ImVec2 size = {cells.b.x - cells.a.x, cells.b.y - cells.a.y};
  if (spot.zooms && map_gestures(ui, cache.gesture(), spot.name, spot.stage, cells.a, size)) return;
  result.held = ImGui::IsItemActive();
  if (!ImGui::IsItemHovered() && !result.held) return;
  if (ImGui::IsItemClicked() && spot.moves_focus) ui.view.focused_stage = spot.stage;  // also between cells
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const HeatmapPlan::Cell cell = entry.plan.cell_at(mouse.x - origin.x, mouse.y - origin.y);
  if (cell.row < 0 || !spot.points) return;
  result.pointed = whole_block(*entry.tile, cell);
  result.head = spot.head;
  if (!ImGui::IsItemHovered()) return;
  // A head's part of the output addresses a cell of the output.
  const Index head = stage_info(spot.stage).per_head ? spot.head : 0;
  const CellAddress address = {spot.stage, ui.view.sequence, head, result.pointed.row, result.pointed.column};
  // A picture of an earlier state or of the baseline may have cells that the present model does not have.
  if (!address_exists(ui.layer(), address)) return;
  ui.view.selection.hovered.now = address;
  const bool several = result.pointed.rows() * result.pointed.columns() > 1;
  if (several && entry.source.as_it_is)
    ui.view.selection.note = pooled_note(ui, *entry.tile, cell, result.pointed);
  if (!ImGui::IsItemClicked()) return;
  ui.view.selection.cell = address;
}

// Marks a picture whose own tile has been missing for a noticeable time.
void mark_waiting(UiContext& ui, HeatmapCache::Entry& entry, const HeatmapSpot& spot, ImVec2 origin) {
  constexpr double kNoticed = 0.15;  // seconds
  const double now = ImGui::GetTime();
  if (entry.source.as_it_is) {
    entry.missing_since = -1;
    return;
  }
  if (entry.missing_since < 0) entry.missing_since = now;
  const double until_noticed = entry.missing_since + kNoticed - now;
  if (until_noticed > 0) {
    ui.wake_within(until_noticed);
    return;
  }
  ImFont* font = ui.theme.fonts.label;
  const std::string text = "updating…";
  const float pad = ui.theme.px(6), width = text_width(font, text) + 2 * pad, height = font_size(font) + pad;
  const Rect& cells = entry.plan.cells.rect;
  const float left = static_cast<float>(cells.x), top = static_cast<float>(cells.y);
  // In the corner between row and column labels if there is room, else in a corner of the cells.
  const bool beside = left >= width && top >= height;
  const bool fits =
      cells.width >= static_cast<double>(width) && cells.height >= static_cast<double>(2 * height);
  if (!beside && !fits) return;
  const ImVec2 at =
      beside ? ImVec2{origin.x + left - width, origin.y + top - height}
             : ImVec2{origin.x + left + pad, origin.y + static_cast<float>(cells.bottom()) - height - pad};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, to_imgui(ui.theme.raised, 0.9), ui.theme.px(4));
  list.AddText(font, font_size(font), {at.x + pad, at.y + pad / 2}, to_imgui(ui.theme.text), text.c_str());
  ui.probe.mark_rect(spot.name + ".updating", {at.x, at.y, width, height});
}

void note_large(HeatmapCache& cache, const HeatmapCache::Entry& entry, const HeatmapSpot& spot, ImVec2 origin,
                ImVec2 size) {
  const HeatmapPlan& plan = entry.plan;
  const Rect& cells = plan.cells.rect;
  LargePicture picture;
  picture.name = spot.name;
  picture.stage = spot.stage;
  picture.head = spot.head;
  picture.cells = {origin.x + cells.x, origin.y + cells.y, cells.width, cells.height};
  picture.cell_width = cells.width / static_cast<double>(std::max<Index>(plan.cells.columns, 1));
  picture.cell_height = cells.height / static_cast<double>(std::max<Index>(plan.cells.rows, 1));
  // The colour bar and its numbers take the width to the right of the cells.
  const double bar = plan.bars.empty() ? 0 : plan.width - cells.right();
  picture.room = {picture.cells.x, picture.cells.y,
                  std::max(cells.width, size.x - spot.overhang - cells.x - bar),
                  std::max(cells.height, size.y - cells.y)};
  picture.row_labels = plan.row_labels;
  picture.column_labels = plan.column_labels;
  picture.numbers = plan.numbers;
  cache.pictures().push_back(picture);
}

// Width that a narrow matrix does not use stays free for other items.
float used_width(const UiContext& ui, const HeatmapCache::Entry& entry, ImVec2 size) {
  const HeatmapPlan& plan = entry.plan;
  const float cells =
      static_cast<float>(plan.strips.empty() ? plan.cells.rect.right() : plan.strips.back().rect.right());
  return std::min(size.x, cells + (entry.plan.bars.empty() ? 0 : colorbar_width(ui)));
}

// Draws the picture of the previous model, with its names, until the present one has numbers. Not if the
// layer or the sequence differs, and not for pictures other than the stage itself.
void draw_earlier(UiContext& ui, HeatmapCache::Entry& entry, const HeatmapSpot& spot, ImVec2 origin) {
  const bool same_place = entry.tile && entry.layer == ui.opened_layer() &&
                          entry.tile->request.sequence == ui.view.sequence &&
                          spot.content == TileContent::Stage;
  if (!same_place) return;
  paint_plan(entry.plan, origin, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, spot.name,
             entry.version);
  entry.source.as_it_is = false;
  mark_waiting(ui, entry, spot, origin);
}

// Where the selected cell is in a large picture.
void note_pair(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
               ImVec2 origin) {
  const auto& cell = ui.view.selection.cell;
  if (!cell || !spot.zooms || !is_pair(spot.stage) || !is_pair(cell->stage)) return;
  const auto linked = linked_in_tile(ui, tile, *cell);
  if (!linked || linked->row < 0 || linked->column < 0) return;
  Rect place = plan.cell_rect(linked->row, linked->column);
  place.x += origin.x;
  place.y += origin.y;
  ui.view.selection.pair = stroke_of(place);
}

// What the cell under the pointer shows in the place of its weight, in the status bar.
void note_product(UiContext& ui, const HeatmapSpot& spot) {
  const auto& cell = ui.view.selection.hovered.now;
  const bool by_value = spot.content == TileContent::ValueWeighted;
  const bool made = by_value || spot.content == TileContent::WithoutFirst;
  if (!made || !cell || cell->stage != spot.stage || cell->head != spot.head) return;
  if (const auto number = find_number(ui, spot.content, *cell))
    ui.view.selection.note =
        number_text(*number, ui.view.picture.decimals) +
        (by_value ? ": the weight times the length of what its value adds to the output"
                  : ": the weight's share of what the row gives to all keys but the first");
}

}  // namespace

bool can_weigh_by_value(const UiContext& ui, Stage stage) {
  const FocusView view = ui.view.focus_view;
  const auto& kept = ui.view.baseline.layer;
  if (view == FocusView::Compare && kept) {
    const bool too_long = ui.answer && ui.answer->reference_storage == StorageKind::Map;
    if (too_long || !stage_exists(*kept, Stage::Values)) return false;
  }
  return stage == Stage::Weights && stage_exists(ui.layer(), Stage::Values) && !ui.shows_gradients() &&
         !is_mapped(ui) && view != FocusView::Vectors && view != FocusView::Model &&
         !shows_heads_together(ui, stage);
}

bool shows_by_value(const UiContext& ui, Stage stage) {
  return ui.view.picture.by_value && can_weigh_by_value(ui, stage) && !shows_without_first(ui, stage);
}

bool can_leave_first_out(const UiContext& ui, Stage stage) {
  return stage == Stage::Weights && ui.layer().key_count() > 1 && !ui.shows_gradients() && !is_mapped(ui) &&
         ui.view.focus_view == FocusView::Heatmap && !shows_heads_together(ui, stage);
}

bool shows_without_first(const UiContext& ui, Stage stage) {
  return ui.view.picture.without_first && can_leave_first_out(ui, stage);
}

TileContent shown_content(const UiContext& ui, Stage stage) {
  if (ui.shows_gradients()) return TileContent::Gradient;
  if (shows_without_first(ui, stage)) return TileContent::WithoutFirst;
  return shows_by_value(ui, stage) ? TileContent::ValueWeighted : TileContent::Stage;
}

std::uint64_t HeatmapCache::labels_version(const Layer& layer, Counting counting, bool kept) {
  Labels& labels = labels_[kept ? 1 : 0];
  if (labels.version == 0 || labels.tokens != layer.tokens || labels.key_tokens != layer.key_tokens ||
      labels.counting != counting)
    labels = {layer.tokens, layer.key_tokens, counting, next_version()};
  return labels.version;
}

float colorbar_width(const UiContext& ui, bool titled) {
  // The longest label that the ticks of weights have; the digits' width depends on the system's font.
  BarTick longest;
  longest.label = "0.0000";
  const double needed = bar_width({longest}, titled, ui.theme.figure, imgui_measure(ui.theme));
  return static_cast<float>(std::ceil(needed));
}

float number_width(const UiContext& ui) {
  const std::string widest = number_text(-8.0, ui.view.picture.decimals);
  const double width =
      imgui_measure(ui.theme)(widest, ui.theme.figure.number_size_px, FontFace::Number).width;
  return static_cast<float>(width);
}

HeatmapResult heatmap_view(UiContext& ui, HeatmapCache& cache, const HeatmapSpot& asked, ImVec2 size) {
  const HeatmapSpot spot = as_shown(ui, asked);
  const MapShape shape = shape_of(ui, spot);
  HeatmapCache::Entry& entry = cache.entry(spot.name);
  const bool same_size = entry.size.x == size.x && entry.size.y == size.y;
  if (!same_size) entry.most_rows = entry.most_columns = HeatmapCache::kNoLimit;
  const TileRequest request = tile_request(ui, spot, entry, shape, size);
  ui.requested.tiles.push_back(request);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = same_size ? used_width(ui, entry, size) : size.x;
  click_area(spot.name.c_str(), {width, size.y});
  const bool earlier = entry.layer_revision < ui.document.layer_revision();
  const TileChoice source = choose_tile(ui, request, shape, earlier ? nullptr : entry.source.fine);
  if (!source.fine) {
    if (earlier && same_size) draw_earlier(ui, entry, spot, origin);
    return {};
  }

  laid_out(ui, cache, spot, size, source, shape);
  limit_cells(entry);
  const Tile& tile = *entry.tile;
  HeatmapResult result;
  const bool hovered = ImGui::IsItemHovered();
  result.double_clicked = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  handle_pointer(ui, cache, entry, spot, origin, result);
  note_product(ui, spot);
  const auto pointed =
      ui.view.selection.hovered.last ? ui.view.selection.hovered.last : ui.view.selection.cell;
  const auto linked = pointed && spot.points ? linked_in_tile(ui, tile, *pointed) : std::nullopt;
  if (linked) draw_label_bands(ui, entry.plan, *linked, origin, spot);
  paint_plan(entry.plan, origin, *ImGui::GetWindowDrawList(), ui.theme, ui.textures, spot.name,
             entry.version);
  entry.sweep.draw(ui, entry.plan, origin);
  entry.origin = origin;
  entry.glow.draw(ui, entry.plan, origin);
  if (spot.points) spotlight_cells(ui, spot, tile, entry.plan, origin);
  if (spot.points && ui.view.selection.cell && ui.view.selection.hovered.last &&
      *ui.view.selection.cell != *ui.view.selection.hovered.last)
    if (const auto selected = linked_in_tile(ui, tile, *ui.view.selection.cell))
      if (ui.view.selection.cell->stage == spot.stage) outline_cells(ui, entry.plan, *selected, origin, 0.55);
  for (const PlannedBar& bar : entry.plan.bars)
    range_bar(ui, spot.name, range_key(ui, spot), bar, {entry.range, entry.ghost}, origin);
  const Mark mark = is_of_baseline(spot.content) ? Mark::Kept : Mark::Selected;
  if (linked) outline_cells(ui, entry.plan, *linked, origin, 1.0, mark);
  if (spot.lit) outline_cells(ui, entry.plan, *spot.lit, origin, 1.0);
  if (spot.labels && spot.points) draw_goal(ui, tile, entry.plan, origin);
  mark_waiting(ui, entry, spot, origin);
  note_pair(ui, spot, tile, entry.plan, origin);
  if (spot.zooms) {
    map_menu(ui, spot.name, hovered);
    ui.view.picture.numbered |= entry.plan.numbers;
    note_large(cache, entry, spot, origin, size);
  }

  const Rect& cells = entry.plan.cells.rect;
  ui.probe.mark_rect(spot.name, {origin.x + cells.x, origin.y + cells.y, cells.width, cells.height},
                     std::to_string(tile.total_rows) + " x " + std::to_string(tile.total_columns));
  result.laid = {cells, entry.plan.detail};
  return result;
}

}  // namespace headlight
