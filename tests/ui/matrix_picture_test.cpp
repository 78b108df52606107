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

MatrixPicture picture_of(const Matrix& values) {
  return {"parts", values, {"L0", "L1", "L2"}, {"H0", "H1", "H2", "H3", "H4", "H5", "MLP", "rest"},
          "layer", "adds", std::nullopt};
}

Color color(const HeatmapPlan& plan, Index row, Index column) {
  return plan.cells.colors[static_cast<std::size_t>(row * plan.cells.columns + column)];
}

Index told(const HeatmapPlan& plan, std::string_view number) {
  return std::count_if(plan.texts.begin(), plan.texts.end(), [&](const PlannedText& text) {
    return text.text == number && text.x < plan.cells.rect.right();
  });
}

}  // namespace

TEST_CASE("matrix picture: heads and the MLP have one range of colours, however much either adds") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = parts();
  const HeatmapPlan plan = plan_matrix(robot.theme(), picture_of(values), {700, 300});
  CHECK_FALSE(color(plan, 0, 1) == color(plan, 0, 6));
  CHECK_FALSE(color(plan, 1, 2) == color(plan, 1, 6));
  CHECK(plan.bars.size() == 1);
  REQUIRE(plan.numbers);
  CHECK(told(plan, "0.40") == 1);
  CHECK(told(plan, "4.00") == 1);
  for (const PlannedText& text : plan.texts) {
    INFO(text.text);
    CHECK((text.x >= 0 && text.x <= 700 && text.y >= 0 && text.y <= 300));
  }
}

TEST_CASE("matrix picture: a part that does not exist is an empty cell, not a zero") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = parts();
  MatrixPicture picture = picture_of(values);
  const HeatmapPlan all = plan_matrix(robot.theme(), picture, {700, 300});
  // "MLP" is there once, in the second row, and "rest" in the last.
  picture.exists = [](Index row, Index column) { return column < 6 || row == column - 5; };
  const HeatmapPlan some = plan_matrix(robot.theme(), picture, {700, 300});
  CHECK(told(all, "4.00") == 1);
  CHECK(told(some, "4.00") == 0);
  CHECK(told(some, "-2.00") == told(all, "-2.00"));
  CHECK(told(some, "0.00") == told(all, "0.00") - 3);
  CHECK(color(some, 0, 6) == some.background);
  CHECK_FALSE(color(all, 0, 6) == all.background);
  CHECK(color(some, 1, 6) == color(all, 1, 6));
  CHECK(color(some, 0, 1) == color(all, 0, 1));
}

TEST_CASE("matrix picture: a range of colours in any size") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = parts();
  for (float width = 1; width < 900; width += 60)
    for (float height = 1; height < 500; height += 60) {
      const HeatmapPlan plan = plan_matrix(robot.theme(), picture_of(values), {width, height});
      CHECK(plan.cells.colors.size() == 24);
      CHECK(plan.bars.size() <= 1);
    }
}

TEST_CASE("matrix picture: where rows have room for their names, all of them have one, and no axis is cut") {
  headlight_test::PanelRobot robot;
  robot.frames(2);
  const Matrix values = Matrix::Random(4, 13);
  const std::vector<std::string> rows = {"layer 0", "layer 1", "layer 2", "out"};
  std::vector<std::string> columns(13, "Peter");
  const MatrixPicture picture = {
      "patches", values, rows, columns, "stream into", "token of the present text", std::nullopt};
  for (const float width : {214.0f, 300.0f, 440.0f})
    for (const float height : {190.0f, 240.0f, 320.0f}) {
      INFO(width << " x " << height);
      const HeatmapPlan plan = plan_matrix(robot.theme(), picture, {width, height});
      CHECK(plan.row_labels == 4);
      CHECK(plan.cells.rect.height >= 4 * 15);
      for (const PlannedText& text : plan.texts)
        CHECK(
            (text.text.find("…") == std::string::npos || text.angle_deg != 90 || text.x > plan.cells.rect.x));
    }
}
