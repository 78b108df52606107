// Ranges of colours that are held while numbers change, and the mark on the colour bar.
#include "app/figure/color/held_ranges.h"

#include "app/figure/plan/color_bar.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Frames of a window: `busy` while the button is down.
struct Frames {
  HeldRanges ranges;
  double now = 0;
  int number = 0;
  bool motion = true;

  HeldRanges::Shown next(const ColorRange& fitted, bool busy, double seconds = 0.016) {
    now += seconds;
    ranges.begin_frame(number++, now, busy, motion);
    return ranges.shown("weights", fitted);
  }
};

const ColorRange kBefore = {0, 0.5}, kNow = {0, 0.9};

}  // namespace

TEST_CASE("held range: it stays while numbers are dragged, and the mark shows where it would be") {
  Frames frames;
  CHECK(frames.next(kBefore, true).range == kBefore);
  frames.ranges.hold(frames.now);
  CHECK(frames.ranges.held());
  for (int i = 0; i < 100; ++i) {  // longer than the rest: the button is still down
    const HeldRanges::Shown shown = frames.next(kNow, true);
    CHECK(shown.range.high == kBefore.high);
    CHECK(shown.range.above);  // the larger numbers have the colour of the end
    CHECK(shown.ghost == kNow);
  }
  CHECK(frames.next(kBefore, true).ghost == std::nullopt);
}

TEST_CASE("held range: it is fitted shortly after the release, with motion") {
  Frames frames;
  frames.next(kBefore, true);
  frames.ranges.hold(frames.now);
  CHECK(frames.next(kNow, false).range.high == kBefore.high);
  CHECK(frames.ranges.waiting());
  CHECK(frames.next(kNow, false, HeldRanges::kRestSeconds).range.high == kBefore.high);
  CHECK_FALSE(frames.ranges.held());
  CHECK(frames.ranges.moving());
  double before = kBefore.high;
  while (frames.ranges.moving()) {
    const HeldRanges::Shown shown = frames.next(kNow, false);
    CHECK(shown.range.high >= before);
    CHECK(shown.ghost == std::nullopt);
    before = shown.range.high;
  }
  CHECK(frames.next(kNow, false).range == kNow);
}

TEST_CASE("held range: without motion it is fitted at once") {
  Frames frames;
  frames.motion = false;
  frames.next(kBefore, true);
  frames.ranges.hold(frames.now);
  CHECK(frames.next(kNow, true).range.high == kBefore.high);
  CHECK(frames.next(kNow, false).range == kNow);
  CHECK_FALSE(frames.ranges.moving());
}

TEST_CASE("held range: a click fits one and keeps it held") {
  Frames frames;
  frames.next(kBefore, true);
  frames.ranges.hold(frames.now);
  CHECK(frames.next(kNow, true).ghost == kNow);
  frames.ranges.fit("weights");
  CHECK(frames.next(kNow, true).range == kNow);
  CHECK(frames.next({0, 2}, true).range.high == kNow.high);
  CHECK(frames.ranges.held());
}

TEST_CASE("held range: what is new or was away is fitted") {
  Frames frames;
  frames.next(kBefore, true);
  frames.ranges.hold(frames.now);
  frames.ranges.begin_frame(frames.number++, frames.now, true, true);
  frames.ranges.begin_frame(frames.number++, frames.now, true, true);
  CHECK(frames.ranges.shown("weights", kNow).range == kNow);
  CHECK(frames.ranges.shown("scores", kBefore).range == kBefore);
}

TEST_CASE("held range: a scale of another kind is not reached by way of wrong ones") {
  const ColorRange log = {1e-3, 1, true};
  CHECK(between(kBefore, log, 0.5) == log);
  CHECK_THAT(between({1e-4, 1, true}, {1e-2, 1, true}, 0.5).low, WithinAbs(1e-3, 1e-9));
  CHECK_THAT(between({0, 1}, {0, 3}, 0.5).high, WithinAbs(2, 1e-9));
}

TEST_CASE("held range: the mark lies on the bar where the new ends are") {
  PlannedBar bar;
  bar.rect = {100, 50, 12, 200};
  BarGhost ghost = ghost_on_bar(bar, {0, 1}, {0.25, 0.75});
  CHECK(ghost.top == 100);
  CHECK(ghost.bottom == 200);
  CHECK_FALSE((ghost.above || ghost.below));
  ghost = ghost_on_bar(bar, {0, 1}, {-1, 2});
  CHECK(ghost.top == 50);
  CHECK(ghost.bottom == 250);
  CHECK((ghost.above && ghost.below));
}
