// The layouts of several pictures side by side.
#include "app/ui/picture/heads_plan.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

// Heads of weights with labels, captions and summaries as at a scale of 1.
HeadsRoom room_of(int heads, Index tokens, ImVec2 size) {
  HeadsRoom room;
  room.area = {{10, 20}, size};
  room.count = heads;
  room.rows = room.columns = tokens;
  room.gap = 12;
  room.caption = 20;
  room.summary = 16;
  room.halves = 12;
  room.bar = 64;
  room.gutter = 50;
  room.header = [](float) { return 60.0f; };
  return room;
}

// Inside the area, and none upon another.
void check_places(const HeadsRoom& room, const HeadsPlan& plan) {
  for (int i = 0; i < plan.count; ++i) {
    const ImVec2 at = plan.at(i);
    CHECK(at.x >= room.area.at.x);
    CHECK(at.y >= room.area.at.y);
    CHECK(at.x + plan.cell.x + (plan.begins_row(i) ? plan.gutter : 0) <= room.area.end().x);
    CHECK(at.y + plan.cell.y + (plan.in_first_row(i) ? plan.header : 0) <= room.area.end().y);
    if (!plan.begins_row(i)) CHECK(at.x >= plan.at(i - 1).x + plan.cell.x);
    if (!plan.in_first_row(i)) CHECK(at.y >= plan.at(i - plan.columns).y + plan.cell.y);
  }
}

}  // namespace

TEST_CASE("heads plan: twelve heads of 40 tokens stand as 4 x 3 where their cells have 5 px") {
  const HeadsRoom room = room_of(12, 40, {1100, 900});
  const HeadsPlan plan = plan_heads(room);
  CHECK(plan.columns == 4);
  CHECK(plan.rows() == 3);
  CHECK(heads_cell(room, plan) >= 5);
  CHECK_FALSE(too_many_heads(room, plan, 5));
  check_places(room, plan);
  const HeadsRoom small = room_of(12, 40, {700, 480});
  CHECK(too_many_heads(small, plan_heads(small), 5));
}

TEST_CASE("heads plan: four heads of 2,048 tokens stand as 2 x 2") {
  for (const ImVec2 size : {ImVec2{700, 560}, ImVec2{1000, 760}, ImVec2{1400, 1100}}) {
    const HeadsRoom room = room_of(4, 2048, size);
    const HeadsPlan plan = plan_heads(room);
    CHECK(plan.columns == 2);
    CHECK(plan.rows() == 2);
    CHECK_FALSE(too_many_heads(room, plan, 5));
    check_places(room, plan);
  }
}

TEST_CASE("heads plan: no other number of columns makes the pictures much larger, at any size") {
  for (const int heads : {1, 2, 3, 4, 6, 8, 12, 16})
    for (float width = 200; width <= 2400; width += 311)
      for (float height = 150; height <= 1500; height += 277) {
        const HeadsRoom room = room_of(heads, 24, {width, height});
        const HeadsPlan plan = plan_heads(room);
        INFO(heads << " heads in " << width << " x " << height);
        check_places(room, plan);
        const float side = std::min(plan.cell.x, plan.cell.y - room.caption - room.summary - room.halves);
        for (int columns = 1; columns <= heads; ++columns) {
          const int rows = (heads + columns - 1) / columns;
          const auto share = [](float space, int parts) {
            return (space - 12.0f * static_cast<float>(parts - 1)) / static_cast<float>(parts);
          };
          const float other = std::min(share(width - room.bar - room.gutter, columns),
                                       share(height - 60, rows) - room.caption - room.summary - room.halves);
          if (other > 24) CHECK(side >= other * 0.9f - room.halves - 2);
        }
      }
}

TEST_CASE("dropout plan: three pictures stand in a row where it is wide, in a column where it is high") {
  DropoutRoom room;
  room.area = {{0, 0}, {1200, 500}};
  room.gap = 12;
  room.caption = 16;
  room.labels = true;
  room.gutter = room.header = 56;
  room.bar = 64;
  CHECK(plan_dropout(room).across == 3);
  room.area.size = {460, 1200};
  const DropoutPlan high = plan_dropout(room);
  CHECK(high.across == 1);
  for (int i = 0; i < room.count; ++i) {
    CHECK(high.at(room, i).y + room.caption + high.cells.y <= room.area.end().y);
    CHECK(high.at(room, i).x + room.gutter + high.cells.x <= room.area.end().x);
  }
  room.count = 4;
  room.area.size = {900, 800};
  CHECK(plan_dropout(room).across == 2);
  room.area.size = {10, 10};  // no room at all is a size, too
  CHECK(plan_dropout(room).across >= 1);
}
