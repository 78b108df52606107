// The triangles that a plan becomes in Dear ImGui: their positions and number.
#include "app/ui/widgets/plan_painter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;
using headlight_test::PanelRobot;
using headlight_test::WithinAbs;

namespace {

struct CountingTextures final : TextureStore {
  ImTextureID texture(const std::string& key, std::uint64_t version, int width, int height,
                      const std::vector<Color>& pixels) override {
    last = key + " " + std::to_string(version) + " " + std::to_string(width) + "x" + std::to_string(height) +
           " " + std::to_string(pixels.size());
    return texture_id(7);
  }
  bool copy_shown(const std::string&, int, int, int, int) override { return false; }
  std::optional<ImTextureID> copied(const std::string&) override { return std::nullopt; }
  std::uint64_t uploads(ImTextureID) const override { return 0; }
  void end_frame() override {}
  std::string last;
};

// The vertices that a plan adds to an empty window.
struct Painted {
  int vertices = 0;
  ImVec2 low{FLT_MAX, FLT_MAX}, high{-FLT_MAX, -FLT_MAX};
  ImU32 first_color = 0;
  std::string texture;
};

Painted painted(const HeatmapPlan& plan, ImVec2 origin) {
  PanelRobot robot;
  CountingTextures textures;
  Painted result;
  robot.draw_with([&] {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const int before = list.VtxBuffer.Size;
    paint_plan(plan, origin, list, robot.theme(), textures, "key", 3);
    result.vertices = list.VtxBuffer.Size - before;
    for (int i = before; i < list.VtxBuffer.Size; ++i) {
      const ImVec2 at = list.VtxBuffer[i].pos;
      result.low = {std::min(result.low.x, at.x), std::min(result.low.y, at.y)};
      result.high = {std::max(result.high.x, at.x), std::max(result.high.y, at.y)};
    }
    if (result.vertices > 0) result.first_color = list.VtxBuffer[before].col;
  });
  robot.frames(1);
  result.texture = textures.last;
  return result;
}

HeatmapPlan cells_plan(Index rows, Index columns) {
  HeatmapPlan plan;
  plan.cells = {{4, 6, 64, 32}, rows, columns, {}};
  plan.cells.colors.assign(static_cast<std::size_t>(rows * columns), Color{10, 20, 30, 255});
  return plan;
}

PlannedText text_at(double x, double y, double angle_deg, Anchor anchor) {
  PlannedText text;
  text.text = "journey";
  text.x = x;
  text.y = y;
  text.angle_deg = angle_deg;
  text.anchor = anchor;
  text.color = {255, 255, 255, 255};
  return text;
}

}  // namespace

TEST_CASE("painter: few cells are rectangles that fill their place, many are one texture") {
  const Painted few = painted(cells_plan(4, 8), {100.3F, 50.4F});
  CHECK(few.vertices == 4 * 8 * 4);
  CHECK(few.texture.empty());
  CHECK(few.first_color == IM_COL32(10, 20, 30, 255));
  // The origin is rounded to whole pixels.
  CHECK(few.low.x == 104);
  CHECK(few.low.y == 56);
  CHECK(few.high.x == 168);
  CHECK(few.high.y == 88);

  const Painted many = painted(cells_plan(33, 8), {100, 50});
  CHECK(many.vertices == 4);
  CHECK(many.texture == "key 3 8x33 264");
  CHECK(many.high.x == 168);
}

TEST_CASE("painter: the screen is painted in the order that files are painted in") {
  HeatmapPlan plan;
  plan.bars.push_back({});
  plan.bars.back().rect = {10, 10, 8, 40};
  plan.bars.back().colors = {Color{0, 0, 255, 255}};
  plan.lines.push_back({49.5, 10, 49.5, 90, 1, {255, 0, 0, 255}});
  CHECK(painted(plan, {0, 0}).first_color == IM_COL32(255, 0, 0, 255));  // lines are painted before bars
}

TEST_CASE("painter: a box lies inside its rectangle, a thin line is one whole pixel") {
  HeatmapPlan plan;
  plan.boxes.push_back({{10, 20, 30, 40}, 1, {255, 0, 0, 255}});
  const Painted box = painted(plan, {0, 0});
  CHECK(box.low.x == 10);
  CHECK(box.low.y == 20);
  CHECK(box.high.x == 40);
  CHECK(box.high.y == 60);

  HeatmapPlan lines;
  lines.lines.push_back({49.5, 10, 49.5, 90, 1, {255, 0, 0, 255}});
  const Painted line = painted(lines, {0, 0});
  CHECK(line.low.x == 49);
  CHECK(line.high.x == 50);
  CHECK(line.low.y == 10);
  CHECK(line.high.y == 90);
}

namespace {

// The vertices of a drawing at (50, 20).
std::vector<ImVec2> vertices_of(const Drawing& drawing) {
  PanelRobot robot;
  std::vector<ImVec2> vertices;
  robot.draw_with([&] {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const int before = list.VtxBuffer.Size;
    paint_drawing(drawing, {50, 20}, list, robot.theme());
    for (int i = before; i < list.VtxBuffer.Size; ++i)
      vertices.push_back(list.VtxBuffer[i].pos);
  });
  robot.frames(1);
  return vertices;
}

}  // namespace

