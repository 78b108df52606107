// The presenter's view: only the step's text and the picture, in large type.
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// The keys of remote controls, and their equivalents on a keyboard.
void presenter_keys(UiContext& ui, WorkbenchState& state) {
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel) ||
      ImGui::IsAnyItemActive())
    return;
  if (key_pressed(Key::PageDown) || key_pressed(Key::Space)) go_by_steps(ui, state.lesson.guide, 1);
  if (key_pressed(Key::PageUp)) go_by_steps(ui, state.lesson.guide, -1);
  if (key_pressed(Key::Escape) && !close_on_escape(ui, state.stages.motion)) state.presenting = false;
}

}  // namespace

void presenter(UiContext& ui, WorkbenchState& state, ImVec2 window) {
  constexpr float kWordsOfWidth = 0.34f;
  const LessonStep* const step = shown_step(ui, state.lesson.guide);
  state.stages.presented = PresentedView{step ? step->head : std::nullopt};
  const float gap = ui.theme.px(12), pad = ui.theme.px(12);
  const float height = window.y - 2 * gap;
  float words = 0;
  if (has_lesson_panel(ui, state.lesson)) {
    words = std::floor(window.x * kWordsOfWidth);
    ImGui::SetCursorScreenPos({gap + pad, gap + pad});
    begin_child("lesson", {words - 2 * pad, height - 2 * pad}, false, ImGuiWindowFlags_NoBackground);
    lesson_panel(ui, state.lesson, plan_lesson_panel(ui, state.lesson, words - 2 * pad), height - 2 * pad);
    ImGui::EndChild();
    words += gap;
  }
  ImGui::SetCursorScreenPos({gap + words, gap});
  begin_child(
      "stages", {window.x - words - 2 * gap, height}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  stages_panel(ui, state.stages);
  ImGui::EndChild();
  presenter_keys(ui, state);
}

}  // namespace headlight
