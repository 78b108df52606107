// How many frames follow an event.
#include "app/shell/frames_due.h"

#include <algorithm>
#include <vector>

#include "tests/support/catch.h"

using headlight::FramesDue;

namespace {

// The frames that are drawn before the window waits again, if input arrives in the frames with these numbers.
int frames_drawn(const std::vector<int>& with_input) {
  FramesDue due;
  due.ask();
  int frame = 0;
  while (due.any()) {
    due.drawn(std::find(with_input.begin(), with_input.end(), frame) != with_input.end());
    ++frame;
  }
  return frame;
}

}  // namespace

TEST_CASE("frames due: input in any frame is followed by as many frames as an event that ends a wait") {
  constexpr int kEach = FramesDue::kAfterEvent;
  CHECK(frames_drawn({}) == kEach);
  for (int last = 0; last < kEach; ++last) {
    CAPTURE(last);
    CHECK(frames_drawn({last}) == last + kEach);
  }
  CHECK(frames_drawn({2, 4}) == 4 + kEach);
}
