#include "app/ui/widgets/widgets.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <imgui.h>

#include "app/figure/plan/label_text.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight {
namespace {

constexpr std::size_t kMostShown = 2000;  // characters of a line of text or a tooltip
constexpr float kTipWidth = 320;

struct MarkedChoice {
  std::size_t at = 0;
  bool moved = false;  // moved in this frame: scroll it into view
};

// The entry of an open list that Enter chooses: at first the current one, then moved by the keys. It is
// stored in the state of the list's window.
MarkedChoice marked_choice(std::size_t count, std::size_t current) {
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("marked");
  const bool opens = ImGui::IsWindowAppearing();
  if (opens) kept.SetInt(id, static_cast<int>(current));
  const int before = kept.GetInt(id, static_cast<int>(current)), last = static_cast<int>(count) - 1;
  int at = before;
  if (key_pressed(Key::Down, true)) ++at;
  if (key_pressed(Key::Up, true)) --at;
  if (key_pressed(Key::Home)) at = 0;
  if (key_pressed(Key::End)) at = last;
  at = std::clamp(at, 0, last);
  kept.SetInt(id, at);
  return {static_cast<std::size_t>(at), opens || at != before};
}

// Enter chooses the marked entry of an open list. The list closes in the next frame, so that the dialog
// behind it does not react to the same key press.
bool taken_by_enter() {
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const ImGuiID id = ImGui::GetID("taken");
  const bool enter = !ImGui::IsWindowAppearing() && key_pressed(Key::Enter);
  if (kept.GetBool(id, false)) ImGui::CloseCurrentPopup();
  kept.SetBool(id, enter);
  return enter;
}

constexpr int kButtonColors = 3;

// The backgrounds of the next button, mixed towards `strong` under the pointer.
void push_button_colors(Color ground, Color strong) {
  ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(ground));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, to_imgui(mix(ground, strong, 0.08)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, to_imgui(mix(ground, strong, 0.14)));
}

// The text as drawn in a tooltip.
std::string tip_lines(const UiContext& ui, const std::string& text) {
  return broken_at_spaces(drawn_text(capped(text, kMostShown)),
                          ui.theme.px(kTipWidth) - ImGui::GetStyle().WindowPadding.x);
}

}  // namespace

std::optional<std::size_t> choice_box(const UiContext& ui, const std::string& name,
                                      const std::vector<Choice>& choices, std::size_t current, float width_px,
                                      const std::string& tip) {
  std::optional<std::size_t> chosen;
  const std::string& label = choices[current].label;
  const float room = width_px - ImGui::GetFrameHeight() - ImGui::GetStyle().FramePadding.x;
  const std::string shown = elided(label, room);
  ImGui::SetNextItemWidth(width_px);
  if (!ImGui::BeginCombo(("##" + name).c_str(), shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    ui.probe.mark(name, choices[current].id);
    tooltip(ui, shown == drawn_text(label) ? tip : label + ". " + tip);
    return chosen;
  }
  const auto [marked, moved] = marked_choice(choices.size(), current);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (ImGui::Selectable(drawn_text(choices[i].label).c_str(), i == marked)) chosen = i;
    ui.probe.mark(name + "." + choices[i].id, i == marked ? "marked" : "");
    if (!choices[i].tooltip.empty()) tooltip(ui, choices[i].tooltip);
    if (i == marked && moved) ImGui::SetScrollHereY(0.5f);
  }
  if (taken_by_enter()) chosen = marked;
  ImGui::EndCombo();
  return chosen == current ? std::nullopt : chosen;
}

bool tool_button(const UiContext& ui, const std::string& name, const std::string& label,
                 const std::string& tip, bool enabled, bool on) {
  ImGui::BeginDisabled(!enabled);
  if (on) push_button_colors(ui.theme.on, ui.theme.text);
  const bool pressed = ImGui::Button((drawn_text(label) + "##" + name).c_str());
  if (on) ImGui::PopStyleColor(kButtonColors);
  ui.probe.mark(name, label, enabled);
  ImGui::EndDisabled();
  tooltip(ui, tip);
  return pressed;
}

static constexpr const char* kMore = "…";

float more_menu_width() {
  return button_width(kMore);
}

bool begin_more_menu(const UiContext& ui, const std::string& name, const std::string& tip, bool on) {
  return begin_item_menu(ui, name, tool_button(ui, name, kMore, tip, true, on));
}

