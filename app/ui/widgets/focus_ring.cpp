#include "app/ui/widgets/focus_ring.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/platform/imgui_compat.h"

namespace headlight {
namespace {

std::vector<ProbedWidget> controls_in_reach(const Probe& probe) {
  std::vector<ProbedWidget> controls;
  for (const ProbedWidget& widget : probe.controls()) {
    const bool reached = widget.in_sight || scrolls(widget.window);
    if (reached && widget.enabled && widget.popup_level == open_popups()) controls.push_back(widget);
  }
  return controls;
}

using Controls = std::vector<ProbedWidget>;

Controls::const_iterator control_at(const Controls& controls, const FocusRing& ring) {
  return std::find_if(controls.begin(), controls.end(),
                      [&ring](const ProbedWidget& control) { return control.name == ring.at; });
}

ImVec2 at(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

// A mouse click hides the ring, and the next Tab continues from the clicked control.
void follow_mouse(const Controls& controls, FocusRing& ring) {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  ring.shown = false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const ProbedWidget& control : controls)
    if (control.in_sight && control.rect.x <= mouse.x && mouse.x < control.rect.right() &&
        control.rect.y <= mouse.y && mouse.y < control.rect.bottom())
      ring.at = control.name;
}

// The first control that a question waits for, if the ring is not shown and nothing but the lesson was used
// last.
Controls::const_iterator asked_control(const UiContext& ui, const Controls& controls, const FocusRing& ring) {
  const std::string_view asked = ui.view.keyboard.asked;
  const bool used = control_at(controls, ring) != controls.end() && !ring.at.starts_with("lesson.");
  if (asked.empty() || ring.shown || used) return controls.end();
  return std::find_if(controls.begin(), controls.end(),
                      [&](const ProbedWidget& control) { return control.name.starts_with(asked); });
}

void go_on(const UiContext& ui, const Controls& controls, FocusRing& ring) {
  cancel_tabbing();
  const auto here = control_at(controls, ring);
  const std::size_t count = controls.size();
  const auto index = static_cast<std::size_t>(here - controls.begin());
  const bool back = shift_held();
  std::size_t next = back ? count - 1 : 0;
  if (here != controls.end()) next = (index + (back ? count - 1 : 1)) % count;
  if (const auto asked = asked_control(ui, controls, ring); asked != controls.end())
    next = static_cast<std::size_t>(asked - controls.begin());
  ring.at = controls[next].name;
  ring.shown = true;
  if (controls[next].in_sight) return;
  const Rect& rect = controls[next].rect;
  scroll_to(controls[next].window, at(rect.x, rect.y), at(rect.right(), rect.bottom()));
}

void draw_ring(const UiContext& ui, const ProbedWidget& control) {
  const Rect& rect = control.rect;
  const auto beyond = static_cast<double>(ui.theme.px(1));
  ImGui::GetForegroundDrawList()->AddRect(at(rect.x - beyond, rect.y - beyond),
                                          at(rect.right() + beyond, rect.bottom() + beyond),
                                          to_imgui(ui.theme.primary), ui.theme.px(6), 0, ui.theme.px(2));
  ui.probe.mark_over("focus.ring", rect, control.name);
}

}  // namespace

void follow_focus(UiContext& ui, FocusRing& ring) {
  const Controls controls = controls_in_reach(ui.probe);
  follow_mouse(controls, ring);
  if (controls.empty()) return;
  for (const ProbedWidget& control : controls)
    if (is_item_active(control.item) && ImGui::GetIO().WantTextInput) ring.at = control.name;
  const bool grid = ui.view.selection.input && open_popups() == 0;
  const bool free = !grid && !ImGui::IsAnyItemActive() && !ImGui::GetIO().WantTextInput;
  if (free && !ctrl_held() && !alt_held() && key_pressed(Key::Tab, true)) go_on(ui, controls, ring);
  if (const std::string next = std::exchange(ui.view.keyboard.next, ""); ring.shown && !next.empty())
    ring.at = next;
  if (key_pressed(Key::Escape)) ring.shown = false;
  ui.view.keyboard.at = ring.shown ? ring.at : "";
  const auto here = control_at(controls, ring);
  if (!ring.shown || !free || here == controls.end() || !here->in_sight) return;
  const bool enter = open_popups() == 0 && key_pressed(Key::Enter);
  if (enter || key_pressed(Key::Space)) activate_item(here->item);
  draw_ring(ui, *here);
}

}  // namespace headlight
