#include "app/ui/widgets/flow_layout.h"

#include <algorithm>

namespace headlight {

void Flow::group(const std::string& label, float control_width) {
  const Theme& theme = ui_.theme;
  const float label_width = label.empty() ? 0 : text_width(theme.fonts.label, label) + theme.px(6);
  const float total = label_width + control_width;
  wrap(total);
  const float line = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddText(
      theme.fonts.label, font_size(theme.fonts.label),
      {origin_.x + x_, origin_.y + y_ + (line - font_size(theme.fonts.label)) / 2},
      to_imgui(theme.quiet_text), label.c_str());
  ImGui::SetCursorScreenPos({origin_.x + x_ + label_width, origin_.y + y_});
  end_ = x_ + total;
  x_ = end_ + theme.px(14);
}

void Flow::control(float width, float gap) {
  wrap(width);
  ImGui::SetCursorScreenPos({origin_.x + x_, origin_.y + y_});
  end_ = x_ + width;
  x_ = end_ + gap;
}

void Flow::to_end(float width) {
  if (!wrap(width)) x_ = std::max(x_, width_ - width);
}

bool Flow::wrap(float width) {
  constexpr float kRounding = 0.5f;  // pixels, of sums of the same widths
  if (x_ <= 0 || x_ + width <= width_ + kRounding) return false;
  x_ = 0;
  y_ += ImGui::GetFrameHeight() + ui_.theme.px(6);
  return true;
}

float combo_width(const UiContext& ui, const std::vector<Choice>& choices) {
  float widest = 0;
  for (const Choice& choice : choices)
    widest = std::max(widest, text_width(ui.theme.fonts.text, choice.label));
  return widest + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
}

}  // namespace headlight
