#include "app/ui/views/dropout_view.h"

#include <algorithm>
#include <cmath>

#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/heads_plan.h"
#include "app/ui/views/head_thumbs.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

struct DropoutPicture {
  const char* name;  // appended to "focus.dropped.h0"
  std::string caption;
  Stage stage = Stage::Dropped;
  TileContent content = TileContent::Stage;
  StageColors colors;
  ColorRange range;
};

// Before, after and mean share the range of "dropped", so that they can be compared.
ColorRange weights_range(const UiContext& ui, Index head) {
  const StageColors& colors = ui.view.picture.colors_of(Stage::Dropped);
  const auto only_head = colors.shared ? std::nullopt : std::optional<Index>(head);
  return color_range(joined(shown_numbers(ui, Stage::Weights, only_head, colors),
                            shown_numbers(ui, Stage::Dropped, only_head, colors)),
                     colors, Stage::Dropped);
}

ColorRange noise_range(const Dropout& dropout) {
  const bool finite = dropout.active() && dropout.probability < 1;
  return {0, finite ? 1 / (1 - dropout.probability) : 1};
}

// The largest distance of the mean from the weights; nullopt while one of them is pooled or missing.
std::optional<float> distance_from_weights(const UiContext& ui, const Tile& mean) {
  bool stale = false;
  const auto weights = find_tile(ui, Stage::Weights, mean.request.head, stale);
  if (!weights || weights->pooled || mean.pooled) return std::nullopt;
  const TileRequest &a = weights->request, &b = mean.request;
  const bool same_part = a.row_begin == b.row_begin && a.row_end == b.row_end &&
                         a.column_begin == b.column_begin && a.column_end == b.column_end;
  if (!same_part) return std::nullopt;
  return (weights->values - mean.values).cwiseAbs().maxCoeff();
}

std::string mean_caption(const UiContext& ui, const Tile* mean) {
  if (!mean) return "mean";
  std::string text = "mean of " + std::to_string(mean->draws) + (mean->draws == 1 ? " draw" : " draws");
  const auto distance = distance_from_weights(ui, *mean);
  if (distance && std::isfinite(*distance))
    text += ", off by ≤ " + number_text(std::ceil(double{*distance} * 1000) / 1000, 3);
  return text;
}

std::vector<DropoutPicture> pictures(const UiContext& ui, const DropoutPlay& play, Index head) {
  const StageColors& colors = ui.view.picture.colors_of(Stage::Dropped);
  const ColorRange weights = weights_range(ui, head);
  const Dropout& dropout = ui.layer().attention.dropout;
  const bool idle = !dropout.active();
  std::vector<DropoutPicture> all = {
      {".before", "before: weights", Stage::Weights, TileContent::Stage, colors, weights},
      {".noise",
       idle ? "noise: none, × 1" : "noise: 0 or 1/(1−p)",
       Stage::Dropped,
       TileContent::Noise,
       {},
       noise_range(dropout)},
      {"", "after: dropped", Stage::Dropped, TileContent::Stage, colors, weights}};
  if (play.draws == 0 || idle) return all;
  bool stale = false;
  const auto mean = find_tile(ui, Stage::Dropped, head, stale, TileContent::MeanDropped);
  all.push_back(
      {".mean", mean_caption(ui, mean.get()), Stage::Dropped, TileContent::MeanDropped, colors, weights});
  return all;
}

// The mean in the cell under the pointer: the derivation describes only the current draw.
std::optional<std::string> pointed_mean(UiContext& ui, const DropoutPicture& picture,
                                        const HeatmapResult& result) {
  const CellBlock& cell = result.pointed;
  bool stale = false;
  const auto mean = picture.content == TileContent::MeanDropped
                        ? find_tile(ui, Stage::Dropped, result.head, stale, TileContent::MeanDropped)
                        : nullptr;
  if (!mean || mean->pooled || cell.rows() != 1 || cell.columns() != 1) return std::nullopt;
  const Index row = cell.row - mean->request.row_begin, column = cell.column - mean->request.column_begin;
  if (row < 0 || row >= mean->values.rows() || column < 0 || column >= mean->values.cols())
    return std::nullopt;
  const std::string value = number_text(mean->values(row, column), ui.view.picture.decimals);
  ui.view.selection.note = "mean of " + std::to_string(mean->draws) + " draws: " + value;
  return "mean " + value + " here";
}

