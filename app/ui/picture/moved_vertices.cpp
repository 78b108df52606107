#include "app/ui/picture/moved_vertices.h"

#include <cmath>

#include "app/ui/picture/shown_copy.h"

namespace headlight {
namespace {

ImU32 fainter(ImU32 color, double opacity) {
  const double alpha = opacity * static_cast<double>(color >> IM_COL32_A_SHIFT & 0xFF);
  return (color & ~IM_COL32_A_MASK) | static_cast<ImU32>(std::lround(alpha)) << IM_COL32_A_SHIFT;
}

}  // namespace

void move_vertices(ImDrawList& list, int first, const Placement& to, double opacity) {
  if (to.rests() && opacity == 1) return;
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImDrawVert& vertex = list.VtxBuffer[i];
    vertex.pos = screen_point(to.of({double{vertex.pos.x}, double{vertex.pos.y}}));
    vertex.col = fainter(vertex.col, opacity);
  }
}

}  // namespace headlight
