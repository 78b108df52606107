#include "app/ui/kit/text_fit.h"

#include <imgui.h>

namespace headlight {

std::string elided(const std::string& text, float width_px) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width_px) return text;
  constexpr const char* kEllipsis = "…";
  const float room = width_px - ImGui::CalcTextSize(kEllipsis).x;
  std::size_t end = text.size();
  while (end > 0 && ImGui::CalcTextSize(text.data(), text.data() + end).x > room) {
    --end;
    // Back to the first byte of a character: the others are 10xxxxxx.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      --end;
  }
  return text.substr(0, end) + kEllipsis;
}

void align_right(float width_px) {
  const float free = ImGui::GetContentRegionAvail().x - width_px;
  if (free > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
}

float button_width(const std::string& label) {
  return ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

}  // namespace headlight
