// The triangles that a plan becomes in Dear ImGui: their positions and number.
#include "app/ui/widgets/plan_painter.h"

#include <algorithm>
#include <cfloat>

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
