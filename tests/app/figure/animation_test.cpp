// Frames as GIF and WebP, and the palette of a GIF.
#include "app/figure/paint/animation.h"

#include <cmath>

#include "app/figure/motion/motion_frame.h"
#include "app/figure/paint/color_palette.h"
#include "tests/app/figure/animation_support.h"
#include "tests/app/figure/figure_support.h"

using namespace headlight_test;

namespace {

constexpr int kWidth = 23, kHeight = 17;

FigurePixels filled(Color color) {
  return {kWidth, kHeight, std::vector<Color>(std::size_t{kWidth} * kHeight, color)};
}

// A square that goes to the right over a ground of few colours; the third frame is the second one again.
FigurePixels few_colors(std::size_t frame) {
  FigurePixels pixels = filled({250, 251, 252, 255});
  const int left = 2 + 3 * static_cast<int>(frame == 2 ? 1 : frame);
  for (int y = 4; y < 9; ++y)
    for (int x = left; x < left + 5; ++x)
      pixels.pixels[static_cast<std::size_t>(y * kWidth + x)] = {10, static_cast<std::uint8_t>(40 * y), 30,
                                                                 255};
  return pixels;
}

// Every pixel of every frame has its own colour.
FigurePixels many_colors(std::size_t frame) {
  FigurePixels pixels = filled({});
  for (std::size_t i = 0; i < pixels.pixels.size(); ++i)
    pixels.pixels[i] = {static_cast<std::uint8_t>(11 * (i % kWidth)),
                        static_cast<std::uint8_t>(15 * (i / kWidth)), static_cast<std::uint8_t>(60 * frame),
                        255};
  return pixels;
}

Animation animation(FigurePixels (*paint)(std::size_t)) {
  return {kWidth, kHeight, {40, 35, 50, 1000}, paint};
}

}  // namespace

TEST_CASE("animation: a GIF with few colours has exactly the frames, for their time") {
  const Animation made = animation(few_colors);
  const DecodedAnimation decoded = decoded_gif(gif_bytes(made));
  CHECK(decoded.width == kWidth);
  CHECK(decoded.height == kHeight);
  REQUIRE(decoded.frames.size() == 4);
  CHECK(decoded.frames[1].begins_ms == 40);
  CHECK(decoded.frames[2].begins_ms == 80);  // 75, in hundredths of a second
  CHECK(decoded.frames[3].begins_ms == 130);
  CHECK(decoded.duration_ms() == 1130);
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(i);
    CHECK(largest_difference(decoded.frames[i].pixels, few_colors(i)) == 0);
  }
}

TEST_CASE("animation: a GIF begins anew at its end, and has no date") {
  const std::string bytes = gif_bytes(animation(few_colors));
  CHECK(bytes.starts_with("GIF89a"));
  const std::size_t at = bytes.find("NETSCAPE2.0");
  REQUIRE(at != std::string::npos);
  CHECK(bytes.substr(at + 11, 5) == std::string("\3\1\0\0\0", 5));
  CHECK(bytes == gif_bytes(animation(few_colors)));
}

TEST_CASE("animation: of many colours each pixel of a GIF has the nearest one of the palette") {
  ColorCounts counts;
  for (std::size_t i = 0; i < 4; ++i)
    counts.add(many_colors(i));
  const std::vector<Color> palette = counts.palette(255);
  REQUIRE(palette.size() == 255);
  NearestColor nearest(palette);
  const DecodedAnimation decoded = decoded_gif(gif_bytes(animation(many_colors)));
  for (std::size_t i = 0; i < 4; ++i) {
    FigurePixels expected = many_colors(i);
    const FigurePixels painted = expected;
    for (Color& color : expected.pixels)
      color = palette[nearest.index(color)];
    INFO(i);
    CHECK(largest_difference(decoded.frames[i].pixels, expected) == 0);
    // 1,564 colours in a box of 243 x 241 x 181: 255 boxes of equal sides have sides of 35.
    CHECK(largest_difference(expected, painted) < 70);
  }
}

