#include "app/ui/inputs/token_names.h"

#include <algorithm>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

void name_field(UiContext& ui, TokenNamesState& state, bool of_keys, Index row) {
  const std::vector<std::string>& labels = of_keys ? ui.layer().key_labels() : ui.layer().tokens;
  const std::string label = text_head(labels[static_cast<std::size_t>(row)], kMostLabel);
  std::string shown = state.typing == row ? state.typed : label;
  const float numbers =
      text_width(ui.theme.fonts.label, ui.counting().number(static_cast<Index>(labels.size())));
  ImGui::AlignTextToFramePadding();
  const float left = ImGui::GetCursorPosX();
  quiet_text(ui, ui.counting().number(row));
  ImGui::SameLine(left + numbers + ui.theme.px(8));
  ImGui::SetNextItemWidth(-1);
  text_entry(ui, "inputs.token[" + std::to_string(row) + "].name", shown, kMostLabel);
  ui.probe.mark("inputs.token[" + std::to_string(row) + "]", shown);
  if (ImGui::IsItemActive()) {
    state.typing = row;
    state.typed = shown;
  } else if (state.typing == row) {
    state.typing.reset();
    if (shown != label && !key_pressed(Key::Escape)) ui.send(RenameToken{row, shown, of_keys});
  }
}

}  // namespace

float token_names_height(Index count) {
  return static_cast<float>(count) * ImGui::GetFrameHeightWithSpacing();
}

void token_names(UiContext& ui, TokenNamesState& state, bool of_keys, float max_height_px) {
  const Index count = of_keys ? ui.layer().key_count() : ui.layer().token_count();
  const float height = std::min(max_height_px, token_names_height(count));
  if (begin_child("##inputs.names", {0, height}, false, ImGuiWindowFlags_NoBackground)) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(count), ImGui::GetFrameHeightWithSpacing());
    while (clipper.Step())
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
        ImGui::PushID(row);
        name_field(ui, state, of_keys, row);
        ImGui::PopID();
      }
  }
  ImGui::EndChild();
}

}  // namespace headlight
