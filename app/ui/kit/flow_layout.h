// Groups of a label and its control on lines that break where there is no room.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/kit/widgets.h"

namespace headlight {

// Lays groups of a label and its control out from left to right, onto a new line when one does not fit.
class Flow {
 public:
  Flow(const UiContext& ui, float width) : ui_(ui), origin_(ImGui::GetCursorScreenPos()), width_(width) {}

  // Puts the cursor where a control of `control_width` stands behind its label.
  void group(const std::string& label, float control_width);
  // The next group begins this far from the left, where the line has not come so far yet.
  void go_to(float x) { x_ = std::max(x_, x); }
  // Where the next group begins, if it fits, and where the last one ends: on their lines.
  float begin() const { return x_; }
  float end() const { return end_; }
  float height() const { return y_ + ImGui::GetFrameHeight(); }

 private:
  const UiContext& ui_;
  ImVec2 origin_;
  float width_, x_ = 0, y_ = 0, end_ = 0;
};

// The width of a choice_box that has room for each of its labels.
float combo_width(const UiContext& ui, const std::vector<Choice>& choices);

}  // namespace headlight
