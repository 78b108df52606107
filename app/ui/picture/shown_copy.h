// A copy of what the window showed in the last frame, to be drawn over what it shows now.
#pragma once

#include <optional>
#include <string>

#include <imgui.h>

#include "app/figure/motion/screen_change.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

inline ImVec2 screen_point(const Point& p) {
  return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

// The time of something that moves, which a slow frame does not skip: the first frame of a new picture often
// is one.
class MotionClock {
 public:
  void begin() {
    seconds_ = 0;
    frame_ = ImGui::GetFrameCount();
  }
  // Seconds since it began. Call in every frame.
  double seconds();

 private:
  double seconds_ = 0;
  int frame_ = 0;  // ImGui's number of the frame that was counted last
};

struct ShownCopy {
  std::string key;
  Rect area;  // in whole pixels of the window
};

// nullopt where the window has shown nothing yet, or the rectangle, in whole pixels, is not inside it.
std::optional<ShownCopy> copy_shown(const UiContext& ui, const std::string& key, const Rect& rect);
// Draws the part of it in `part`, moved, into `list`. Returns false if there is no such copy any more.
bool draw_copy(const UiContext& ui, ImDrawList& list, const ShownCopy& copy, const Rect& part,
               const Placement& move, double opacity);

// Requests the next frame of something that moves; until it rests, this is not the final picture.
void keep_moving(UiContext& ui);

}  // namespace headlight
