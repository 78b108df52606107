#include "app/ui/context/probe.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

namespace headlight {

void Probe::mark(std::string name, std::string value, bool enabled) {
  const ImVec2 item_min = ImGui::GetItemRectMin(), item_max = ImGui::GetItemRectMax();
  mark_rect(std::move(name), {item_min.x, item_min.y, item_max.x - item_min.x, item_max.y - item_min.y},
            std::move(value), enabled);
}

// Only the part in sight is recorded: its middle is a place that a mouse can reach.
void Probe::mark_rect(std::string name, Rect rect, std::string value, bool enabled) {
  const ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
  const double left = std::max<double>(rect.x, clip_min.x), top = std::max<double>(rect.y, clip_min.y);
  const double right = std::min<double>(rect.right(), clip_max.x);
  const double bottom = std::min<double>(rect.bottom(), clip_max.y);
  if (right - left < 1 || bottom - top < 1) return;
  widgets_.push_back({std::move(name), {left, top, right - left, bottom - top}, enabled, std::move(value)});
}

const ProbedWidget* Probe::find(const std::string& name) const {
  const auto at = std::find_if(widgets_.begin(), widgets_.end(),
                               [&name](const ProbedWidget& widget) { return widget.name == name; });
  return at == widgets_.end() ? nullptr : &*at;
}

}  // namespace headlight
