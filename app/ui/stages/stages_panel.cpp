#include "app/ui/stages/stages_panel.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/stages/stage_parts.h"

namespace headlight {
namespace {

constexpr std::size_t kMostInRow = 4;  // cards

void draw_pipeline(UiContext& ui, StagesPanelState& state, const Area& area) {
  const float gap = ui.theme.px(8);
  const std::vector<Stage> stages = stages_in_use(ui.model());
  const int count = static_cast<int>(stages.size());
  const bool low = area.size.x >= ui.theme.px(940) && area.size.y < ui.theme.px(480);
  const int columns = std::min(
      count, low && count > static_cast<int>(kMostInRow) ? (count + 1) / 2 : static_cast<int>(kMostInRow));
  const int rows = (count + columns - 1) / columns;
  const ImVec2 cell = {
      std::floor((area.size.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
      std::floor((area.size.y - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows))};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    draw_card(ui, state, stages[i],
              {{area.at.x + static_cast<float>(column) * (cell.x + gap),
                area.at.y + static_cast<float>(row) * (cell.y + gap)},
               cell});
  }
}

}  // namespace

void stages_panel(UiContext& ui, StagesPanelState& state) {
  const Area all = {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()};
  follow_selection(ui, state.followed);
  if (all.size.y < ui.theme.px(440) || all.size.x < ui.theme.px(440)) {
    small_stages(ui, state, all);
    return;
  }
  if (ui.view.opened_stage) {
    if (key_pressed(Key::Escape) && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) &&
        !ImGui::IsAnyItemActive()) {
      ui.view.opened_stage.reset();
    } else {
      draw_focus(ui, state, *ui.view.opened_stage, all, true);
      return;
    }
  }
  const float edge = ui.theme.px(8);
  // Few stages, as of saved attention, are one row of cards: the large picture has more room then.
  const bool one_row = stages_in_use(ui.model()).size() <= kMostInRow;
  const float whole = all.size.y * (one_row ? 0.6f : 1.0f);
  const float share = std::floor(whole * state.pipeline_share);
  float pipeline = share;
  draw_pipeline(ui, state, {all.at, {all.size.x, pipeline}});
  ImGui::SetCursorScreenPos({all.at.x, all.at.y + pipeline});
  const float least = std::min(ui.theme.px(one_row ? 144 : 240), all.size.y * 0.5f);
  splitter(ui, "stages.splitter", false, all.size.x, pipeline, least, all.size.y * 0.75f);
  if (ImGui::IsItemActive() && pipeline != share) state.pipeline_share = pipeline / std::max(whole, 1.0f);
  draw_focus(ui, state, ui.view.focused_stage,
             {{all.at.x, all.at.y + pipeline + edge}, {all.size.x, all.size.y - pipeline - edge}}, false);
}

}  // namespace headlight
