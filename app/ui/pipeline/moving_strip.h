// The strip on its way to the diagram of a changed layer, from frame to frame.
#pragma once

#include <cstdint>
#include <optional>

#include "app/ui/picture/shown_copy.h"
#include "app/ui/pipeline/strip_motion.h"

namespace headlight {

class MovingStrip {
 public:
  // What to draw of `plan` in this frame, at `origin`. If its parts are others than those of the frame
  // before, it begins to move there from what is shown; not from another document, nor in another form.
  StripMoment moment(UiContext& ui, const PipelinePlan& plan, ImVec2 origin);
  // What leaves, as it looked when the motion began.
  void draw_leaving(const UiContext& ui, const StripMoment& moment, ImVec2 origin);

  bool moves() const { return moves_; }

 private:
  void begin(const UiContext& ui);

  std::optional<PipelinePlan> goal_;  // the diagram of the last frame
  PipelinePlan shown_, before_;       // as it was drawn in the last frame, and when the motion began
  ImVec2 shown_at_, before_at_;       // the origins of both
  std::optional<ShownCopy> copy_;     // of the window's strip when the motion began
  std::uint64_t opening_ = 0;         // of the document
  MotionClock clock_;
  bool moves_ = false;
};

}  // namespace headlight
