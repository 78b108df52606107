// FramesDue: how many frames are drawn before the window waits for the next event.
#pragma once

namespace headlight {

class FramesDue {
 public:
  // Dear ImGui needs a few frames after an event until sizes and hover states have settled.
  static constexpr int kAfterEvent = 3;

  bool any() const { return count_ > 0; }
  void ask(int frames = kAfterEvent) { count_ = frames; }
  // Call after each frame. A frame that received input is the first of its own: input that arrives in the
  // last frame due after an earlier event is followed by as many frames as any other.
  void drawn(bool received_input) {
    if (received_input && count_ < kAfterEvent) count_ = kAfterEvent;
    if (count_ > 0) --count_;
  }

 private:
  int count_ = 0;
};

}  // namespace headlight