TEST_CASE("animation: a WebP has exactly the frames, and the same bytes each time") {
  for (const auto paint : {few_colors, many_colors}) {
    const std::string bytes = webp_bytes(animation(paint));
    CHECK(bytes == webp_bytes(animation(paint)));
    const DecodedAnimation decoded = decoded_webp(bytes);
    CHECK(decoded.duration_ms() == 1125);
    CHECK(largest_difference(decoded.at(0), paint(0)) == 0);
    CHECK(largest_difference(decoded.at(41), paint(1)) == 0);
    CHECK(largest_difference(decoded.at(76), paint(2)) == 0);
    CHECK(largest_difference(decoded.at(1000), paint(3)) == 0);
  }
}

TEST_CASE("palette: has all colours where they are few, and the most frequent ones where they are many") {
  ColorCounts few;
  few.add(few_colors(0));
  CHECK(few.palette(255).size() == 6);
  ColorCounts counts;
  counts.add(many_colors(0));
  const Color ground = {200, 201, 202, 255};
  for (int i = 0; i < 10; ++i)
    counts.add(filled(ground));
  const std::vector<Color> palette = counts.palette(16);
  CHECK(palette.size() == 16);
  CHECK(std::count(palette.begin(), palette.end(), ground) == 1);
  NearestColor nearest(palette);
  CHECK(palette[nearest.index(ground)] == ground);
  CHECK(counts.palette(1) == std::vector{ground});
  CHECK(ColorCounts().palette(255).empty());
}

namespace {

MotionActor actor(MotionActor::Kind kind, const std::string& text, std::vector<MotionActor::Key> keys) {
  MotionActor made;
  made.kind = kind;
  made.text = text;
  made.keys = std::move(keys);
  return made;
}

// A cell with its number, and a cell that comes over both.
MotionPlan small_plan() {
  MotionPlan plan;
  plan.rest.width = plan.rest.height = 40;
  plan.rest.fills.push_back({{0, 0, 10, 10}, {1, 2, 3, 255}});
  const Color blue = {0, 0, 200, 255}, none = {0, 0, 200, 0};
  using Kind = MotionActor::Kind;
  plan.actors = {actor(Kind::Cell, "", {{0, {5, 5, 20, 20}, none}, {0.5, {5, 5, 20, 20}, blue}}),
                 actor(Kind::Text, "0.5", {{0, {5, 5, 20, 20}, none}, {0.5, {5, 5, 20, 20}, blue}}),
                 actor(Kind::Cell, "", {{0, {0, 0, 8, 8}, none}, {0.5, {0, 0, 8, 8}, blue}}),
                 actor(Kind::Outline, "", {{0, {0, 0, 8, 8}, none}, {0.5, {0, 0, 8, 8}, blue}})};
  plan.steps = {{1, "all"}};
  return plan;
}

}  // namespace

TEST_CASE("frame: at the beginning only what rests is drawn, and later shapes come over earlier ones") {
  const MotionPlan plan = small_plan();
  const auto fills = [](const std::vector<Drawing>& drawings) {
    std::size_t count = 0;
    for (const Drawing& drawing : drawings)
      count += drawing.fills.size();
    return count;
  };
  CHECK(fills(drawings_at(plan, 0, 1)) == 1);
  const std::vector<Drawing> drawings = drawings_at(plan, 1, 2);
  REQUIRE(drawings.size() == 3);
  CHECK(drawings[0].fills.size() == 1);
  CHECK(drawings[1].fills.size() == 1);
  REQUIRE(drawings[1].texts.size() == 1);
  CHECK(drawings[1].texts[0].text == "0.5");
  CHECK(drawings[1].texts[0].x == 15);
  CHECK(drawings[1].texts[0].y == 15);
  CHECK(drawings[2].fills.size() == 1);
  REQUIRE(drawings[2].boxes.size() == 1);
  CHECK(drawings[2].boxes[0].rect == Rect{-1, -1, 10, 10});
  CHECK(drawings[2].boxes[0].width == 2);
}

TEST_CASE("frame: an outline that appears lets what is below shine through") {
  FigureGrid figure;
  figure.width = figure.height = 20;
  figure.background = {255, 255, 255, 255};
  Drawing drawing;
  drawing.boxes.push_back({{4, 4, 12, 12}, 2, {0, 0, 0, 128}});
  figure.drawings.push_back({0, 0, drawing});
  const FigurePixels pixels = figure_pixels(figure, 1);
  const Color edge = pixels.pixels[5 * 20 + 10];
  CHECK(std::abs(edge.r - 127) <= 1);
  CHECK(edge.a == 255);
  CHECK(pixels.pixels[10 * 20 + 10].r == 255);
}
