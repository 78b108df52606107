#include "app/ui/main_window/derivation_card.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kCardPad = 12;  // planned pixels

ImVec2 point(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

bool close_icon(UiContext& ui, ImVec2 at, float size) {
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area("card.close", {size, size});
  ui.probe.mark("card.close");
  tooltip(ui, "Close: Escape");
  const ImU32 color = to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text);
  const float r = size * 0.28f, line = std::max(1.0f, ui.theme.px(1.5f));
  const ImVec2 m = {at.x + size / 2, at.y + size / 2};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({m.x - r, m.y - r}, {m.x + r, m.y + r}, color, line);
  list.AddLine({m.x - r, m.y + r}, {m.x + r, m.y - r}, color, line);
  return pressed;
}

// A link that runs an action; its right end is at `right`. Returns its width.
float action_link(UiContext& ui, WorkbenchState& state, const char* id, const char* name, float right,
                  float y) {
  const ActionEntry& action = action_entry(id);
  const std::string label(action.name);
  ImFont* const font = ui.theme.fonts.label;
  const float width = text_width(font, label);
  const ImVec2 at = {std::floor(right - width), y};
  ImGui::SetCursorScreenPos(at);
  if (click_area(name, {width, font_size(font)})) action.run(ui, state);
  ui.probe.mark(name, label);
  tooltip(ui, ui.action_tip(id));
  ImGui::GetWindowDrawList()->AddText(font, font_size(font), at,
                                      to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.link),
                                      label.c_str());
  return width;
}

// What few readers need of a derivation.
void more_entries(UiContext& ui, WorkbenchState& state) {
  for (const auto& [id, name] : {std::pair("walk", "walk.start"), std::pair("step_code", "inspector.code")}) {
    const ActionEntry& action = action_entry(id);
    if (ImGui::MenuItem(std::string(action.name).c_str())) action.run(ui, state);
    ui.probe.mark(name, std::string(action.name));
    tooltip(ui, std::string(action.what));
  }
}

void more_icon(UiContext& ui, WorkbenchState& state, ImVec2 at, float size) {
  ImGui::SetCursorScreenPos(at);
  const bool pressed = click_area("card.more", {size, size});
  ui.probe.mark("card.more");
  tooltip(ui, "Step through the whole pass, lines of PyTorch");
  const ImU32 color = to_imgui(ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text);
  for (const float dot : {-1.0f, 0.0f, 1.0f})
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + size / 2 + dot * ui.theme.px(4), at.y + size / 2},
                                                ui.theme.px(1.25f), color);
  if (!begin_item_menu(ui, "card.more", pressed)) return;
  more_entries(ui, state);
  ImGui::EndPopup();
}

// The controls at the right of the title. Returns whether the card is closed.
bool title_line(UiContext& ui, WorkbenchState& state, ImVec2 at, float width) {
  const float size = font_size(ui.theme.fonts.text), gap = ui.theme.px(8);
  float right = at.x + width - size;
  const bool closed = close_icon(ui, {right, at.y}, size);
  right -= gap + size;
  more_icon(ui, state, {right, at.y}, size);
  if (ui.view.offered.names("walk.start")) right -= gap + walk_link(ui, state, right - gap, at.y);
  right -= gap;
  state.inspector.header_room = at.x + width - right;
  return closed;
}

void draw_card(UiContext& ui, WorkbenchState& state, const Rect& place) {
  const Theme& theme = ui.theme;
  const ImVec2 at = point(place.x, place.y), size = point(place.width, place.height);
  const float pad = theme.px(kCardPad);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, to_imgui(theme.raised), theme.px(6));
  ui.probe.mark_rect("card", place);
  const ImVec2 inner = {at.x + pad, at.y + pad};
  ImGui::SetCursorScreenPos(inner);
  begin_child(
      "derivation card", {size.x - 2 * pad, size.y - 2 * pad}, false,
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const bool closed = title_line(ui, state, inner, size.x - 2 * pad);
  ImGui::SetCursorScreenPos(inner);
  inspector_panel(ui, state.inspector);
  ImGui::EndChild();
  if (closed) ui.view.selection.cell.reset();
}

}  // namespace

float walk_link(UiContext& ui, WorkbenchState& state, float right, float y) {
  return action_link(ui, state, "walk", "walk.start", right, y);
}

float play_link(UiContext& ui, WorkbenchState& state, float right, float y) {
  if (!action_possible(action_entry("play"), ui)) return 0;
  return action_link(ui, state, "play", "focus.play_motion", right, y);
}

float card_height(const UiContext& ui, const WorkbenchState& state) {
  if (!ui.view.selection.cell || !address_exists(ui.layer(), *ui.view.selection.cell)) return 0;
  const float known = state.inspector.derivation_px;
  const float derivation = known > 0 ? known : ui.theme.px(kUsualDerivation);
  return std::ceil(ui.theme.px(2 * kCardPad + 4) + inspector_head_height(ui) + derivation);
}

void derivation_card(UiContext& ui, WorkbenchState& state, const Rect& place) {
  state.lesson.guide.card_at = {};
  if (card_height(ui, state) <= 0 || place.height < double{ui.theme.px(2 * kCardPad)}) return;
  const float before = state.inspector.derivation_px;
  state.card.shown = place;
  state.lesson.guide.card_at = place;
  draw_card(ui, state, place);
  // The height was planned for the derivation of the frame before.
  if (std::abs(state.inspector.derivation_px - before) >= 1) ui.wake_within(0.001);
}

}  // namespace headlight
