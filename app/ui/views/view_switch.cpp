#include "app/ui/views/view_switch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// The drawing context of a button's icon: a square of 16 planned pixels.
struct Icon {
  ImDrawList& list;
  ImVec2 at;
  float px;  // device pixels per planned pixel
  ImU32 color;

  ImVec2 point(float x, float y) const { return {at.x + x * px, at.y + y * px}; }
  void block(float x, float y, float width, float height) const {
    list.AddRectFilled(point(x, y), point(x + width, y + height), color);
  }
  void line(float x1, float y1, float x2, float y2) const {
    list.AddLine(point(x1, y1), point(x2, y2), color, 1.5f * px);
  }
};

void heatmap_icon(const Icon& icon) {
  for (const float y : {2.0f, 6.5f, 11.0f})
    for (const float x : {2.0f, 6.5f, 11.0f})
      icon.block(x, y, 3.5f, 3.5f);
}

void flow_icon(const Icon& icon) {
  icon.line(2, 3, 14, 3);
  icon.line(2, 8, 14, 13);
  icon.line(2, 13, 14, 3);
}

void row_icon(const Icon& icon) {
  icon.block(2, 8, 2.5f, 6);
  icon.block(5.5f, 3, 2.5f, 11);
  icon.block(9, 10, 2.5f, 4);
  icon.block(12.5f, 6, 2.5f, 8);
}

void vectors_icon(const Icon& icon) {
  icon.line(3, 2, 3, 14);
  icon.line(2, 13, 14, 13);
  for (const ImVec2 at : {ImVec2{7, 9}, ImVec2{10, 4}, ImVec2{13, 8}})
    icon.list.AddCircleFilled(icon.point(at.x, at.y), 1.75f * icon.px, icon.color);
}

// Two overlapping squares.
void compare_icon(const Icon& icon) {
  icon.list.AddRect(icon.point(2, 2), icon.point(10, 10), icon.color, 0, 0, icon.px * 1.5f);
  icon.block(6, 6, 8, 8);
}

// Layers of heads.
void model_icon(const Icon& icon) {
  for (const float y : {2.0f, 7.0f, 12.0f})
    for (const float x : {2.0f, 6.0f, 10.0f})
      icon.list.AddCircleFilled(icon.point(x + 2, y + 1), 1.5f * icon.px, icon.color);
  icon.line(1, 5, 15, 5);
  icon.line(1, 10, 15, 10);
}

struct ViewInfo {
  FocusView view;
  const char* id;      // "row": probed as "view.row"
  const char* label;   // its name on screen
  const char* action;  // id of its ActionInfo
  void (*icon)(const Icon&);
};

constexpr std::array kViews = {
    ViewInfo{FocusView::Heatmap, "heatmap", "Heatmap", "view_heatmap", heatmap_icon},
    ViewInfo{FocusView::Flow, "flow", "Flow", "view_flow", flow_icon},
    ViewInfo{FocusView::Row, "row", "Row", "view_row", row_icon},
    ViewInfo{FocusView::Vectors, "vectors", "Vectors", "view_vectors", vectors_icon},
    ViewInfo{FocusView::Compare, "compare", "Compare", "view_compare", compare_icon},
    ViewInfo{FocusView::Model, "model", "Model", "view_model", model_icon}};

constexpr float kButton = 24, kIcon = 16, kPad = 6, kNameGap = 5;  // planned pixels

bool is_named(const UiContext& ui, const ViewInfo& info, ViewNames names) {
  return names == ViewNames::All || (names == ViewNames::Chosen && ui.view.focus_view == info.view);
}

bool is_offered(const UiContext& ui, const ViewInfo& info) {
  const ModelView& model = ui.view.model;
  if (info.view == FocusView::Model) return model.work && !model.pages_beside;  // null: no model is open
  // Beside the pages of a model the menu "…" begins to compare.
  if (info.view == FocusView::Compare && model.pages_beside) return ui.view.focus_view == FocusView::Compare;
  return true;
}

float view_button_width(const UiContext& ui, const ViewInfo& info, ViewNames names) {
  if (!is_named(ui, info, names)) return ui.theme.px(kButton);
  return ui.theme.px(kPad + kIcon + kNameGap + kPad) + text_width(ui.theme.fonts.label, info.label);
}