bool begin_item_menu(const UiContext& ui, const std::string& name, bool opens) {
  const std::string popup = name + " menu";
  if (opens) ImGui::OpenPopup(popup.c_str());
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
               window = ImGui::GetIO().DisplaySize;
  const bool to_left = low.x > window.x / 4, above = low.y > window.y / 2;
  ImGui::SetNextWindowPos(
      {to_left ? high.x : low.x, above ? low.y - ui.theme.px(4) : high.y + ui.theme.px(4)}, 0,
      {to_left ? 1.0f : 0.0f, above ? 1.0f : 0.0f});
  // What is higher than the room scrolls.
  const float room = (above ? low.y : window.y - high.y) - ui.theme.px(8);
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window.x, std::max(1.0f, room)});
  return ImGui::BeginPopup(popup.c_str());
}

bool menu_choice(const UiContext& ui, const std::string& name, const std::string& label,
                 const std::string& tip, bool on, bool enabled) {
  const bool chosen = ImGui::MenuItem((label + "##" + name).c_str(), nullptr, on, enabled);
  ui.probe.mark(name, on ? "on" : "", enabled);
  tooltip(ui, tip);
  return chosen;
}

bool word_tab(const UiContext& ui, const std::string& name, const std::string& label, ImVec2 at,
              bool chosen) {
  ImFont* const font = ui.theme.fonts.text;
  const float high = font_size(font), line = ImGui::GetFrameHeight(), width = text_width(font, label);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = click_area(name.c_str(), {width, line});
  const Color color = chosen || ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(font, high, {at.x, at.y + std::floor((line - high) / 2)}, to_imgui(color), label.c_str());
  if (chosen)
    list.AddRectFilled({at.x, at.y + line - ui.theme.px(2)}, {at.x + width, at.y + line},
                       to_imgui(ui.theme.text));
  return clicked;
}

namespace {

void draw_fold_mark(const UiContext& ui, ImVec2 middle, bool open, Color color) {
  const float r = ui.theme.px(3.5f);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (open)
    list.AddTriangleFilled({middle.x - r, middle.y - r / 2}, {middle.x + r, middle.y - r / 2},
                           {middle.x, middle.y + r}, to_imgui(color));
  else
    list.AddTriangleFilled({middle.x - r / 2, middle.y - r}, {middle.x - r / 2, middle.y + r},
                           {middle.x + r, middle.y}, to_imgui(color));
}

}  // namespace

bool fold_title(const UiContext& ui, const std::string& name, const std::string& title, bool open,
                const std::string& tooltip_text) {
  ImFont* const font = ui.theme.fonts.label;
  const float mark = ui.theme.px(14), height = ImGui::GetFrameHeight();
  const float width =
      std::min(mark + text_width(font, title), std::max(1.0f, ImGui::GetContentRegionAvail().x));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = click_area(name.c_str(), {width, height});
  ui.probe.mark(name, open ? "open" : "");
  tooltip(ui, tooltip_text);
  const Color color = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.quiet_text;
  draw_fold_mark(ui, {at.x + ui.theme.px(5), at.y + height / 2}, open, color);
  fitted_text(font, {at.x + mark, std::floor(at.y + (height - font_size(font)) / 2)}, width - mark, color,
              title);
  return clicked;
}

bool fold_title(const UiContext& ui, LessonFold& fold, const std::string& name, const std::string& title,
                const std::string& tooltip_open, const std::string& tooltip_folded) {
  const bool open = !fold.folded();
  if (fold_title(ui, name, title, open, open ? tooltip_open : tooltip_folded)) fold.chosen = !open;
  return open;
}

bool primary_button(const UiContext& ui, const std::string& name, const std::string& label,
                    const std::string& tip, bool enabled) {
  const Color color = ui.theme.primary;
  if (enabled) {
    push_button_colors(color, text_on(color));
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(text_on(color)));
  }
  const bool pressed = tool_button(ui, name, label, "", enabled);
  if (enabled) ImGui::PopStyleColor(kButtonColors + 1);
  tooltip(ui, tip);  // outside of the button's colours
  return pressed;
}

bool check_box(const UiContext& ui, const std::string& name, const std::string& label, bool& on,
               const std::string& tip) {
  const bool filled = on;
  if (filled) ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(ui.theme.on));
  const bool changed = ImGui::Checkbox((drawn_text(label) + "##" + name).c_str(), &on);
  if (filled) ImGui::PopStyleColor();
  ui.probe.mark(name, on ? "on" : "off");
  tooltip(ui, tip);
  return changed;
}

