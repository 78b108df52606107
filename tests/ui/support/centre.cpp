#include "tests/ui/support/centre.h"

#include <imgui.h>

#include "app/platform/imgui_compat.h"

namespace headlight_test {

void centre_panel(headlight::UiContext& ui, headlight::WorkbenchState& state) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float height = headlight::pipeline_height(ui, state.strip, room), gap = ui.theme.px(8);
  headlight::begin_child("strip", {room.x, height}, false, ImGuiWindowFlags_NoScrollbar);
  headlight::pipeline_panel(ui, state.strip, at, {room.x, height});
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({at.x, at.y + height + gap});
  headlight::begin_child("stages", {room.x, room.y - height - gap}, false, ImGuiWindowFlags_NoScrollbar);
  headlight::stages_panel(ui, state.stages);
  ImGui::EndChild();
}

CentrePanel::CentrePanel(headlight::Session session, ImVec2 size)
    : fixture(
          std::move(session), [this](headlight::UiContext& ui) { centre_panel(ui, state); }, size) {
  robot().frames(4);
}

}  // namespace headlight_test
