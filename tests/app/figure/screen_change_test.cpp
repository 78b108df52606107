// The window between two states: cross-fade, sliding, the travelling pair, masks by diagonals, words.
#include "app/figure/motion/screen_change.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

ScreenState heatmap(const Rect& cells) {
  ScreenState state;
  state.cells = cells;
  return state;
}

ShownMask mask(Index size, bool causal) {
  ShownMask mask{size, size, {}};
  for (Index row = 0; row < size; ++row)
    for (Index column = 0; column < size; ++column)
      mask.forbidden.push_back(causal && column > row);
  return mask;
}

bool near(const Rect& a, const Rect& b) {
  return std::abs(a.x - b.x) < 1e-9 && std::abs(a.y - b.y) < 1e-9 && std::abs(a.width - b.width) < 1e-9 &&
         std::abs(a.height - b.height) < 1e-9;
}

Rect moved(const Placement& by, const Rect& rect) {
  const Point low = by.of({rect.x, rect.y}), high = by.of({rect.right(), rect.bottom()});
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

}  // namespace

TEST_CASE("screen change: the earlier picture fades out while its cells slide to the later ones") {
  const ScreenState before = heatmap({100, 50, 200, 200}), after = heatmap({140, 80, 300, 260});
  double earlier = 1.1;
  for (double seconds = 0; seconds < kChangeSeconds; seconds += 0.01) {
    const ScreenMoment moment = screen_at(before, after, seconds);
    CHECK(moment.earlier < earlier);
    earlier = moment.earlier;
    CHECK(near(moved(moment.earlier_at, before.cells), moved(moment.later_at, after.cells)));
  }
  const ScreenMoment begin = screen_at(before, after, 0), end = screen_at(before, after, kChangeSeconds);
  CHECK(begin.earlier == 1);
  CHECK(near(moved(begin.later_at, after.cells), before.cells));
  CHECK(end.earlier == 0);
  CHECK(near(moved(end.later_at, after.cells), after.cells));
}

TEST_CASE("screen change: pictures of other forms fade in their places") {
  for (const ScreenState& after : {heatmap({140, 80, 700, 260}), ScreenState{}}) {
    const ScreenMoment moment = screen_at(heatmap({100, 50, 200, 200}), after, 0.05);
    CHECK(moment.earlier_at.rests());
    CHECK(moment.later_at.rests());
  }
}

TEST_CASE("screen change: the chosen pair goes from its cell to its line and to its bar") {
  const Stroke cell = stroke_of({10, 20, 30, 30}), line = {{{100, 400}, {500, 100}}, 4};
  ScreenState before, after;
  before.pair = cell;
  after.pair = line;
  const auto at = [&](double seconds) { return screen_at(before, after, seconds).pair; };
  REQUIRE(at(0));
  CHECK(at(0)->width == 30);
  CHECK(at(0)->path.front().x == 10);
  CHECK(at(0)->path.back().x == 40);
  const auto half = at(kChangeSeconds / 2);
  REQUIRE(half);
  CHECK(std::abs(half->width - 17) < 1e-9);
  CHECK(std::abs(half->path.front().y - (35 + 400) / 2.0) < 1e-9);
  CHECK_FALSE(at(kChangeSeconds));  // it is the line
  after.pair = cell;
  CHECK_FALSE(at(0.05));  // it has not moved
  after.pair.reset();
  CHECK_FALSE(at(0.05));  // the later picture does not show it
}

TEST_CASE("screen change: the outline of a stroke surrounds its cell") {
  const std::vector<Point> corners = outline_of(stroke_of({10, 20, 30, 40}));
  REQUIRE(corners.size() == 4);
  for (const Point& corner : corners) {
    CHECK((corner.x == 10 || corner.x == 40));
    CHECK((corner.y == 20 || corner.y == 60));
  }
  const std::vector<Point> nothing = outline_of({{{5, 5}, {5, 5}}, 3});
  for (const Point& corner : nothing)
    CHECK(std::isfinite(corner.x));
}

TEST_CASE("screen change: a mask grows from the diagonal and shrinks from the far corner") {
  ScreenState open, causal;
  open.mask = mask(5, false);
  causal.mask = mask(5, true);
  const auto opacity = [](const ScreenMoment& moment, Index row, Index column) {
    return moment.masks[static_cast<std::size_t>(row * 5 + column)];
  };
  const ScreenMoment on = screen_at(open, causal, kMaskSeconds * 0.5);
  REQUIRE(on.masks.size() == 25);
  CHECK(opacity(on, 0, 1) < opacity(on, 0, 3));
  CHECK(opacity(on, 0, 4) == 1);
  CHECK(opacity(on, 1, 2) == opacity(on, 3, 4));  // one diagonal
  const ScreenMoment off = screen_at(causal, open, kMaskSeconds * 0.5);
  CHECK(opacity(off, 0, 4) < opacity(off, 0, 1));
  for (const double one : screen_at(open, causal, 0).masks)
    CHECK(one == 1);
  CHECK(screen_at(open, causal, kMaskSeconds).masks.empty());
  CHECK(screen_at(open, open, 0).masks.empty());
  ScreenState longer;
  longer.mask = mask(6, true);
  CHECK(screen_at(open, longer, 0).masks.empty());  // other tokens are no change of the mask
}

TEST_CASE("screen change: a mask of fewer queries than keys begins at the corner of the last key") {
  ScreenState open, causal;
  for (ScreenState* state : {&open, &causal}) {
    state->mask = {2, 4, std::vector<bool>(8, false)};
  }
  causal.mask.forbidden[3] = true;
  const ScreenMoment moment = screen_at(open, causal, kMaskSeconds * 0.3);
  REQUIRE(moment.masks.size() == 8);
  CHECK(moment.masks[2] < moment.masks[3]);  // of the first query the last key alone is hidden
}

TEST_CASE("screen change: the words of a sentence shrink into the line") {
  ScreenState before, after;
  before.words = {{"Ann", {100, 300, 60, 40}, 28}, {"gave", {180, 300, 70, 40}, 28}};
  after.words = {{"Ann", {20, 60, 40, 28}, 20}, {"saw", {70, 60, 50, 28}, 20}};
  const auto at = [&](double share) { return screen_at(before, after, share * kWordsSeconds).words; };
  REQUIRE(at(0).size() == 3);  // "gave" leaves, "Ann" travels, "saw" comes
  CHECK(at(0)[0].text == "gave");
  CHECK(at(0)[0].opacity == 1);
  CHECK(at(0)[1].at.x == 100);
  CHECK(at(0)[1].type_px == 28);
  CHECK(at(0)[2].opacity == 0);
  const auto half = at(0.5);
  REQUIRE(half.size() == 2);
  CHECK(std::abs(half[0].at.x - 60) < 1e-9);
  CHECK(std::abs(half[0].type_px - 24) < 1e-9);
  const auto end = at(1);
  CHECK(end[0].at.x == 20);
  CHECK(end[1].opacity == 1);
  before.words.clear();
  CHECK(at(0)[0].at.x == 20);  // nothing to come from
}
