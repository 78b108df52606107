// The positions of cells, and which of them are drawn.
#include "app/ui/inputs/grid_layout.h"

#include <algorithm>
#include <cmath>

#include "app/ui/inputs/matrix_grid.h"
#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;

namespace {

constexpr GridSizes kSizes{64, 24, 20, 48};

GridLayout lesson_size() {
  return grid_layout(6, 3, kSizes, {10, 10}, {400, 300}, {0, 0});
}

}  // namespace

TEST_CASE("grid: a small matrix lies wholly in sight, header above and labels at the left") {
  const GridLayout layout = lesson_size();
  CHECK(layout.first_row == 0);
  CHECK(layout.end_row == 6);
  CHECK(layout.end_column == 3);
  const Rect first = layout.cell_rect(0, 0);
  CHECK(first.x == 10 + 48);
  CHECK(first.y == 10 + 20);
  CHECK(layout.cell_rect(5, 2).right() == 10 + 48 + 3 * 64);
  CHECK(layout.label_rect(2).x == 10);
  CHECK(layout.label_rect(2).y == layout.cell_rect(2, 0).y);
  CHECK(layout.header_rect(1).y == 10);
}

TEST_CASE("grid: points find the cell they lie in, and none beside the body") {
  const GridLayout layout = lesson_size();
  CHECK(layout.cell_at({59, 31}) == GridLayout::Cell{0, 0});
  CHECK(layout.cell_at({58 + 64 + 1, 30 + 24 + 1}) == GridLayout::Cell{1, 1});
  CHECK(layout.cell_at({30, 31}) == GridLayout::Cell{});
  CHECK(layout.cell_at({59, 15}) == GridLayout::Cell{});
  CHECK(layout.cell_at({58 + 3 * 64 + 1, 31}) == GridLayout::Cell{});
}

TEST_CASE("grid: of 768 x 768 cells only those in sight are laid out, wherever it is scrolled") {
  for (float scroll : {0.0f, 5000.0f, 768 * 24.0f - 280}) {
    const GridLayout layout = grid_layout(768, 768, kSizes, {0, 0}, {368, 300}, {scroll, scroll});
    CHECK((layout.end_row - layout.first_row) * (layout.end_column - layout.first_column) <= 13 * 6);
    CHECK(layout.end_row <= 768);
    const Rect first = layout.cell_rect(layout.first_row, layout.first_column);
    CHECK(first.x <= 48);
    CHECK(first.right() > 48);
    CHECK(layout.cell_at({49, 21}) == GridLayout::Cell{layout.first_row, layout.first_column});
  }
}

TEST_CASE("grid: cells that the labels or the edge cover are cut to their visible part") {
  const GridLayout layout = grid_layout(100, 100, kSizes, {0, 0}, {368, 300}, {30, 10});
  CHECK(layout.visible_rect(0, 0).x == 48);
  CHECK(layout.visible_rect(0, 0).width == 34);
  CHECK(layout.visible_rect(0, 0).height == 14);
  CHECK(layout.visible_rect(50, 50).width == 0);
  CHECK(layout.label_rect(0).y == 20);
}

TEST_CASE("grid: scrolling to a cell moves as little as brings it wholly into sight") {
  const GridLayout layout = grid_layout(100, 100, kSizes, {0, 0}, {368, 300}, {640, 240});
  CHECK(layout.scroll_to(12, 11).x == 640);  // already in sight
  CHECK(layout.scroll_to(12, 11).y == 240);
  CHECK(layout.scroll_to(0, 0).x == 0);
  CHECK(layout.scroll_to(0, 0).y == 0);
  CHECK(layout.scroll_to(30, 20).x == 21 * 64 - 320);
  CHECK(layout.scroll_to(30, 20).y == 31 * 24 - 280);
}

TEST_CASE("grid: the nearest cell of a point outside is the next one beyond the edge, and never none") {
  const GridLayout layout = grid_layout(100, 100, kSizes, {0, 0}, {368, 300}, {640, 240});
  CHECK(layout.nearest_cell({49, 21}) == GridLayout::Cell{10, 10});
  CHECK(layout.nearest_cell({-500, 21}) == GridLayout::Cell{10, 9});
  CHECK(layout.nearest_cell({49, -500}) == GridLayout::Cell{9, 10});
  CHECK(layout.nearest_cell({49, 5000}).row == layout.end_row);
  const GridLayout small = grid_layout(3, 2, kSizes, {0, 0}, {368, 300}, {0, 0});
  CHECK(small.nearest_cell({5000, 5000}) == GridLayout::Cell{2, 1});
  CHECK(small.nearest_cell({-5000, -5000}) == GridLayout::Cell{0, 0});
}

TEST_CASE("grid: room for bars is kept at the right of the cells") {
  GridSizes sizes = kSizes;
  sizes.bars_width = 48;
  const GridLayout layout = grid_layout(100, 100, sizes, {0, 0}, {368, 300}, {0, 0});
  CHECK(layout.body_max.x == 320);
  CHECK(layout.content_size().x == 48 + 100 * 64 + 48);
  CHECK(layout.scroll_to(0, 99).x == 100 * 64 - 272);
}

TEST_CASE("grid: it is whole pixels high at every text size, so that no fraction asks for a scroll bar") {
  for (const float scale : {0.5f, 0.67f, 0.8f, 0.9f, 1.0f, 1.1f, 1.25f, 1.75f}) {
    Theme theme;
    theme.scale = scale;
    for (Index rows = 1; rows < 9; ++rows) {
      const float height = matrix_grid_height(theme, {}, rows);
      CHECK(height == std::floor(height));
    }
  }
}

TEST_CASE("grid: of a wide matrix whole columns are in sight, as many as fit") {
  const float width = GENERATE(260.0f, 300.0f, 411.0f, 640.0f);
  headlight_test::EmbeddingGrid wide(headlight_test::square_session(100), {width, 400});
  wide.robot().frames(2);
  const auto& widgets = wide.robot().probe().widgets();
  const Rect first = wide.robot().widget("grid[0,0]").rect;
  double end = 0;
  int columns = 0;
  for (const ProbedWidget& widget : widgets) {
    if (!widget.name.starts_with("grid[0,")) continue;
    CHECK(widget.rect.width == first.width);  // no column is cut
    end = std::max(end, widget.rect.right());
    ++columns;
  }
  INFO(columns);
  const double left_over = wide.robot().widget("grid.grid").rect.right() - end;
  CHECK(left_over < first.width + 60);  // the row bar and the scroll bar
}