std::optional<std::string> text_field(const UiContext& ui, TextFieldState& state, const std::string& name,
                                      const std::string& current, float width_px, const std::string& tip,
                                      const std::function<std::string(const std::string&)>& refused) {
  if (!state.active) state.text = current;
  ImGui::SetNextItemWidth(width_px);
  const bool bad = !state.message.empty();
  if (bad) ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(ui.theme.error));
  text_entry(ui, name, state.text, kMostQuery, "", ImGuiInputTextFlags_AutoSelectAll);
  if (bad) ImGui::PopStyleColor();
  ui.probe.mark(name, state.text);
  state.active = ImGui::IsItemActive();
  const bool left = ImGui::IsItemDeactivated(), edited = ImGui::IsItemDeactivatedAfterEdit();
  if (state.active && ImGui::IsItemEdited()) state.message.clear();
  if (bad) {
    // Below the field, until the text is corrected or the user clicks elsewhere.
    ImGui::SetNextWindowPos({ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui.theme.px(4)});
    show_tooltip(ui, state.message);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsItemHovered()) {
      state.message.clear();
      state.active = false;
    }
  } else {
    tooltip(ui, tip);
  }
  if (!edited) {
    if (left) state.message.clear();
    return std::nullopt;
  }
  state.message = refused(state.text);
  if (state.message.empty()) return state.text;
  state.active = true;  // keeps the typed text, so that it can be corrected
  return std::nullopt;
}

void label_text(const UiContext& ui, const std::string& text, Color color) {
  push_font(ui.theme.fonts.label);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(color));
  ImGui::TextUnformatted(drawn_text(capped(text, kMostShown)).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void quiet_text(const UiContext& ui, const std::string& text) {
  label_text(ui, text, ui.theme.quiet_text);
}

std::string elided_quiet_text(const UiContext& ui, const std::string& text, float width) {
  ImGui::AlignTextToFramePadding();
  push_font(ui.theme.fonts.label);
  std::string shown = elided(text, width);
  ImGui::PopFont();
  quiet_text(ui, shown);
  return shown;
}

void heading(const UiContext& ui, const std::string& text) {
  label_text(ui, text, ui.theme.quiet_text);
  ImGui::Dummy({0, ui.theme.px(2)});
}

void show_tooltip(const UiContext& ui, const std::string& text) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.theme.px(kTipWidth));
  ImGui::TextUnformatted(tip_lines(ui, text).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_tick(ImDrawList& list, ImVec2 at, float size, ImU32 color, float line) {
  const ImVec2 points[] = {{at.x, at.y + size * 0.55f},
                           {at.x + size * 0.35f, at.y + size * 0.9f},
                           {at.x + size, at.y + size * 0.1f}};
  list.AddPolyline(points, 3, color, 0, line);
}

void place_tooltip(const UiContext& ui, ImVec2 size, const Rect& item) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float gap = ui.theme.px(4);
  const auto left = static_cast<float>(item.x), below = static_cast<float>(item.bottom()) + gap;
  const float above = static_cast<float>(item.y) - gap - size.y;
  const float x = std::max(0.0f, std::min(left, window.x - size.x - gap));
  ImGui::SetNextWindowPos({x, below + size.y > window.y && above >= 0 ? above : below});
}

bool tooltip_waits(const TipRest& tip) {
  return tip.frame == ImGui::GetFrameCount() && !tip.silent && ImGui::GetTime() - tip.since < tip.wait;
}

namespace {

Rect around(const Rect& way, double x, double y) {
  const double left = std::min(way.x, x), top = std::min(way.y, y);
  return {left, top, std::max(way.right(), x) - left, std::max(way.bottom(), y) - top};
}

bool is_inside(const Rect& way, const Rect& item) {
  return way.x >= item.x && way.y >= item.y && way.right() <= item.right() && way.bottom() <= item.bottom();
}

// Notes once per frame where the pointer has come from.
void follow_pointer(TipRest& tip) {
  const int frame = ImGui::GetFrameCount();
  const int before = std::exchange(tip.followed, frame);
  if (before == frame) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  tip.moved = before >= 0 && (at.x != tip.x || at.y != tip.y);
  std::tie(tip.x, tip.y) = std::tie(at.x, at.y);
  const Rect here = {at.x, at.y, 0, 0};
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseDown(ImGuiMouseButton_Right))
    tip.way = here;
  else if (tip.way)
    tip.way = around(*tip.way, here.x, here.y);
}

}  // namespace

