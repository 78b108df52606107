// The areas that have to be drawn again in a frame, against pictures painted pixel by pixel.
#include "app/platform/damage.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/ui/support/panel_robot.h"

using namespace headlight;
using headlight_test::Dice;
using headlight_test::PanelRobot;

namespace {

constexpr int kWidth = 300, kHeight = 200;

struct Box {
  int left, top, right, bottom;
  ImU32 color;
};

Box random_box(Dice& dice) {
  const auto at = [&](int end) { return static_cast<int>(dice.below(end)); };
  const int left = at(kWidth - 1), top = at(kHeight - 1);
  return {left, top, left + 1 + at(kWidth - left), top + 1 + at(kHeight - top),
          IM_COL32(at(256), at(256), at(256), 255)};
}

// Frames of overlapping boxes, and the areas in which they differ from the previous frame.
class Scene {
 public:
  Scene() {
    robot_.draw_with([this] {
      ImDrawList& list = *ImGui::GetWindowDrawList();
      for (const Box& box : boxes)
        list.AddRectFilled({1.0f * box.left, 1.0f * box.top}, {1.0f * box.right, 1.0f * box.bottom},
                           box.color);
    });
  }

  std::vector<PixelRect> changed(Damage& damage, std::uint64_t texture_version = 0) {
    robot_.frames(3);  // until only the boxes change
    return damage.changed(*ImGui::GetDrawData(), 1, [=](ImTextureID) { return texture_version; });
  }

  // The colour of the topmost box at each pixel.
  std::vector<ImU32> picture() const {
    std::vector<ImU32> pixels(kWidth * kHeight);
    for (const Box& box : boxes)
      for (int y = box.top; y < std::min(box.bottom, kHeight); ++y)
        for (int x = box.left; x < std::min(box.right, kWidth); ++x)
          pixels[static_cast<std::size_t>(y * kWidth + x)] = box.color;
    return pixels;
  }

  std::vector<Box> boxes;

 private:
  PanelRobot robot_{ImVec2(kWidth, kHeight)};
};

bool holds(const std::vector<PixelRect>& rects, int x, int y) {
  return std::any_of(rects.begin(), rects.end(), [&](const PixelRect& r) {
    return x >= r.left && x < r.right && y >= r.top && y < r.bottom;
  });
}

bool apart(const PixelRect& a, const PixelRect& b) {
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
}

}  // namespace

TEST_CASE("damage: the whole window at first, nothing when nothing changes, all again when asked") {
  Dice dice(61);
  Scene scene;
  Damage damage;
  scene.boxes = {random_box(dice), random_box(dice)};
  const std::vector<PixelRect> whole = {{0, 0, kWidth, kHeight}};
  CHECK(scene.changed(damage) == whole);
  CHECK(scene.changed(damage).empty());
  damage.forget();
  CHECK(scene.changed(damage) == whole);
  CHECK_FALSE(scene.changed(damage, 1).empty());  // the font texture has changed
  CHECK(scene.changed(damage, 1).empty());
}

TEST_CASE("damage: a small change is a small part of the window") {
  Scene scene;
  Damage damage;
  scene.boxes = {{0, 0, kWidth, kHeight, IM_COL32_WHITE}, {40, 40, 50, 50, IM_COL32_BLACK}};
  scene.changed(damage);
  scene.boxes[1].color = IM_COL32(255, 0, 0, 255);
  const std::vector<PixelRect> rects = scene.changed(damage);
  REQUIRE(rects.size() == 1);
  CHECK(rects[0].left >= 0);
  CHECK(rects[0].right <= 96);
  CHECK(rects[0].bottom <= 96);
  CHECK(holds(rects, 40, 40));
  CHECK(holds(rects, 49, 49));
}

TEST_CASE("damage: it holds every pixel that differs, and its rectangles are apart") {
  Dice dice(62);
  Scene scene;
  Damage damage;
  for (int round = 0; round < 150; ++round) {
    const std::vector<ImU32> before = scene.picture();
    const double turn = dice.real(0, 1);
    if (turn < 0.4 || scene.boxes.empty()) {
      scene.boxes.push_back(random_box(dice));
    } else if (turn < 0.6) {
      scene.boxes.erase(scene.boxes.begin() + dice.below(static_cast<headlight::Index>(scene.boxes.size())));
    } else if (turn < 0.8) {  // the same boxes in another order
      std::rotate(scene.boxes.begin(), scene.boxes.begin() + 1, scene.boxes.end());
    } else {
      scene.boxes[static_cast<std::size_t>(dice.below(static_cast<headlight::Index>(scene.boxes.size())))] =
          random_box(dice);
    }
    const std::vector<PixelRect> rects = scene.changed(damage);
    const std::vector<ImU32> after = scene.picture();
    int missed = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const auto at = static_cast<std::size_t>(y * kWidth + x);
        if (before[at] != after[at] && !holds(rects, x, y)) ++missed;
      }
    CHECK(missed == 0);
    for (std::size_t i = 0; i < rects.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        CHECK(apart(rects[i], rects[j]));
  }
}

TEST_CASE("damage: commands keep what falls into the rectangles") {
  Scene scene;
  Damage damage;
  scene.boxes = {{0, 0, 100, 100, IM_COL32_WHITE}, {150, 100, 250, 200, IM_COL32_BLACK}};
  scene.changed(damage);
  ImDrawData& frame = *ImGui::GetDrawData();
  const std::vector<PixelRect> rects = {{10, 20, 60, 80}, {160, 120, 200, 150}};
  damage.restrict_to(frame, rects);
  int commands = 0;
  for (int i = 0; i < frame.CmdListsCount; ++i)
    for (const ImDrawCmd& command : frame.CmdLists[i]->CmdBuffer) {
      ++commands;
      const bool inside = std::any_of(rects.begin(), rects.end(), [&](const PixelRect& r) {
        const ImVec4& clip = command.ClipRect;
        return clip.x >= 1.0f * r.left && clip.y >= 1.0f * r.top && clip.z <= 1.0f * r.right &&
               clip.w <= 1.0f * r.bottom && clip.x < clip.z && clip.y < clip.w;
      });
      CHECK(inside);
    }
  CHECK(commands == 2);
  damage.restrict_to(frame, {});
  for (int i = 0; i < frame.CmdListsCount; ++i)
    CHECK(frame.CmdLists[i]->CmdBuffer.empty());
}