TEST_CASE(
    "painter: the triangles of a curve or a band are along it, and none are in the gaps of a dashed one") {
  constexpr Color kRed = {255, 0, 0, 255};
  const Curve path = level_curve({0, 0}, {400, 300}), shown = moved(path, {50, 20});
  Drawing curve, band, dashes;
  curve.curves.push_back({path, 4, kRed});
  band.bands.push_back({path, 6, 3, kRed});
  for (const Drawing* drawing : {&curve, &band}) {
    const std::vector<ImVec2> solid = vertices_of(*drawing);
    REQUIRE(solid.size() > 20);
    for (const ImVec2& at : solid)
      CHECK(distance(shown, {double{at.x}, double{at.y}}) < 4.5);
  }
  dashes.curves.push_back({straight_curve({0, 100}, {400, 100}), 4, kRed, 20});
  const std::vector<ImVec2> dashed = vertices_of(dashes);
  REQUIRE(dashed.size() >= 10 * 4);
  for (const ImVec2& at : dashed) {
    const double along = std::fmod(double{at.x} - 50, 40);
    const bool in_gap = along > 23 && along < 37;
    CHECK_FALSE(in_gap);
  }
}

TEST_CASE(
    "painter: a band's triangles are those between its own vertices, and narrower than a pixel it is "
    "fainter") {
  const auto colors = [](double width) {
    PanelRobot robot;
    ImU32 strongest = 0;
    robot.draw_with([&] {
      ImDrawList& list = *ImGui::GetWindowDrawList();
      const int vertices = list.VtxBuffer.Size, indices = list.IdxBuffer.Size;
      Drawing drawing;
      for (int i = 0; i < 3; ++i)
        drawing.bands.push_back({level_curve({0, 0}, {400, 10.0 * i}), width, width, {255, 0, 0, 255}});
      paint_drawing(drawing, {}, list, robot.theme());
      for (int i = vertices; i < list.VtxBuffer.Size; ++i)
        strongest = std::max(strongest, list.VtxBuffer[i].col >> IM_COL32_A_SHIFT);
      std::vector<bool> used(static_cast<std::size_t>(list.VtxBuffer.Size));
      for (int i = indices; i < list.IdxBuffer.Size; ++i)
        used.at(list.IdxBuffer[i]) = true;
      CHECK(std::count(used.begin(), used.begin() + vertices, true) == 0);
      CHECK(std::count(used.begin() + vertices, used.end(), false) == 0);
    });
    robot.frames(1);
    return strongest;
  };
  CHECK(colors(3) == 255);
  CHECK(colors(0.5) >= 126);
  CHECK(colors(0.5) <= 129);
}

TEST_CASE("painter: text stands where its anchor says, turned or not") {
  const double length = [] {
    const PanelRobot robot;
    return imgui_measure(robot.theme())("journey", 12, FontFace::Text).width;
  }();
  REQUIRE(length > 20);
  HeatmapPlan plan;
  plan.texts = {text_at(300, 200, 0, Anchor::End)};
  const Painted flat = painted(plan, {0, 0});
  CHECK_THAT(flat.high.x, WithinAbs(300, 2.5));
  CHECK_THAT(flat.low.x, WithinAbs(300 - length, 2.5));
  CHECK((flat.low.y < 200 && flat.high.y > 200));

  plan.texts = {text_at(300, 200, 90, Anchor::Start)};  // reads upwards from the anchor
  const Painted upright = painted(plan, {0, 0});
  CHECK_THAT(upright.high.y, WithinAbs(200, 2.5));
  CHECK_THAT(upright.low.y, WithinAbs(200 - length, 2.5));
  CHECK((upright.low.x < 300 && upright.high.x > 300));
  CHECK(upright.vertices == flat.vertices);

  plan.texts = {text_at(300, 200, 45, Anchor::Start)};
  const Painted slanted = painted(plan, {0, 0});
  // In any font the corners of the last letter extend by half a line's height.
  CHECK_THAT(slanted.high.x, WithinAbs(300 + length * 0.7071, 8));
  CHECK_THAT(slanted.low.y, WithinAbs(200 - length * 0.7071, 8));
}

TEST_CASE("painter: text is measured with the font it is drawn with") {
  const PanelRobot robot;
  const Theme& theme = robot.theme();
  const MeasureText measure = imgui_measure(theme);
  CHECK(sized_font(theme.fonts, 12, FontFace::Text).font == theme.fonts.label);
  CHECK(sized_font(theme.fonts, 14, FontFace::Text).font == theme.fonts.text);
  CHECK(sized_font(theme.fonts, 18, FontFace::Text).font == theme.fonts.title);
  CHECK(sized_font(theme.fonts, theme.figure.number_size_px, FontFace::Number).font == theme.fonts.cell);
  CHECK(sized_font(theme.fonts, 10, FontFace::Number).font == theme.fonts.small_cell);
  // A size without a font is the nearest one, scaled. Since Dear ImGui 1.92 it has its own glyphs, whose
  // widths are rounded separately.
  const double twice = 2 * measure("0.1082", 20, FontFace::Number).width;
  CHECK_THAT(measure("0.1082", 40, FontFace::Number).width,
             WithinAbs(twice, IMGUI_VERSION_NUM < 19200 ? 0.01 : 0.03 * twice));
  CHECK(measure("\xE2\x88\x92"
                "0.1",
                12, FontFace::Number)
            .width == measure("10.1", 12, FontFace::Number).width);
}
