#include "app/ui/picture/range_hold.h"

#include <algorithm>
#include <variant>

#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// A click, as on "Reset", opens other numbers, whose range is fitted at once; a drag and a number typed into
// a cell change a few.
bool edits_numbers(const Command& command) {
  if (std::holds_alternative<SetCells>(command)) return true;
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.gesture; }) return one.gesture != 0;
        return false;
      },
      command);
}

}  // namespace

void begin_ranges(UiContext& ui) {
  HeldRanges& ranges = ui.view.picture.held_ranges;
  const double now = ImGui::GetTime();
  ranges.begin_frame(ImGui::GetFrameCount(), now, ImGui::IsAnyItemActive(), ui.preferences.motion);
  if (ranges.moving()) ui.wake_within(0.01);
  if (ranges.waiting()) ui.wake_within(std::max(0.01, ranges.fits_at() - now));
}

void hold_ranges_while_edited(UiContext& ui) {
  if (std::any_of(ui.commands.begin(), ui.commands.end(), edits_numbers))
    ui.view.picture.held_ranges.hold(ImGui::GetTime());
}

void range_bar(UiContext& ui, const std::string& name, const std::string& key, const PlannedBar& bar,
               const HeldRanges::Shown& shown, ImVec2 origin) {
  const auto x = [&](double at) { return origin.x + static_cast<float>(at); };
  const auto y = [&](double at) { return origin.y + static_cast<float>(at); };
  ui.probe.mark_rect(name + ".bar", {x(bar.rect.x), y(bar.rect.y), bar.rect.width, bar.rect.height},
                     shown.ghost ? "held" : "");
  if (shown.ghost) {
    const BarGhost ghost = ghost_on_bar(bar, shown.range, *shown.ghost);
    const float left = x(bar.rect.x) - ui.theme.px(6), right = x(bar.rect.x) - ui.theme.px(2);
    const float top = y(ghost.top), bottom = y(ghost.bottom), thick = ui.theme.px(2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImU32 color = to_imgui(ui.theme.text);
    list.AddRectFilled({left, top}, {left + thick, std::max(bottom, top + thick)}, color);
    if (!ghost.above) list.AddRectFilled({left, top}, {right, top + thick}, color);
    if (!ghost.below) list.AddRectFilled({left, bottom - thick}, {right, bottom}, color);
    const float tip = ui.theme.px(4);
    const auto arrow = [&](float at, float towards) {
      list.AddTriangleFilled({left - tip + thick / 2, at}, {left + tip + thick / 2, at},
                             {left + thick / 2, at + towards}, color);
    };
    if (ghost.above) arrow(top, -tip);
    if (ghost.below) arrow(bottom, tip);
    ui.probe.mark_rect(name + ".ghost", {left, top, right - left, std::max(bottom, top + thick) - top});
  }
  const float beside = ui.theme.px(6);
  const bool over = ImGui::IsMouseHoveringRect({x(bar.rect.x) - beside, y(bar.rect.y)},
                                               {x(bar.rect.right()) + beside, y(bar.rect.bottom())}) &&
                    !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (!over) return;
  tooltip(ui,
          scale_text(shown.range) +
              (shown.ghost ? ". Held while numbers change; the mark shows where they are now. A click fits it"
                           : ""));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ui.view.picture.held_ranges.fit(key);
}

std::string scale_text(const ColorRange& range) {
  const std::vector<BarTick> ends = bar_ticks(range, 1, 12);
  std::string text = "Colours from " + ends.front().label + " to " + ends.back().label;
  if (range.logarithmic) text += ", logarithmic: each power of ten has the same share of them";
  const std::string mark = range.marked ? ", and a mark (∧ or ∨) in cells with room for it" : "";
  if (range.below && range.above) return text + "; numbers beyond either end have its colour" + mark;
  if (range.above) return text + "; larger numbers have the colour of the upper end" + mark;
  if (range.below) return text + "; smaller numbers have the colour of the lower end" + mark;
  return text;
}

}  // namespace headlight
