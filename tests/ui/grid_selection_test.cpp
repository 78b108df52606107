// Ranges of cells in a grid: selection by keys and by the pointer, and their statistics.
#include "app/ui/inputs/grid_selection.h"

#include "app/ui/inputs/grid_statistics.h"
#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::EmbeddingGrid;
using headlight_test::lesson_session;
using headlight_test::square_session;

TEST_CASE("grid selection: a range lies between the cell where typing goes and the far corner") {
  GridSelection selection;
  selection.select(4, 2);
  CHECK(selection.range(6, 3) == GridRange{4, 2, 1, 1});
  selection.extend(1, 0);
  CHECK(selection.range(6, 3) == GridRange{1, 0, 4, 3});
  CHECK(selection.row == 4);
  selection.select_rows(3, 2);
  CHECK(selection.range(6, 3) == GridRange{2, 0, 2, 3});
  selection.select_columns(1, 2);
  CHECK(selection.range(6, 3) == GridRange{0, 1, 6, 2});
  CHECK(selection.range(1, 2) == GridRange{0, 1, 1, 1});  // clipped to a smaller matrix
  selection.select(5, 2);
  CHECK_FALSE(selection.clamp(5, 3));
  CHECK(selection.range(5, 3) == GridRange{4, 2, 1, 1});
}

TEST_CASE("grid: Shift with arrows, Home and End extends the selection, without Shift it collapses") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  grid.robot().key(Key::Down, {.shift = true});
  grid.robot().key(Key::Right, {.shift = true});
  CHECK(grid.range() == GridRange{1, 1, 2, 2});
  CHECK(grid.selected(1, 1));
  grid.robot().key(Key::Home, {.shift = true});
  CHECK(grid.range() == GridRange{1, 0, 2, 2});
  grid.robot().key(Key::End, {.ctrl = true, .shift = true});
  CHECK(grid.range() == GridRange{1, 1, 5, 2});
  grid.robot().key(Key::Left);
  CHECK(grid.range() == GridRange{1, 0, 1, 1});
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: Ctrl with arrows goes to the edge, with Shift it takes all up to there") {
  EmbeddingGrid grid;
  grid.select(2, 1);
  grid.robot().key(Key::Down, {.ctrl = true});
  CHECK(grid.selected(5, 1));
  grid.robot().key(Key::Right, {.ctrl = true});
  CHECK(grid.selected(5, 2));
  grid.robot().key(Key::Up, {.ctrl = true, .shift = true});
  CHECK(grid.range() == GridRange{0, 2, 6, 1});
  grid.robot().key(Key::Left, {.ctrl = true, .shift = true});
  CHECK(grid.range() == GridRange{0, 0, 6, 3});
}

TEST_CASE("grid: Ctrl+A selects all, Escape leaves the cell where typing goes") {
  EmbeddingGrid grid;
  grid.select(2, 1);
  grid.robot().key(Key::A, {.ctrl = true});
  CHECK(grid.range().size() == 18);
  grid.robot().key(Key::Escape);
  CHECK(grid.range().size() == 1);
}

TEST_CASE("grid: Shift+click and dragging with Shift select, and change no number") {
  EmbeddingGrid grid;
  grid.select(1, 0);
  grid.robot().click(grid.name(3, 2), {.shift = true});
  CHECK(grid.range() == GridRange{1, 0, 3, 3});
  grid.robot().drag(grid.name(2, 0), 0, 48, {.shift = true});
  CHECK(grid.range() == GridRange{1, 0, 4, 1});
  CHECK(grid.fixture.commands().empty());
  grid.select(0, 0);
  CHECK(grid.range().size() == 1);
}

TEST_CASE("grid: headers select whole columns and rows, and dragging along them several") {
  EmbeddingGrid grid;
  grid.robot().click("grid.column[1]");
  CHECK(grid.range() == GridRange{0, 1, 6, 1});
  CHECK(grid.state.selection.span == GridSpan::Columns);
  grid.robot().click("grid.column[2]", {.shift = true});
  CHECK(grid.range() == GridRange{0, 1, 6, 2});
  grid.robot().click("grid.row[4]");
  CHECK(grid.range() == GridRange{4, 0, 1, 3});
  grid.robot().drag("grid.row[1]", 0, 48);
  CHECK(grid.range() == GridRange{1, 0, 3, 3});
  CHECK(grid.state.selection.span == GridSpan::Rows);
  grid.robot().click("grid.all");
  CHECK(grid.range().size() == 18);
}

TEST_CASE("grid: Shift+Space and Ctrl+Space select the rows and the columns of the selection") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  grid.robot().key(Key::Down, {.shift = true});
  grid.robot().key(Key::Space, {.shift = true});
  CHECK(grid.range() == GridRange{1, 0, 2, 3});
  grid.select(1, 1);
  grid.robot().key(Key::Space, {.ctrl = true});
  CHECK(grid.range() == GridRange{0, 1, 6, 1});
}

TEST_CASE("grid: a selection is brought into sight as it grows") {
  EmbeddingGrid grid(square_session(100));
  grid.select(0, 0);
  for (int i = 0; i < 30; ++i)
    grid.robot().key(Key::Down, {.shift = true});
  CHECK(grid.range() == GridRange{0, 0, 31, 1});
  CHECK(grid.robot().shows(grid.name(30, 0)));
  CHECK_FALSE(grid.robot().shows(grid.name(0, 0)));
}

TEST_CASE("grid: count, sum, mean and extremes of the selection are told") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().click(grid.name(1, 1), {.shift = true});
  CHECK(grid.fixture.view().selection.note == "4 cells  ·  sum 2  ·  mean 0.5  ·  min 0.15  ·  max 0.87");
  grid.robot().key(Key::Delete);
  CHECK_THAT(grid.fixture.view().selection.note, ContainsSubstring("sum 0"));
}

TEST_CASE("grid: statistics are worked out once for a selection") {
  GridStatistics statistics;
  Matrix matrix = Matrix::Constant(3, 3, 2);
  update_statistics(statistics, 7, InputId{}, {0, 0, 2, 2}, matrix);
  CHECK(statistics.sum == 8);
  matrix.setZero();
  update_statistics(statistics, 7, InputId{}, {0, 0, 2, 2}, matrix);
  CHECK(statistics.sum == 8);  // not computed again for the same revision
  update_statistics(statistics, 8, InputId{}, {0, 0, 2, 2}, matrix);
  CHECK(statistics.sum == 0);
}

TEST_CASE("grid: bars of the rows are drawn where there is room, and hidden where not") {
  {
    EmbeddingGrid grid;
    CHECK(grid.robot().shows("grid.bars"));
  }
  {
    EmbeddingGrid grid(lesson_session("01-one-query-dot-products"), {240, 400});
    CHECK_FALSE(grid.robot().shows("grid.bars"));
    CHECK(grid.robot().shows("grid[0,2]"));
  }
  EmbeddingGrid wide(square_session(100));
  CHECK(wide.robot().shows("grid.bars"));
}
