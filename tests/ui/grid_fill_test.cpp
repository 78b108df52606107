// Arithmetic in a cell and over a selection, filling, and clearing.
#include "app/ui/inputs/grid_fill.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::EmbeddingGrid;

namespace {

void enter(EmbeddingGrid& grid, const std::string& text) {
  grid.robot().type(text);
  grid.robot().key(Key::Enter);
}

void select_block(EmbeddingGrid& grid) {
  grid.select(1, 0);
  grid.robot().click(grid.name(2, 1), {.shift = true});
}

}  // namespace

TEST_CASE("grid: a cell takes arithmetic, worked out in double and kept as float32") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  enter(grid, "1/3");
  CHECK(grid.cell(0, 0) == static_cast<float>(1.0 / 3));
  enter(grid, "-2*0.5");
  CHECK(grid.cell(1, 0) == -1.0f);
  enter(grid, "sqrt(2)");
  CHECK(grid.cell(2, 0) == static_cast<float>(std::sqrt(2.0)));
  enter(grid, "=x*2");
  CHECK(grid.cell(3, 0) == 0.44f);
}

TEST_CASE("grid: arithmetic that can't be worked out names its place, and the cell stays") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  const auto refused = [&](const std::string& text) {
    enter(grid, text);
    grid.robot().frames(2);
    const std::string message = grid.robot().value("grid.message");
    grid.robot().key(Key::Escape);
    return message;
  };
  CHECK_THAT(refused("1/0"), ContainsSubstring("character 2") && ContainsSubstring("division by zero"));
  CHECK_THAT(refused("foo(1)"), ContainsSubstring("\"foo\""));
  CHECK_THAT(refused("(1+2"), ContainsSubstring("never closed"));
  CHECK_THAT(refused("10^60"), ContainsSubstring("too large for float32"));
  CHECK(grid.fixture.commands().empty());
  CHECK(grid.cell(0, 0) == 0.43f);
}

TEST_CASE("grid: Ctrl+Enter takes the text over in all cells selected, in one step") {
  EmbeddingGrid grid;
  const Matrix before = grid.matrix();
  select_block(grid);
  grid.robot().type("x+1");
  grid.robot().key(Key::Enter, {.ctrl = true});
  REQUIRE(grid.fixture.commands().size() == 1);
  CHECK(grid.cell(1, 0) == static_cast<float>(before(1, 0) + 1.0));
  CHECK(grid.cell(2, 1) == static_cast<float>(before(2, 1) + 1.0));
  CHECK(grid.cell(0, 0) == before(0, 0));
  CHECK(grid.range().size() == 4);
  grid.fixture.document().undo();
  CHECK(grid.matrix() == before);
}

TEST_CASE("grid: fill down and fill right take the first row and column, or the neighbour of a single one") {
  EmbeddingGrid grid;
  select_block(grid);
  grid.robot().key(Key::D, {.ctrl = true});
  CHECK(grid.cell(2, 0) == 0.55f);
  CHECK(grid.cell(2, 1) == 0.87f);
  grid.robot().key(Key::R, {.ctrl = true});
  CHECK(grid.cell(1, 1) == 0.55f);
  CHECK(grid.cell(2, 1) == 0.55f);
  grid.select(1, 2);
  grid.robot().key(Key::D, {.ctrl = true});
  CHECK(grid.cell(1, 2) == 0.89f);
  grid.select(0, 2);
  grid.robot().key(Key::R, {.ctrl = true});
  CHECK(grid.cell(0, 2) == 0.15f);
  grid.fixture.clear();
  grid.robot().key(Key::D, {.ctrl = true});  // the selection has no row above
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: Delete sets the selection to zero in one step") {
  EmbeddingGrid grid;
  select_block(grid);
  grid.robot().key(Key::Delete);
  CHECK(grid.fixture.commands().size() == 1);
  CHECK(grid.matrix().block(1, 0, 2, 2).isZero());
  CHECK(grid.cell(0, 0) == 0.43f);
}

TEST_CASE("grid: the menu scales, adds and sets, with arithmetic") {
  EmbeddingGrid grid;
  const Matrix before = grid.matrix();
  select_block(grid);
  const auto apply = [&](const std::string& entry, const std::string& text) {
    grid.robot().right_click(grid.name(1, 1));
    grid.robot().click("grid.menu." + entry);
    grid.robot().frames(4);
    grid.robot().type(text);
    grid.robot().key(Key::Enter);
    grid.robot().frames(2);
  };
  apply("scale", "1/2");
  CHECK(grid.cell(1, 0) == static_cast<float>(before(1, 0) * 0.5));
  apply("add", "-1");
  CHECK(grid.cell(1, 0) ==
        static_cast<float>(static_cast<double>(static_cast<float>(before(1, 0) * 0.5)) - 1));
  apply("set", "0.25");
  CHECK(grid.matrix().block(1, 0, 2, 2) == Matrix::Constant(2, 2, 0.25f));
  CHECK(grid.fixture.commands().size() == 3);
  CHECK_FALSE(grid.robot().shows("grid.field"));

  apply("scale", "1/0");
  CHECK_THAT(grid.robot().value("grid.field.message"), ContainsSubstring("division by zero"));
  grid.robot().key(Key::Escape);
  grid.robot().frames(2);
  CHECK_FALSE(grid.robot().shows("grid.field"));
  CHECK(grid.fixture.commands().size() == 3);
}

TEST_CASE("grid: an operation that fails in one cell names it and changes none") {
  Matrix block(1, 3);
  block << 4, 1, 2;
  const RangeResult result = operate(InputKind::Weight, block, RangeOperation::Set, "1/(x-1)");
  CHECK_FALSE(result.values.has_value());
  CHECK_THAT(result.message, ContainsSubstring("row 1, column 2") && ContainsSubstring("division by zero"));
  CHECK(operate(InputKind::Weight, block, RangeOperation::Set, "x^2").values ==
        Matrix(block.cwiseProduct(block)));
  CHECK_THAT(operate(InputKind::Mask, Matrix::Ones(1, 2), RangeOperation::Scale, "2").message,
             ContainsSubstring("mask"));
}
