#include "app/ui/views/head_thumbs.h"

#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/views/head_captions.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kThumb = 72, kColumn = 180, kColumnGap = 12;  // planned pixels

// The measure of a head beside its small picture.
void draw_measure(UiContext& ui, Index head, ImVec2 at, float width) {
  const HeadMeasure measure = ui.view.heads.sorting.by.value_or(HeadMeasure::Entropy);
  const MeasuredHeadValue measured = request_measure(ui, head, measure);
  if (!measured.known) return;
  const std::string text = measure_text(measure, measured.value, ui.percent());
  ImFont* font = ui.theme.fonts.label;
  fitted_text(font, at, width, ui.theme.text, text);
  const std::string label =
      measure == HeadMeasure::LikePicture ? picture_text(ui) : std::string(head_measure_info(measure).label);
  fitted_text(font, {at.x, at.y + font_size(font) + ui.theme.px(4)}, width, ui.theme.quiet_text, label);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, 2 * font_size(font) + ui.theme.px(4)});
  tooltip(ui, label + ": " + text);
}

struct ThumbEvents {
  bool hovered = false, chosen = false;
};

// The head's name and switches, and below them the picture with the measure beside it.
ThumbEvents draw_thumb(UiContext& ui, HeatmapCache& cache, Stage stage, Index head, bool large, ImVec2 at,
                       float width) {
  const float caption = font_size(ui.theme.fonts.label) + ui.theme.px(8), side = ui.theme.px(kThumb);
  const bool own_switches =
      stage_info(stage).heads != StageHeads::Keys || ui.layer().kv_head_count() == ui.layer().head_count();
  if (own_switches)
    head_switches(ui, head, at, width);
  else
    fitted_text(ui.theme.fonts.label, at, width, ui.theme.quiet_text, "kv head " + head_number(ui, head));
  HeatmapSpot spot;
  spot.stage = stage;
  spot.head = head;
  spot.off = is_head_off(ui.layer(), stage, head);
  spot.points = spot.moves_focus = false;
  spot.name = "thumb." + std::string(stage_info(stage).name) + ".h" + std::to_string(head);
  const ImVec2 picture = {at.x, at.y + caption};
  ImGui::SetCursorScreenPos(picture);
  heatmap_view(ui, cache, spot, {side, side});
  const ThumbEvents events = {ImGui::IsItemHovered(), ImGui::IsItemActivated()};
  ui.probe.mark("thumb.h" + std::to_string(head), large ? "large" : "");
  tooltip(ui, head_name(head, ui.counting()) + ": a click draws it large");
  if (large || events.hovered) {
    const float edge = ui.theme.px(2);
    ImGui::GetWindowDrawList()->AddRect(
        {picture.x - edge, picture.y - edge}, {picture.x + side + edge, picture.y + side + edge},
        to_imgui(large ? ui.theme.text : ui.theme.quiet_text), ui.theme.px(3), 0, ui.theme.px(1.5f));
  }
  const float beside = picture.x + side + ui.theme.px(8);
  draw_measure(ui, head, {beside, picture.y + ui.theme.px(4)}, at.x + width - beside);
  return events;
}

// The keys 1 to 9 choose heads from the top of the column.
std::optional<std::size_t> pressed_place(const UiContext& ui) {
  if (ui.view.selection.input || ImGui::GetIO().WantTextInput || ImGui::IsAnyItemActive())
    return std::nullopt;
  if (ctrl_held() || ImGui::GetIO().KeyAlt) return std::nullopt;
  constexpr int kFirst = static_cast<int>(Key::Num1), kLast = static_cast<int>(Key::Num9);
  for (int key = kFirst; key <= kLast; ++key)
    if (key_pressed(static_cast<Key>(key))) return static_cast<std::size_t>(key - kFirst);
  return std::nullopt;
}

}  // namespace

float thumbs_width(const UiContext& ui) {
  return ui.theme.px(kColumn + kColumnGap);
}

Index large_head(UiContext& ui, Stage stage) {
  ViewState& view = ui.view;
  if (view.selection.cell != view.heads.large_of && view.selection.cell &&
      stage_info(view.selection.cell->stage).per_head &&
      stage_info(view.selection.cell->stage).heads != StageHeads::Keys)
    view.heads.large = view.selection.cell->head;
  view.heads.large_of = view.selection.cell;
  return std::min(stage_head(ui.layer(), stage, view.heads.large), stage_heads(ui.layer(), stage) - 1);
}

Index draw_thumbs(UiContext& ui, HeatmapCache& cache, Stage stage, const std::vector<Index>& heads,
                  const Area& area) {
  const float pad = ui.theme.px(4), bar = ImGui::GetStyle().ScrollbarSize;
  const float width = ui.theme.px(kColumn) - bar - 2 * pad;
  const float pitch = font_size(ui.theme.fonts.label) + ui.theme.px(8 + kThumb + 12);
  const Index large = large_head(ui, stage);
  Index shown = large;
  const auto choose = [&](Index head) {
    ui.view.heads.large = head * (ui.layer().head_count() / stage_heads(ui.layer(), stage));
  };
  const auto place = pressed_place(ui);
  if (place && *place < heads.size()) choose(heads[*place]);
  ImGui::SetCursorScreenPos({area.end().x - ui.theme.px(kColumn), area.at.y});
  begin_child("thumbs", {ui.theme.px(kColumn), area.size.y}, false, ImGuiWindowFlags_NoBackground);
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const ImVec2 at = {begin.x + pad, begin.y + pad + static_cast<float>(i) * pitch};
    // Heads scrolled out of view request nothing.
    if (!ImGui::IsRectVisible(at, {at.x + width, at.y + pitch})) continue;
    const ThumbEvents events = draw_thumb(ui, cache, stage, heads[i], heads[i] == large, at, width);
    if (events.hovered) shown = heads[i];
    if (events.chosen) choose(heads[i]);
  }
  ImGui::SetCursorScreenPos({begin.x, begin.y + pad});
  ImGui::Dummy({width, static_cast<float>(heads.size()) * pitch});
  ImGui::EndChild();
  return shown;
}

}  // namespace headlight
