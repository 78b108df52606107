#include "app/ui/widgets/dashes.h"

#include <algorithm>
#include <cmath>

namespace headlight {

void draw_dashed_line(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 color, float line, float dash) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  for (float from = 0; from < length; from += 2 * dash) {
    const float begin = from / length, end = std::min(from + dash, length) / length;
    list.AddLine({std::lerp(a.x, b.x, begin), std::lerp(a.y, b.y, begin)},
                 {std::lerp(a.x, b.x, end), std::lerp(a.y, b.y, end)}, color, line);
  }
}

void draw_dashed_box(const UiContext& ui, ImVec2 a, ImVec2 b, ImU32 color) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float dash = std::max(2.0f, ui.theme.px(4)), line = std::max(1.0f, ui.theme.px(1.5f));
  for (float x = a.x; x < b.x; x += 2 * dash) {
    const float end = std::min(x + dash, b.x);
    list.AddRectFilled({x, a.y}, {end, a.y + line}, color);
    list.AddRectFilled({x, b.y - line}, {end, b.y}, color);
  }
  for (float y = a.y; y < b.y; y += 2 * dash) {
    const float end = std::min(y + dash, b.y);
    list.AddRectFilled({a.x, y}, {a.x + line, end}, color);
    list.AddRectFilled({b.x - line, y}, {b.x, end}, color);
  }
}

}  // namespace headlight