bool tooltip_due(const UiContext& ui, const Rect& item) {
  TipRest& tip = ui.view.tip;
  const int frame = ImGui::GetFrameCount();
  const double now = ImGui::GetTime();
  follow_pointer(tip);
  // Several items may overlap under the pointer: the first one keeps the tooltip, otherwise they would
  // restart each other's delay forever.
  if (tip.frame == frame && tip.item != item) return false;
  const bool begins = tip.item != item || frame > tip.frame + 1;
  const bool came = tip.silent || frame > tip.frame + 1;  // not in the place of one that had its tooltip
  tip.item = item;
  tip.frame = frame;
  const bool clicked_here = tip.way && is_inside(*tip.way, item);
  if (begins || tip.silent) tip.since = now;
  tip.silent = clicked_here || (came && !tip.moved);
  if (tip.silent) return false;
  const double left = tip.wait - (now - tip.since);
  if (left > 0) ui.wake_within(left);
  return left <= 0;
}

namespace {

Rect last_item_rect() {
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  return {a.x, a.y, b.x - a.x, b.y - a.y};
}

// The pointer's arrow, which the tooltip must not cover.
Rect arrow_of_pointer(const UiContext& ui) {
  const ImVec2 tip = ImGui::GetIO().MousePos;
  return {tip.x, tip.y, double{ui.theme.px(12)}, double{ui.theme.px(18)}};
}

// What the tooltip of an item stands beside: the item, or in one that is wide or high the pointer there.
Rect beside_pointer(const UiContext& ui, Rect item) {
  constexpr float kWide = 320, kHigh = 96;  // planned pixels
  const Rect arrow = arrow_of_pointer(ui);
  if (item.width > double{ui.theme.px(kWide)}) {
    item.x = arrow.x;
    item.width = arrow.width;
  }
  if (item.height > double{ui.theme.px(kHigh)}) {
    item.y = arrow.y;
    item.height = arrow.height;
  }
  return item;
}

void tooltip_beside(const UiContext& ui, const std::string& text, const Rect& part) {
  follow_pointer(ui.view.tip);
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  const Rect item = last_item_rect();
  if (!tooltip_due(ui, item)) return;
  const ImVec2 inside =
      ImGui::CalcTextSize(tip_lines(ui, text).c_str(), nullptr, false, ui.theme.px(kTipWidth));
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  place_tooltip(ui, {inside.x + 2 * pad.x, inside.y + 2 * pad.y}, part);
  show_tooltip(ui, text);
  ui.probe.mark_rect("tooltip", item, text);
}

}  // namespace

void tooltip(const UiContext& ui, const std::string& text) {
  tooltip_beside(ui, text, beside_pointer(ui, last_item_rect()));
}

void tooltip(const UiContext& ui, const std::string& text, const Rect& part) {
  Rect with_arrow = part;
  with_arrow.height = std::max(part.bottom(), arrow_of_pointer(ui).bottom()) - part.y;
  tooltip_beside(ui, text, with_arrow);
}

void splitter(const UiContext& ui, const std::string& name, bool vertical, float length, float& size,
              float low, float high, bool behind) {
  const float thickness = ui.theme.px(8);
  const ImVec2 area = vertical ? ImVec2(thickness, length) : ImVec2(length, thickness);
  click_area(("##" + name).c_str(), area);
  ui.probe.mark(name);
  const bool held = ImGui::IsItemActive();
  if (held || ImGui::IsItemHovered())
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (held) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    size += (vertical ? moved.x : moved.y) * (behind ? -1.0f : 1.0f);
  }
  size = std::clamp(size, low, std::max(low, high));
  if (!held && !ImGui::IsItemHovered()) return;
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  const ImVec2 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  const float half = ui.theme.px(1);
  ImGui::GetWindowDrawList()->AddRectFilled(
      vertical ? ImVec2(middle.x - half, a.y) : ImVec2(a.x, middle.y - half),
      vertical ? ImVec2(middle.x + half, b.y) : ImVec2(b.x, middle.y + half), to_imgui(ui.theme.primary));
}

}  // namespace headlight