// A view without its name on screen has it in its tooltip.
std::string tip_of(const UiContext& ui, const ViewInfo& info, ViewNames names) {
  const std::string tip = ui.action_tip(info.action), label = info.label;
  return is_named(ui, info, names) || tip.starts_with(label) ? tip : label + ": " + tip;
}

void draw_button(const UiContext& ui, const ViewInfo& info, ViewNames names, ImVec2 at, ImVec2 size,
                 Color color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool named = is_named(ui, info, names);
  const float side = ui.theme.px(kIcon), x = at.x + (named ? ui.theme.px(kPad) : (size.x - side) / 2);
  info.icon({list, {x, at.y + (size.y - side) / 2}, ui.theme.scale, to_imgui(color)});
  if (!named) return;
  ImFont* const font = ui.theme.fonts.label;
  list.AddText(font, font_size(font),
               {x + side + ui.theme.px(kNameGap), at.y + std::floor((size.y - font_size(font)) / 2)},
               to_imgui(color), info.label);
}

std::vector<Choice> view_choices(const UiContext& ui) {
  std::vector<Choice> choices;
  for (const ViewInfo& info : kViews)
    if (is_offered(ui, info)) choices.push_back({info.id, info.label, ui.action_tip(info.action)});
  return choices;
}

}  // namespace

float view_list_width(const UiContext& ui, float width) {
  return std::min(combo_width(ui, view_choices(ui)), width);
}

void view_list(UiContext& ui, float width) {
  std::vector<FocusView> views;
  for (const ViewInfo& info : kViews)
    if (is_offered(ui, info)) views.push_back(info.view);
  const auto current = std::find(views.begin(), views.end(), ui.view.focus_view) - views.begin();
  const auto chosen = choice_box(ui, "view", view_choices(ui), static_cast<std::size_t>(current),
                                 view_list_width(ui, width), "How the chosen stage is drawn");
  if (chosen) ui.view.focus_view = views[*chosen];
}

float view_switch_width(const UiContext& ui, ViewNames names) {
  float width = 0;
  for (const ViewInfo& info : kViews)
    if (is_offered(ui, info)) width += view_button_width(ui, info, names);
  return width;
}

void view_switch(UiContext& ui, ViewNames names) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight(), rounding = ui.theme.px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + view_switch_width(ui, names), at.y + height}, to_imgui(ui.theme.raised),
                     rounding);
  float x = at.x;
  for (const ViewInfo& info : kViews) {
    if (!is_offered(ui, info)) continue;
    const bool on = ui.view.focus_view == info.view;
    const float width = view_button_width(ui, info, names);
    const std::string name = std::string("view.") + info.id;
    ImGui::SetCursorScreenPos({x, at.y});
    if (click_area(name.c_str(), {width, height})) ui.view.focus_view = info.view;
    ui.probe.mark(name, on ? "on" : "off");
    const bool hot = ImGui::IsItemHovered();
    tooltip(ui, tip_of(ui, info, names));
    if (on) list.AddRectFilled({x, at.y}, {x + width, at.y + height}, to_imgui(ui.theme.on), rounding);
    draw_button(ui, info, names, {x, at.y}, {width, height}, on || hot ? ui.theme.text : ui.theme.quiet_text);
    x += width;
  }
}

void view_entries(UiContext& ui) {
  for (const ViewInfo& info : kViews) {
    if (!is_offered(ui, info)) continue;
    const bool on = ui.view.focus_view == info.view;
    if (ImGui::MenuItem(info.label, nullptr, on)) ui.view.focus_view = info.view;
    ui.probe.mark(std::string("view.") + info.id, on ? "on" : "off");
    tooltip(ui, ui.action_tip(info.action));
  }
}

Index view_head(const UiContext& ui) {
  return ui.shown_head();
}

Index view_query(const UiContext& ui) {
  const Index last = ui.layer().token_count() - 1;
  if (!ui.view.selection.cell) return last;
  const CellTokens tokens = cell_tokens(*ui.view.selection.cell);
  const Index row = tokens.query >= 0 ? tokens.query : tokens.key;
  return row >= 0 && row <= last ? row : last;
}

}  // namespace headlight
