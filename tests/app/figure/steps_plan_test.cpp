// Numbers over the steps of a training as lines.
#include "app/figure/plan/steps_plan.h"

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

StepLines two_lines() {
  Matrix values(4, 2);
  values << 4, 0.5f, 3, NAN, 2, 1, 1, 1.5f;
  return {{0, 100, 200, 400}, {"loss", "norm"}, values};
}

Drawing planned_lines(const StepLines& lines, double width = 500, double height = 300) {
  return plan_step_lines(lines, FigureStyle::light(), width, height, plain_measure);
}

}  // namespace

TEST_CASE("steps plan: a dot for each number at its step, higher where it is larger") {
  const Drawing drawing = planned_lines(two_lines());
  REQUIRE(drawing.dots.size() == 7);  // one is no number
  const auto& dots = drawing.dots;
  CHECK_THAT(dots[3].x - dots[0].x, WithinAbs(4 * (dots[1].x - dots[0].x), 1e-6));
  CHECK(dots[0].y < dots[1].y);
  CHECK(dots[0].color == FigureStyle::light().series[0]);
  CHECK(dots[4].color == FigureStyle::light().series[1]);
  CHECK(drawing.strokes.size() == 3 + 1 + 2);  // no line over the gap, and two samples beside the names
}

TEST_CASE("steps plan: equal numbers, one checkpoint and every size are planned") {
  const StepLines one = {{7}, {"loss"}, Matrix::Constant(1, 1, 2)};
  CHECK(planned_lines(one).dots.size() == 1);
  for (const double width : {0.0, 20.0, 120.0, 900.0})
    for (const double height : {0.0, 20.0, 120.0, 900.0})
      CHECK(planned_lines(two_lines(), width, height).dots.size() == 7);
}
