#include "app/ui/views/stages_panel.h"

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/views/stage_parts.h"

namespace headlight {

void stages_panel(UiContext& ui, StagesPanelState& state, const Area& all) {
  state.cache.pictures().clear();
  follow_selection(ui, state.followed);
  const bool closed = close_on_escape(ui, state.motion);
  follow_motion(ui, state.motion);
  // Escape in an active item only ends its editing.
  const bool active = ImGui::IsAnyItemActive();
  const bool nothing_else =
      !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) && !active && !state.was_active;
  state.was_active = active;
  if (key_pressed(Key::Escape) && nothing_else && !closed) {
    if (ui.view.opened_stage)
      ui.view.opened_stage.reset();
    else
      ui.view.selection.cell.reset();
  }
  draw_focus(ui, state, ui.view.opened_stage.value_or(ui.view.focused_stage), all,
             ui.view.opened_stage.has_value());
}

void stages_panel(UiContext& ui, StagesPanelState& state) {
  stages_panel(ui, state, {ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail()});
}

}  // namespace headlight