// The first picture of a row has the row labels, and the last one the colour bar that it shares with the
// others.
DropoutRoom dropout_room(const UiContext& ui, const Area& area, int count, float gap) {
  DropoutRoom room;
  room.area = area;
  room.count = count;
  room.gap = gap;
  room.caption = font_size(ui.theme.fonts.label) + ui.theme.px(4);
  room.labels = area.size.x >= ui.theme.px(400) && area.size.y >= ui.theme.px(120);
  if (!room.labels) return room;
  room.gutter = ui.theme.px(56);
  room.bar = colorbar_width(ui, false);
  room.header = ui.theme.px(56);
  return room;
}

// The pictures of one head.
void draw_pictures(UiContext& ui, HeatmapCache& cache, const DropoutPlay& play, Index head, const Area& area,
                   float gap) {
  const std::vector<DropoutPicture> all = pictures(ui, play, head);
  const int count = static_cast<int>(all.size());
  const DropoutRoom room = dropout_room(ui, area, count, gap);
  const DropoutPlan layout = plan_dropout(room);
  const bool several = ui.layer().head_count() > 1;
  HeatmapSpot::Like first_laid;
  for (int i = 0; i < count; ++i) {
    const DropoutPicture& picture = all[static_cast<std::size_t>(i)];
    HeatmapSpot spot;
    spot.stage = picture.stage;
    spot.head = head;
    spot.off = is_head_off(ui.layer(), picture.stage, head);
    spot.content = picture.content;
    spot.draws = picture.content == TileContent::MeanDropped ? play.draws : 0;
    spot.colors = picture.colors;
    spot.range = picture.range;
    spot.moves_focus = false;
    spot.zooms = true;
    const bool first = i % layout.across == 0, last = i == count - 1;
    const ImVec2 at = layout.at(room, i);
    // Slanted labels of the last column may extend into the gap.
    const ImVec2 size = {layout.cells.x + (first ? room.gutter : gap) + (last ? room.bar : 0),
                         layout.cells.y};
    spot.labels = room.labels;
    spot.row_labels = first;
    spot.colorbar = room.labels && last;
    if (i > 0) spot.like = first_laid;
    spot.name = "focus.dropped.h" + std::to_string(head) + picture.name;
    ImGui::SetCursorScreenPos({at.x, at.y + room.caption});
    const HeatmapResult result = heatmap_view(ui, cache, spot, size);
    const std::string text = pointed_mean(ui, picture, result).value_or(picture.caption);
    fitted_text(ui.theme.fonts.label, at, size.x, ui.theme.quiet_text,
                (several && i == 0 ? head_name(head, ui.counting()) + ", " : std::string()) + text);
    ui.probe.mark_rect(spot.name + ".caption", {at.x, at.y, size.x, room.caption}, text);
    if (i == 0) first_laid = result.laid;
  }
}

std::optional<Index> arrived_draws(const UiContext& ui, const DropoutPlay& play, Index head) {
  bool stale = false;
  const auto mean = find_tile(ui, Stage::Dropped, head, stale, TileContent::MeanDropped);
  if (!mean || mean->request.draws != play.draws) return std::nullopt;
  return mean->draws;
}

}  // namespace

void draw_dropout(UiContext& ui, HeatmapCache& cache, DropoutPlay& play, const Area& whole) {
  Area area = {whole.at, {whole.size.x, whole.size.y - legend_below(ui, Stage::Dropped, whole)}};
  std::vector<Index> heads = shown_heads(ui, Stage::Dropped);
  constexpr std::size_t kMostRows = 4;
  if (heads.size() > kMostRows) {
    ui.view.heads.one_large = true;
    heads = {draw_thumbs(ui, cache, Stage::Dropped, heads, area)};
    area.size.x -= thumbs_width(ui);
  }
  if (play.playing) ui.view.picture.held_ranges.hold(ImGui::GetTime());
  continue_playing(ui, play, arrived_draws(ui, play, heads.front()));
  const int count = static_cast<int>(heads.size());
  const float gap = ui.theme.px(12), wide = play.draws > 0 ? 4.0f : 3.0f;
  const int columns = best_columns(count, area.size.x, area.size.y, 2 * gap, wide);
  const int rows = (count + columns - 1) / columns;
  const auto share = [](float room, float between, int parts) {
    return std::floor((room - between * static_cast<float>(parts - 1)) / static_cast<float>(parts));
  };
  const ImVec2 cell = {share(area.size.x, 2 * gap, columns), share(area.size.y, gap, rows)};
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    const ImVec2 at = {area.at.x + static_cast<float>(column) * (cell.x + 2 * gap),
                       area.at.y + static_cast<float>(row) * (cell.y + gap)};
    draw_pictures(ui, cache, play, heads[static_cast<std::size_t>(i)], {at, cell}, gap);
  }
}

}  // namespace headlight
