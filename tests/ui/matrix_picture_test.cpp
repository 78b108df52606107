// The layout of the heatmap that belongs to no stage.
#include "app/ui/model/matrix_picture.h"

#include <algorithm>

#include "app/ui/widgets/plan_painter.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;

namespace {

// Three layers of six heads, and behind them an MLP that adds ten times as much.
Matrix parts() {
  Matrix values = Matrix::Zero(3, 8);
  values(0, 1) = 0.4f;
  values(1, 2) = -0.2f;
  values(0, 6) = 4.0f;
  values(1, 6) = -2.0f;
  return values;
}

MatrixPicture picture_of(const Matrix& values, Index apart) {
  return {"parts",
          values,
          {"L0", "L1", "L2"},
          {"H0", "H1", "H2", "H3", "H4", "H5", "MLP", "rest"},
          "layer",
          "adds",
          std::nullopt,
          2,
          apart,
          "heads",
          "others"};
}

}  // namespace

TEST_CASE("matrix picture: heads have colours of their own beside an MLP that adds much more") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = parts();
  const HeatmapPlan one = plan_matrix(robot.theme(), picture_of(values, 0), {700, 300}),
                    apart = plan_matrix(robot.theme(), picture_of(values, 6), {700, 300});
  const auto color = [](const HeatmapPlan& plan, Index row, Index column) {
    return plan.cells.colors[static_cast<std::size_t>(row * plan.cells.columns + column)];
  };
  CHECK_FALSE(color(one, 0, 1) == color(one, 0, 6));
  CHECK(color(apart, 0, 1) == color(apart, 0, 6));
  CHECK(color(apart, 1, 2) == color(apart, 1, 6));
  REQUIRE(apart.bars.size() == 2);
  CHECK_FALSE(overlap(apart.bars[0].rect, apart.bars[1].rect));
  CHECK(apart.numbers);
  const auto told = [&](const char* number) {
    return std::count_if(apart.texts.begin(), apart.texts.end(), [&](const PlannedText& text) {
      return text.text == number && text.x < apart.cells.rect.right();
    });
  };
  CHECK(told("0.40") == 1);
  CHECK(told("4.00") == 1);
  for (const PlannedText& text : apart.texts) {
    INFO(text.text);
    CHECK((text.x >= 0 && text.x <= 700 && text.y >= 0 && text.y <= 300));
  }
}

TEST_CASE("matrix picture: the numbers of the first bar end before the second") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  for (const float size : {1.0f, 0.00678f, 0.000123f, 12345.6f, 9.87e-9f}) {
    const Matrix values = parts() * size;
    const HeatmapPlan plan = plan_matrix(robot.theme(), picture_of(values, 6), {700, 300});
    REQUIRE(plan.bars.size() == 2);
    for (const PlannedText& text : plan.texts) {
      if (text.x < plan.bars[0].rect.x || text.x >= plan.bars[1].rect.x) continue;
      INFO(size << " " << text.text);
      CHECK(text.x + imgui_measure(robot.theme())(text.text, text.size_px, text.face).width <
            plan.bars[1].rect.x);
    }
  }
}

TEST_CASE("matrix picture: two ranges of colours in any size") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = parts();
  for (float width = 1; width < 900; width += 60)
    for (float height = 1; height < 500; height += 60) {
      const HeatmapPlan plan = plan_matrix(robot.theme(), picture_of(values, 6), {width, height});
      CHECK(plan.cells.colors.size() == 24);
      CHECK(plan.bars.size() <= 2);
    }
}
