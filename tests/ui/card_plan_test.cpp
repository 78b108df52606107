// The place of the derivation's card, for random pictures.
#include "app/ui/inspector/card_plan.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;

namespace {

// A picture of 6 x 6 cells of 40 pixels at the upper left of a panel, its selected cell in row 1, column 2.
CardRoom six_by_six(Rect panel = {0, 0, 800, 500}) {
  CardRoom room;
  room.picture = panel;
  const Rect cells = {panel.x + 60, panel.y + 60, 240, 240};
  room.cell = {cells.x + 80, cells.y + 40, 40, 40};
  room.drawn = {{panel.x, panel.y, panel.width, 40}, {panel.x, panel.y, 340, 300}};
  room.keep = {{cells.x, cells.y + 40, 240, 40}, {cells.x + 80, cells.y, 40, 240}};
  room.gap = 8;
  return room;
}

bool covers_any(const Rect& card, const std::vector<Rect>& rects) {
  return std::any_of(rects.begin(), rects.end(), [&](const Rect& rect) { return overlap(card, rect); });
}

bool is_inside(const Rect& card, const Rect& outer) {
  return card.x >= outer.x && card.y >= outer.y && card.right() <= outer.right() &&
         card.bottom() <= outer.bottom();
}

Rect random_rect(headlight_test::Dice& dice, double most) {
  const auto number = [&](double limit) {
    return static_cast<double>(dice.between(0, static_cast<Index>(limit)));
  };
  return {number(most), number(most), number(most / 2), number(most / 2)};
}

}  // namespace

TEST_CASE("card plan: beside the picture, next to its cell, where there is room") {
  const CardRoom room = six_by_six();
  const auto card = plan_card(room, {300, 200}, 100);
  REQUIRE(card);
  CHECK(card->width == 300);
  CHECK(card->height == 200);
  CHECK_FALSE(covers_any(*card, room.drawn));
  CHECK(card->x == 348);  // the gap beside what is drawn
  CHECK(card->y <= room.cell.y);
  CHECK(card->bottom() >= room.cell.bottom());
}

TEST_CASE("card plan: the order is beside, at the text, lower, over other cells, and none") {
  CardRoom room = six_by_six({0, 0, 500, 360});
  room.beside = {{600, 300, 376, 220}};
  auto card = plan_card(room, {300, 200}, 100);
  REQUIRE(card);
  CHECK(is_inside(*card, room.beside.front()));
  CHECK(card->width == 376);  // that of the text
  room.beside = {{600, 300, 376, 150}};
  card = plan_card(room, {300, 200}, 100);
  REQUIRE(card);
  CHECK(is_inside(*card, room.beside.front()));
  CHECK(card->height == 140);
  room.beside.clear();
  card = plan_card(room, {180, 120}, 100);
  REQUIRE(card);
  CHECK(covers_any(*card, room.drawn));
  CHECK_FALSE(covers_any(*card, room.keep));
  room.keep.push_back({60, 60, 240, 240});
  CHECK_FALSE(plan_card(room, {300, 200}, 100));
}

TEST_CASE("card plan: it stays where it was as long as that is allowed") {
  CardRoom room = six_by_six();
  const auto card = plan_card(room, {300, 200}, 100, Point{400, 250});
  REQUIRE(card);
  CHECK(card->x == 400);
  CHECK(card->y == 250);
  room.keep.push_back({500, 300, 20, 20});
  const auto moved = plan_card(room, {300, 200}, 100, Point{400, 250});
  REQUIRE(moved);
  CHECK_FALSE(overlap(*moved, room.keep.back()));
}

TEST_CASE("card plan: never over what must stay free, and inside its room, whatever the sizes") {
  headlight_test::Dice dice(7);
  int placed = 0;
  for (int round = 0; round < 2000; ++round) {
    CardRoom room;
    room.picture = random_rect(dice, 1200);
    room.cell = random_rect(dice, 900);
    for (Index i = dice.between(0, 4); i > 0; --i)
      room.drawn.push_back(random_rect(dice, 900));
    for (Index i = dice.between(0, 6); i > 0; --i)
      room.keep.push_back(random_rect(dice, 900));
    for (Index i = dice.between(0, 2); i > 0; --i)
      room.beside.push_back(random_rect(dice, 1200));
    room.gap = static_cast<double>(dice.between(0, 12));
    const CardSize wished = {static_cast<double>(dice.between(1, 400)),
                             static_cast<double>(dice.between(1, 400))};
    const double least = static_cast<double>(dice.between(1, 200));
    std::optional<Point> before;
    if (dice.chance(0.5)) before = Point{random_rect(dice, 900).x, random_rect(dice, 900).y};
    const auto card = plan_card(room, wished, least, before);
    if (!card) continue;
    ++placed;
    CHECK_FALSE(covers_any(*card, room.keep));
    CHECK(card->width >= wished.width);
    CHECK(card->height <= wished.height);
    CHECK(card->height >= std::min(least, wished.height));
    const bool in_text = std::any_of(room.beside.begin(), room.beside.end(),
                                     [&](const Rect& rect) { return is_inside(*card, outset(rect, 1e-6)); });
    CHECK((in_text || is_inside(*card, outset(room.picture, 1e-6))));
    // Placed again from where it is, it does not move.
    const auto again = plan_card(room, wished, least, Point{card->x, card->y});
    REQUIRE(again);
    CHECK(again->x == card->x);
    CHECK(again->y == card->y);
  }
  CHECK(placed > 300);
}
