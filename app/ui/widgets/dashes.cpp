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

}  // namespace headlight
