// Layout of labelled controls on lines that wrap.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/widgets.h"

namespace headlight {

// Lays out groups of a label and its control from left to right; a group that does not fit begins a new line.
class Flow {
 public:
  Flow(const UiContext& ui, float width) : ui_(ui), origin_(ImGui::GetCursorScreenPos()), width_(width) {}

  // Draws the label and moves the cursor to where a control of `control_width` follows it.
  void group(const std::string& label, float control_width);
  // The next group begins at x, unless the line is already longer.
  void go_to(float x) { x_ = std::max(x_, x); }
  // Where the next group begins, if it fits, and where the last one ends, in pixels from the left edge.
  float begin() const { return x_; }
  float end() const { return end_; }
  float height() const { return y_ + ImGui::GetFrameHeight(); }

 private:
  const UiContext& ui_;
  ImVec2 origin_;
  float width_, x_ = 0, y_ = 0, end_ = 0;
};

// The width of a choice_box in which each of its labels fits.
float combo_width(const UiContext& ui, const std::vector<Choice>& choices);

}  // namespace headlight
