// What moves between two states of the window: the picture from one stage or view to another, a mask, and the
// sentence of the start screen.
#include <cmath>

#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/arrival.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr const char* kEarlier = "focus.earlier";

// The centre in a window whose frames are copied.
struct MovingCentre : CentrePanel {
  explicit MovingCentre(const std::string& lesson) : CentrePanel(lesson_session(lesson)) {
    fixture.preferences().motion = true;
    robot().copy_frames();
    rests();
  }
  void rests() { robot().frames(60); }
  bool moves() { return robot().shows(kEarlier); }
  double earlier() { return std::stod(robot().value(kEarlier)); }
};

}  // namespace

TEST_CASE("moving: a picture of another stage fades in, and then nothing asks for frames") {
  MovingCentre centre("16-causal-mask");
  CHECK_FALSE(centre.moves());
  centre.fixture.view().focused_stage = Stage::Scores;
  centre.robot().frames(2);
  REQUIRE(centre.moves());
  CHECK(centre.fixture.view().lesson.fading);
  const double first = centre.earlier();
  centre.robot().frames(4);
  CHECK(centre.earlier() < first);
  centre.rests();
  CHECK_FALSE(centre.moves());
  CHECK_FALSE(centre.fixture.wakes_within());
}

TEST_CASE("moving: every view, head and step of a lesson is another picture; a selection is not") {
  MovingCentre centre("20-two-heads");
  ViewState& view = centre.fixture.view();
  const auto moves_after = [&](const auto& change) {
    change();
    centre.robot().frames(2);
    const bool moves = centre.moves();
    centre.rests();
    return moves;
  };
  CHECK(moves_after([&] { view.focus_view = FocusView::Flow; }));
  CHECK(moves_after([&] { view.focus_view = FocusView::Row; }));
  CHECK(moves_after([&] { view.focus_view = FocusView::Heatmap; }));
  CHECK(moves_after([&] { view.head = 1; }));
  CHECK(moves_after([&] { ++centre.state.stages.step; }));
  CHECK_FALSE(moves_after([&] { view.selection.cell = CellAddress{Stage::Weights, 0, 1, 3, 2}; }));
}

TEST_CASE("moving: without motion the new picture is there at once") {
  MovingCentre still("16-causal-mask");
  still.fixture.preferences().motion = false;
  still.fixture.view().focused_stage = Stage::Scores;
  still.robot().frames(2);
  CHECK_FALSE(still.moves());
}

TEST_CASE("moving: so is the first picture of a window, of which there is no copy") {
  CentrePanel first(lesson_session("16-causal-mask"));
  first.fixture.view().focused_stage = Stage::Scores;
  first.robot().frames(2);
  CHECK_FALSE(first.robot().shows(kEarlier));
}

TEST_CASE("moving: the chosen pair travels from its cell to its line and on to its bar") {
  MovingCentre centre("16-causal-mask");
  ViewState& view = centre.fixture.view();
  view.selection.cell = CellAddress{Stage::Weights, 0, 0, 4, 1};
  centre.rests();
  const auto cell = view.selection.pair;
  REQUIRE(cell);
  for (const FocusView next : {FocusView::Flow, FocusView::Row}) {
    const auto before = view.selection.pair;
    REQUIRE(before);
    view.focus_view = next;
    centre.robot().frames(2);
    REQUIRE(centre.robot().shows("focus.moving"));
    CHECK(std::abs(centre.rect("focus.moving").x - before->path.front().x) < 40);  // it has just begun
    centre.rests();
    REQUIRE(view.selection.pair);
    CHECK(view.selection.pair->width != before->width);
  }
  const Rect bar = centre.rect("row.weights.1");
  CHECK(view.selection.pair->path.front().x >= bar.x);
  CHECK(view.selection.pair->path.back().x <= bar.right());
}

TEST_CASE("moving: the mask goes on by diagonals, without outlines of changed cells") {
  MovingCentre centre("16-causal-mask");
  centre.fixture.view().focused_stage = Stage::Masked;
  centre.rests();
  const auto& entry = centre.state.stages.cache.entry("focus.masked.h0");
  REQUIRE(entry.tile);
  centre.fixture.document().run(SetMask{MaskKind::None, {}});
  CHECK(entry.tile->mark(0, 1) == CellMark::Masked);
  centre.robot().frames(3);
  CHECK(entry.tile->mark(0, 1) == CellMark::None);
  CHECK(entry.sweep.moves());
  CHECK(entry.glow.cells().empty());
  centre.rests();
  CHECK_FALSE(entry.sweep.moves());
  CHECK_FALSE(centre.fixture.wakes_within());
}

TEST_CASE("moving: behind the start screen one more frame is drawn, in which the line has its beams again") {
  Arrival arrival;
  bool starts = false;
  headlight_test::PanelFixture fixture(headlight_test::lesson_session("16-causal-mask"),
                                       [&](UiContext& ui) {
                                         if (std::exchange(starts, false)) arrival.begin(ui, {});
                                         arrival.draw(ui, {});
                                       },
                                       {800, 600});
  fixture.preferences().motion = true;
  fixture.robot().copy_frames();
  fixture.robot().frames(4);
  starts = true;
  fixture.robot().frames(1);
  REQUIRE(arrival.moves());
  while (arrival.moves())
    fixture.robot().frames(1);
  CHECK(fixture.wakes_within());
  fixture.robot().frames(1);
  CHECK_FALSE(fixture.wakes_within());
}
