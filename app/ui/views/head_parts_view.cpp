#include "app/ui/views/head_parts_view.h"

#include <algorithm>
#include <cmath>

#include "app/ui/context/shown_heads.h"

namespace headlight {
namespace {

struct PartPicture {
  std::string name, caption;
  Index head = 0;
  TileContent content = TileContent::HeadPart;
};

std::vector<PartPicture> pictures(const UiContext& ui) {
  const bool bias = ui.layer().uses(Parameter::Output) && ui.layer().uses_bias(Parameter::Output);
  std::vector<PartPicture> all = {
      {"focus.output.h0", bias ? "output = Σ heads + bias" : "output = Σ heads", 0, TileContent::Stage}};
  for (Index head = 0; head < ui.layer().head_count(); ++head) {
    if (ui.view.head && *ui.view.head != head) continue;
    const bool on = ui.layer().attention.head_enabled(head);
    const std::string number = std::to_string(head);
    all.push_back({"focus.output.part" + number,
                   head_name(head, ui.counting()) + (on ? " adds" : ", switched off"), head});
  }
  return all;
}

// The values of the sum and all its parts, which share one colour range so that they can be compared.
ValueRange values_of_all(const UiContext& ui) {
  ValueRange range;
  bool stale = false;
  if (const auto sum = find_tile(ui, Stage::Output, 0, stale)) range = sum->range;
  for (Index head = 0; head < ui.layer().head_count(); ++head)
    if (const auto part = find_tile(ui, Stage::Output, head, stale, TileContent::HeadPart))
      range = joined(range, part->range);
  return range;
}

}  // namespace

void draw_by_head(UiContext& ui, HeatmapCache& cache, const Area& area) {
  const std::vector<PartPicture> all = pictures(ui);
  const ValueRange values = values_of_all(ui);
  const StageColors colors = picture_colors(ui.view.picture.colors_of(Stage::Output), Stage::Output, values);
  const ColorRange range = color_range({values, {}}, colors, Stage::Output);
  const int count = static_cast<int>(all.size());
  const float gap = ui.theme.px(12), caption = font_size(ui.theme.fonts.label) + ui.theme.px(4);
  const float bar = ui.theme.px(46);  // beside the last picture of a row, for all of them
  const int columns =
      best_columns(count, area.size.x - bar, area.size.y, gap, picture_aspect(ui.layer(), Stage::Output));
  const int rows = (count + columns - 1) / columns;
  const auto share = [&](float room, int parts) {
    return std::floor((room - gap * static_cast<float>(parts - 1)) / static_cast<float>(parts));
  };
  const ImVec2 cell = {share(area.size.x - bar, columns), share(area.size.y, rows)};
  // The last picture is laid out first: the others take the size of its cells.
  HeatmapSpot::Like last;
  for (int i = count - 1; i >= 0; --i) {
    const PartPicture& picture = all[static_cast<std::size_t>(i)];
    const int row = i / columns, column = i % columns;
    const ImVec2 at = {area.at.x + static_cast<float>(column) * (cell.x + gap),
                       area.at.y + static_cast<float>(row) * (cell.y + gap)};
    const bool ends_row = column == columns - 1 || i == count - 1;
    fitted_text(ui.theme.fonts.label, at, cell.x, ui.theme.quiet_text, picture.caption);
    HeatmapSpot spot;
    spot.stage = Stage::Output;
    spot.head = picture.head;
    spot.off = picture.content == TileContent::HeadPart && !ui.layer().attention.head_enabled(picture.head);
    spot.content = picture.content;
    spot.range = range;
    spot.colors = colors;
    spot.moves_focus = false;
    spot.zooms = true;
    spot.labels = cell.x >= ui.theme.px(160) && cell.y >= ui.theme.px(150);
    spot.colorbar = ends_row;
    spot.name = picture.name;
    spot.like = last;
    ImGui::SetCursorScreenPos({at.x, at.y + caption});
    const HeatmapResult result =
        heatmap_view(ui, cache, spot, {cell.x + (ends_row ? bar : 0), cell.y - caption});
    if (i == count - 1) last = result.laid;
  }
}

}  // namespace headlight
