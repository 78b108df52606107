#include "app/ui/context/probe.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "app/platform/imgui_compat.h"

namespace headlight {

void Probe::mark(std::string name, std::string value, bool enabled) {
  const ImVec2 item_min = ImGui::GetItemRectMin(), item_max = ImGui::GetItemRectMax();
  const Rect rect = {item_min.x, item_min.y, item_max.x - item_min.x, item_max.y - item_min.y};
  add({std::move(name), rect, enabled, std::move(value), last_item(), popup_level(), current_window()});
}

void Probe::mark_rect(std::string name, Rect rect, std::string value, bool enabled) {
  add({std::move(name), rect, enabled, std::move(value)});
}

// Records only the visible part, so that the mouse can click its centre.
void Probe::add(ProbedWidget widget) {
  const ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
  Rect& rect = widget.rect;
  const double left = std::max<double>(rect.x, clip_min.x), top = std::max<double>(rect.y, clip_min.y);
  const double right = std::min<double>(rect.right(), clip_max.x);
  const double bottom = std::min<double>(rect.bottom(), clip_max.y);
  widget.in_sight = right - left >= 1 && bottom - top >= 1;
  if (widget.in_sight) rect = {left, top, right - left, bottom - top};
  if (widget.item != 0) controls_.push_back(widget);
  if (!widget.in_sight) return;
  widgets_.push_back(std::move(widget));
}

std::size_t Probe::controls_in_sight() const {
  std::set<unsigned> items;  // a control may have several names
  int level = 0;             // what lies behind a dialog or a menu cannot be used
  for (const ProbedWidget& control : controls_)
    level = std::max(level, control.popup_level);
  for (const ProbedWidget& control : controls_) {
    if (control.popup_level < level) continue;
    const auto has = [&](const char* part) { return control.name.find(part) != std::string::npos; };
    const bool numbered = std::isdigit(static_cast<unsigned char>(control.name.back())) != 0;
    const auto ends = [&](std::string_view part) { return control.name.ends_with(part); };
    const bool is_table = has("inputs.") && (ends(".grid") || ends(".all"));
    const bool is_step = has("inspector.") && (ends(".fold") || ends(".more") || ends(".why"));
    const bool is_data =
        has("[") || has(".term.") || (numbered && has(".")) || has(".mark.") || is_table || is_step;
    const bool is_edge = has("splitter");
    if (control.enabled && control.in_sight && !is_data && !is_edge) items.insert(control.item);
  }
  return items.size();
}

const ProbedWidget* Probe::find(const std::string& name) const {
  const auto at = std::find_if(widgets_.begin(), widgets_.end(),
                               [&name](const ProbedWidget& widget) { return widget.name == name; });
  return at == widgets_.end() ? nullptr : &*at;
}

}  // namespace headlight
