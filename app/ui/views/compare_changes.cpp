#include "app/ui/views/compare_changes.h"

#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

std::string place_text(const Layer& layer, Stage stage, const CellChange& change, Counting counting) {
  const std::string row = token_name(row_labels(layer, stage), change.row, counting);
  return is_pair(stage) ? row + " → " + token_name(layer.key_labels(), change.column, counting)
                        : row + ", dimension " + counting.number(change.column);
}

std::string signed_number(float value, int decimals) {
  const std::string text = number_text(value, decimals);
  return value > 0 ? "+" + text : text;
}

std::string numbers_text(const CellChange& change, int decimals) {
  return number_text(change.before, decimals) + " → " + number_text(change.after, decimals);
}

std::shared_ptr<const ChangeList> request_changes(UiContext& ui, const ChangesRequest& request) {
  ui.requested.changes.push_back(request);
  if (!ui.answer) return nullptr;
  if (auto list = ui.answer->find(request)) return list;
  // Until the requested list arrives, returns the previous one, which may differ only in its length.
  for (const auto& list : ui.answer->changes)
    if (list && list->request.stage == request.stage && list->request.head == request.head &&
        list->request.sequence == request.sequence && list->request.by_value == request.by_value)
      return list;
  return nullptr;
}

std::string summary_text(const ChangeList& list, Index cells) {
  std::string text = std::to_string(list.changed) + " of " + std::to_string(cells) + " changed";
  const auto add = [&](Index count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + " " + what;
  };
  add(list.appeared, "no longer masked");
  add(list.vanished, "masked now");
  add(list.not_finite, "not finite");
  return text;
}

constexpr float kChangeGap = 8;  // planned pixels between the parts of a line

// Whether a line of this width has room for both numbers between the place and the difference.
bool has_room_for_numbers(const UiContext& ui, Stage stage, const CellChange& change, float width) {
  const int decimals = ui.view.picture.decimals;
  ImFont* const number = ui.theme.fonts.cell;
  return text_width(ui.theme.fonts.label, place_text(ui.layer(), stage, change, ui.counting())) +
             text_width(number, numbers_text(change, decimals)) +
             text_width(number, signed_number(change.difference(), decimals)) + 2 * ui.theme.px(kChangeGap) <=
         width;
}

// One line: the place, both numbers if `with_numbers`, and the difference.
void draw_change(UiContext& ui, Stage stage, Index head, const CellChange& change, const Area& area,
                 const std::string& name, bool with_numbers) {
  const int decimals = ui.view.picture.decimals;
  const std::string whole = change_text(ui.layer(), stage, change, decimals, ui.counting());
  ImGui::SetCursorScreenPos(area.at);
  const CellAddress address = {stage, ui.view.sequence, head, change.row, change.column};
  if (click_area(name.c_str(), area.size) && address_exists(ui.layer(), address))
    ui.view.selection.cell = address;
  ui.probe.mark(name, whole);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) {
    if (address_exists(ui.layer(), address)) ui.view.selection.hovered.now = address;
    list.AddRectFilled(area.at, area.end(), to_imgui(ui.theme.raised), ui.theme.px(4));
  }
  tooltip(ui, whole + (change.mark == CellMark::Appeared   ? "\nmasked in the kept state"
                       : change.mark == CellMark::Vanished ? "\nmasked now"
                                                           : ""));
  ImFont* label = ui.theme.fonts.label;
  ImFont* number = ui.theme.fonts.cell;
  const float gap = ui.theme.px(kChangeGap);
  const std::string moved = signed_number(change.difference(), decimals);
  float right = area.end().x - text_width(number, moved);
  const float y = area.at.y + (area.size.y - font_size(number)) / 2;
  list.AddText(number, font_size(number), {right, y}, to_imgui(ui.theme.text), moved.c_str());
  const std::string place = place_text(ui.layer(), stage, change, ui.counting()),
                    numbers = numbers_text(change, decimals);
  if (with_numbers) {
    right -= gap + text_width(number, numbers);
    list.AddText(number, font_size(number), {right, y}, to_imgui(ui.theme.quiet_text), numbers.c_str());
  }
  fitted_text(label, {area.at.x, area.at.y + (area.size.y - font_size(label)) / 2}, right - gap - area.at.x,
              ui.theme.text, place);
}

}  // namespace

std::string change_text(const Layer& layer, Stage stage, const CellChange& change, int decimals,
                        Counting counting) {
  return place_text(layer, stage, change, counting) + ": " + numbers_text(change, decimals) + ", " +
         signed_number(change.difference(), decimals);
}

void compare_tooltip(UiContext& ui, Stage stage, Index head, const CellBlock& pointed) {
  if (pointed.empty()) return;
  const CellAddress cell = {stage, ui.view.sequence, head, pointed.row, pointed.column};
  const bool by_value = shows_by_value(ui, stage);
  const auto before =
      find_number(ui, by_value ? TileContent::ValueWeightedReference : TileContent::Reference, cell);
  const auto after = find_number(ui, by_value ? TileContent::ValueWeighted : TileContent::Stage, cell);
  if (!before || !after) return;
  const CellChange change = {pointed.row, pointed.column, *before, *after, CellMark::None};
  show_tooltip(ui, change_text(ui.layer(), stage, change, ui.view.picture.decimals, ui.counting()));
}

void draw_changes(UiContext& ui, Stage stage, Index head, const Area& area, int& named) {
  const float line = std::ceil(font_size(ui.theme.fonts.label) + ui.theme.px(5));
  const Index room = std::clamp<Index>(static_cast<Index>(area.size.y / line) - 2, 1, kMostChanges);
  const auto list = request_changes(ui, {stage, ui.view.sequence, head, room, shows_by_value(ui, stage)});
  if (!list) return;
  const Index cells = stage_rows(ui.layer(), stage) * stage_columns(ui.layer(), stage);
  const std::string summary = summary_text(*list, cells);
  fitted_text(ui.theme.fonts.label, area.at, area.size.x, ui.theme.quiet_text,
              list->largest.empty() ? "no number changed" : "largest changes");
  push_font(ui.theme.fonts.label);
  const float foot = ImGui::CalcTextSize(summary.c_str(), nullptr, false, area.size.x).y + ui.theme.px(3);
  ImGui::PopFont();
  float y = area.at.y + line;
  // All lines alike, so that what is left out is not that of the largest.
  const bool with_numbers = std::all_of(
      list->largest.begin(), list->largest.end(),
      [&](const CellChange& change) { return has_room_for_numbers(ui, stage, change, area.size.x); });
  for (const CellChange& change : list->largest) {
    if (y + line + foot > area.end().y + 1) break;
    draw_change(ui, stage, head, change, {{area.at.x, y}, {area.size.x, line}},
                "compare.change." + std::to_string(named++), with_numbers);
    y += line;
  }
  ImGui::SetCursorScreenPos({area.at.x, y + ui.theme.px(2)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + area.size.x);
  quiet_text(ui, summary);
  ImGui::PopTextWrapPos();
  ui.probe.mark("compare.summary.h" + std::to_string(head), summary);
}

}  // namespace headlight
