// From the start screen into the workbench: its sentence shrinks into the line of words there, its widest
// beam becomes the cell of the picture, and everything else fades.
#pragma once

#include <vector>

#include "app/ui/picture/shown_copy.h"

namespace headlight {

class Arrival {
 public:
  // In the first frame without the start screen. `start`: its words, and the beam of its chosen pair.
  void begin(UiContext& ui, const ScreenState& start);
  // While it moves, the line of words does not draw its own.
  bool moves() const { return copy_.has_value(); }
  // After everything else has been drawn: over it. `words`: those of the line.
  void draw(UiContext& ui, const std::vector<ShownWord>& words);

 private:
  void end(UiContext& ui);

  std::optional<ShownCopy> copy_;  // of the whole window
  ScreenState start_;
  MotionClock clock_;
};

}  // namespace headlight
