// The presenter's view: only the step's text and the picture, in large type.
#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/picture_guess.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// A dark screen, for what is said without a picture. Any other key or a click ends it, and does nothing else.
void darken(UiContext& ui, WorkbenchState& state, ImVec2 window) {
  ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, window, IM_COL32_BLACK);
  ui.probe.mark_rect("presenter.dark", {0, 0, window.x, window.y});
  for (const Key key :
       {Key::B, Key::Period, Key::P, Key::Enter, Key::Space, Key::PageDown, Key::PageUp, Key::Escape})
    if (key_pressed(key)) state.dark = false;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.dark = false;
}

// The keys of remote controls, and their equivalents on a keyboard. Where a ring is around a control, Space
// and Enter press that control and nothing else.
void presenter_keys(UiContext& ui, WorkbenchState& state) {
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel) ||
      ImGui::IsAnyItemActive() || ImGui::GetIO().WantTextInput || ctrl_held() || alt_held())
    return;
  const bool ring = state.focus.shown;
  if (key_pressed(Key::PageDown) || (!ring && key_pressed(Key::Space)))
    go_by_steps(ui, state.lesson.guide, 1);
  if (key_pressed(Key::PageUp)) go_by_steps(ui, state.lesson.guide, -1);
  if (key_pressed(Key::P) || (!ring && key_pressed(Key::Enter))) play_or_pause(ui, state.stages.motion);
  if (key_pressed(Key::B) || key_pressed(Key::Period)) state.dark = true;
  if (key_pressed(Key::Escape) && !close_on_escape(ui, state.stages.motion)) end_presenting(state);
}

}  // namespace

float presented_type(float width) {
  constexpr float kLegible = 1.5f, kWidth = 1280, kLeast = 1.2f;
  return std::clamp(kLegible * width / kWidth, kLeast, kLegible);
}

void begin_presenting(WorkbenchState& state) {
  state.presenting = true;
  state.focus.shown = false;
  state.lesson.guide.read.clear();  // the text is shown from its beginning
  state.lesson.guide.shows_end = false;
}

void end_presenting(WorkbenchState& state) {
  state.presenting = state.dark = false;
}

void presenter(UiContext& ui, WorkbenchState& state, ImVec2 window) {
  constexpr float kWordsOfWidth = 0.34f;
  const LessonStep* const step = shown_step(ui, state.lesson.guide);
  state.stages.presented = PresentedView{step ? step->head : std::nullopt};
  if (state.dark) return darken(ui, state, window);
  const float gap = ui.theme.px(12);
  float words = 0;
  if (has_lesson_panel(ui, state.lesson)) {
    words = std::floor(window.x * kWordsOfWidth);
    presented_column(ui, state, {0, 0, words, window.y});
  }
  const float width = window.x - words - 2 * gap;
  const float top = presented_chip(ui, state, {gap + words, gap}, width);
  ImGui::SetCursorScreenPos({gap + words, top});
  begin_child(
      "stages", {width, window.y - gap - top}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  stages_panel(ui, state.stages);
  ImGui::EndChild();
  guess_in_picture(ui, state.lesson.guide, state.stages.cache);
  presenter_keys(ui, state);
}

}  // namespace headlight
