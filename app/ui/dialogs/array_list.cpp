// The left half of the chooser: the arrays of the file, each with its shape, type and role.
#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/platform/imgui_compat.h"
#include "app/ui/dialogs/array_chooser.h"
#include "app/ui/dialogs/array_words.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/ascii.h"

namespace headlight {
namespace {

constexpr float kRowHeight = 40;
constexpr std::size_t kManyArrays = 8;  // lists longer than this have a filter

void filter_again(ArrayChooserState& state) {
  const std::vector<ArrayEntry>& entries = state.choices.entries();
  const std::string key = state.filter + "\n" + state.path.string() + "\n" + std::to_string(entries.size());
  if (state.filtered_by == key) return;
  state.filtered_by = key;
  state.shown.clear();
  const std::string wanted = lowered(state.filter);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (lowered(entries[i].name).find(wanted) != std::string::npos) state.shown.push_back(i);
}

void filter_field(const UiContext& ui, ArrayChooserState& state) {
  if (state.choices.entries().size() <= kManyArrays) return;
  ImGui::SetNextItemWidth(-1);
  const std::string hint = "find among " + std::to_string(state.choices.entries().size()) + " arrays";
  text_entry(ui, "arrays.filter", state.filter, kMostQuery, hint.c_str());
  ui.probe.mark("arrays.filter", state.filter);
}

// Draws the array's role as a tag that ends at `right`. Returns the tag's left edge.
float draw_tag(const Theme& theme, ArrayRole role, ImVec2 right) {
  ImFont* font = theme.fonts.label;
  const std::string text = short_role_name(role);
  const float width = text_width(font, text) + theme.px(12), height = font_size(font) + theme.px(4);
  const ImVec2 min = {std::floor(right.x - width), std::floor(right.y)};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, {min.x + width, min.y + height}, to_imgui(theme.primary, 0.18), theme.px(4));
  list.AddText(font, font_size(font), {min.x + theme.px(6), min.y + theme.px(2)}, to_imgui(theme.primary),
               text.c_str());
  return min.x;
}

void draw_row_text(const UiContext& ui, const ArrayChooserState& state, std::size_t index, ImVec2 min,
                   float width) {
  const Theme& theme = ui.theme;
  const ArrayEntry& entry = state.choices.entries()[index];
  const float pad = theme.px(8), left = min.x + pad;
  float right = min.x + width - pad;
  if (const auto& role = state.choices.role_of(index))
    right = draw_tag(theme, role->role, {right, min.y + theme.px(4)}) - pad;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText({left, std::floor(min.y + theme.px(4))},
               to_imgui(entry.problem ? theme.quiet_text : theme.text),
               elided(entry.name, right - left).c_str());
  push_font(theme.fonts.label);
  const std::string facts = entry.problem ? "cannot be read" : shape_words(entry.shape) + " · " + entry.type;
  list.AddText({left, std::floor(min.y + theme.px(kRowHeight) - theme.px(4) - ImGui::GetFontSize())},
               to_imgui(entry.problem ? theme.error : theme.quiet_text),
               elided(facts, width - 2 * pad).c_str());
  ImGui::PopFont();
}

void draw_row(UiContext& ui, ArrayChooserState& state, std::size_t index) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(static_cast<int>(index));
  const bool pressed =
      ImGui::Selectable("##array", state.choices.selected() == index, 0, {0, ui.theme.px(kRowHeight)});
  ImGui::PopID();
  const ArrayEntry& entry = state.choices.entries()[index];
  const auto& role = state.choices.role_of(index);
  ui.probe.mark("arrays.list." + std::to_string(index),
                entry.name + (role ? std::string(" → ") + role_id(role->role) : std::string()));
  if (entry.problem) tooltip(ui, problem_words(*entry.problem, state.path));
  draw_row_text(ui, state, index, min, width);
  if (pressed) select_array(ui, state, index);
}

void reveal_selected(const Theme& theme, ArrayChooserState& state) {
  if (!state.reveal) return;
  state.reveal = false;
  const auto at = std::find(state.shown.begin(), state.shown.end(), state.choices.selected());
  if (at == state.shown.end()) return;
  const float height = theme.px(kRowHeight), top = static_cast<float>(at - state.shown.begin()) * height;
  const float view = ImGui::GetWindowHeight() - 2 * theme.px(4);
  float scroll = ImGui::GetScrollY();
  if (top + height > scroll + view) scroll = top + height - view;
  ImGui::SetScrollY(std::min(scroll, top));
}

void layer_button(const UiContext& ui, ArrayChooserState& state) {
  const ArraySet* set = state.choices.other_set();
  if (!set) return;
  const std::string count = std::to_string(set->members.size());
  const std::string what = set->layer.empty() ? "all that say where they go" : set->layer;
  const std::string label = elided("Take " + what + " (" + count + ")",
                                   ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x);
  if (tool_button(ui, "arrays.layer", label,
                  "The " + count + " arrays of this layer whose names say where they go")) {
    state.message.clear();
    state.choices.take_set(ArraySet(*set), ui.layer());
  }
}

}  // namespace

void array_list(UiContext& ui, ArrayChooserState& state, ImVec2 size) {
  const Theme& theme = ui.theme;
  begin_child("##arrays.left", size, false, ImGuiWindowFlags_NoBackground);
  filter_field(ui, state);
  filter_again(state);
  const float below = state.choices.other_set() ? ImGui::GetFrameHeightWithSpacing() : 0;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_imgui(theme.ground));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {theme.px(4), theme.px(4)});
  begin_child("##arrays.list", {0, ImGui::GetContentRegionAvail().y - below}, true,
              ImGuiWindowFlags_NoNavInputs);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  reveal_selected(theme, state);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.shown.size()), theme.px(kRowHeight));
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      draw_row(ui, state, state.shown[static_cast<std::size_t>(row)]);
  clipper.End();
  ImGui::PopStyleVar();
  if (state.shown.empty() && !state.choices.entries().empty()) quiet_text(ui, "No name has that in it.");
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  layer_button(ui, state);
  ImGui::EndChild();
}

}  // namespace headlight
