#include "app/ui/picture/shown_copy.h"

#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"

namespace headlight {

std::optional<ShownCopy> copy_shown(const UiContext& ui, const std::string& key, const Rect& rect) {
  const Rect whole = {std::round(rect.x), std::round(rect.y), std::round(rect.right()) - std::round(rect.x),
                      std::round(rect.bottom()) - std::round(rect.y)};
  const bool copied = ui.textures.copy_shown(key, static_cast<int>(whole.x), static_cast<int>(whole.y),
                                             static_cast<int>(whole.width), static_cast<int>(whole.height));
  return copied ? std::optional(ShownCopy{key, whole}) : std::nullopt;
}

bool draw_copy(const UiContext& ui, ImDrawList& list, const ShownCopy& copy, const Rect& part,
               const Placement& move, double opacity) {
  const auto texture = ui.textures.copied(copy.key);
  if (!texture) return false;
  // Its last row is the first one of the texture.
  const auto place = [&](double x, double y) {
    return ImVec2{static_cast<float>((x - copy.area.x) / copy.area.width),
                  static_cast<float>(1 - (y - copy.area.y) / copy.area.height)};
  };
  list.AddImage(*texture, screen_point(move.of({part.x, part.y})),
                screen_point(move.of({part.right(), part.bottom()})), place(part.x, part.y),
                place(part.right(), part.bottom()), to_imgui(Color{255, 255, 255, 255}, opacity));
  return true;
}

double MotionClock::seconds() {
  constexpr double kMostOfFrame = 0.05;
  const int frame = ImGui::GetFrameCount();
  if (frame_ != frame) seconds_ += std::min(double{ImGui::GetIO().DeltaTime}, kMostOfFrame);
  frame_ = frame;
  return seconds_;
}

void keep_moving(UiContext& ui) {
  ui.view.lesson.fading = true;
  ui.wake_within(0.01);
}

}  // namespace headlight
