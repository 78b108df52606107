#include "app/ui/widgets/flow_layout.h"

#include <algorithm>

namespace headlight {

void Flow::group(const std::string& label, float control_width) {
  const Theme& theme = ui_.theme;
  const float label_width = label.empty() ? 0 : text_width(theme.fonts.label, label) + theme.px(6);
  const float total = label_width + control_width;
  if (x_ > 0 && x_ + total > width_) {
    x_ = 0;
    y_ += ImGui::GetFrameHeight() + theme.px(6);
  }
  const float line = ImGui::GetFrameHeight();
  ImGui::GetWindowDrawList()->AddText(
      theme.fonts.label, font_size(theme.fonts.label),
      {origin_.x + x_, origin_.y + y_ + (line - font_size(theme.fonts.label)) / 2},
      to_imgui(theme.quiet_text), label.c_str());
  ImGui::SetCursorScreenPos({origin_.x + x_ + label_width, origin_.y + y_});
  end_ = x_ + total;
  x_ = end_ + theme.px(14);
}

float combo_width(const UiContext& ui, const std::vector<Choice>& choices) {
  float widest = 0;
  for (const Choice& choice : choices)
    widest = std::max(widest, text_width(ui.theme.fonts.text, choice.label));
  return widest + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
}

}  // namespace headlight
