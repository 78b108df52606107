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
  // Moves the cursor to where a control of `width` stands; the next one follows it after `gap`.
  void control(float width, float gap);
  // Moves what follows, `width` wide in all, to the right end of this line. On a line of its own, if this one
  // is too short, it begins at the left.
  void to_end(float width);
  // The width that is left on this line.
  float rest() const { return std::max(0.0f, width_ - x_); }
  float width() const { return width_; }
  // The next group begins at x, unless the line is already longer.
  void go_to(float x) { x_ = std::max(x_, x); }
  // Where the next group begins, if it fits, and where the last one ends, in pixels from the left edge.
  float begin() const { return x_; }
  float end() const { return end_; }
  float height() const { return y_ + ImGui::GetFrameHeight(); }
  float bottom() const { return origin_.y + height(); }  // on the screen

 private:
  // Begins a new line if `width` does not fit on this one. Returns whether it did.
  bool wrap(float width);

  const UiContext& ui_;
  ImVec2 origin_;
  float width_, x_ = 0, y_ = 0, end_ = 0;
};

// The width of a choice_box in which each of its labels fits.
float combo_width(const UiContext& ui, const std::vector<Choice>& choices);

}  // namespace headlight
