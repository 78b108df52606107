// Editing a grid of numbers: keys, the editor, scrubbing.
#include <cmath>
#include <string>

#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::as_set_cells;
using headlight_test::ContainsSubstring;
using headlight_test::EmbeddingGrid;
using headlight_test::square_session;
using headlight_test::WithinAbs;

TEST_CASE("grid: typing over a cell replaces its number, Enter commits and moves down") {
  EmbeddingGrid grid;
  grid.select(1, 2);
  grid.robot().type("-0.75");
  CHECK(grid.fixture.commands().empty());  // no command before Enter
  CHECK(grid.robot().value("grid.editor") == "-0.75");
  grid.robot().key(Key::Enter);
  REQUIRE(grid.fixture.commands().size() == 1);
  const SetCells& sent = as_set_cells(grid.fixture.commands().front());
  CHECK(sent.input == InputId{});
  CHECK(sent.row == 1);
  CHECK(sent.column == 2);
  CHECK(sent.values.size() == 1);
  CHECK(sent.gesture == 0);
  CHECK(grid.cell(1, 2) == -0.75f);
  CHECK(grid.robot().value("grid[1,2]") == "−0.75");
  CHECK(grid.selected(2, 2));
  CHECK_FALSE(grid.state.editing);
  CHECK_FALSE(grid.robot().shows("grid.editor"));
}

TEST_CASE("grid: while a cell is typed into, the status bar says that it takes arithmetic") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  grid.fixture.view().selection.note.clear();
  grid.robot().key(Key::F2);
  grid.robot().frames(2);
  CHECK(grid.fixture.view().selection.note.find("1/3") != std::string::npos);
  grid.robot().key(Key::Escape);
  grid.fixture.view().selection.note.clear();
  grid.robot().frames(2);
  CHECK(grid.fixture.view().selection.note.empty());
}

TEST_CASE("grid: Enter, F2 and a double click open the editor on the exact number, all of it selected") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  SECTION("Enter") {
    grid.robot().key(Key::Enter);
  }
  SECTION("F2") {
    grid.robot().key(Key::F2);
  }
  SECTION("double click") {
    grid.robot().double_click("grid[0,0]");
  }
  grid.robot().frames(3);
  REQUIRE(grid.robot().shows("grid.editor"));
  CHECK(grid.robot().value("grid.editor") == "0.43");
  grid.robot().type("2");
  CHECK(grid.robot().value("grid.editor") == "2");
  grid.robot().key(Key::Enter);
  CHECK(grid.cell(0, 0) == 2.0f);
}

TEST_CASE("grid: an editor opened and left as it was sends nothing") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().key(Key::F2);
  grid.robot().key(Key::Enter);
  CHECK(grid.fixture.commands().empty());
  CHECK(grid.selected(1, 0));
}

TEST_CASE("grid: Escape takes the text back") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  grid.robot().type("9");
  grid.robot().key(Key::Escape);
  CHECK(grid.fixture.commands().empty());
  CHECK(grid.cell(1, 1) == 0.87f);
  CHECK_FALSE(grid.state.editing);
  CHECK(grid.selected(1, 1));
  grid.robot().key(Key::Down);  // the grid has the keyboard focus again
  CHECK(grid.selected(2, 1));
}

TEST_CASE("grid: Tab commits and moves right, Shift+Tab left, and neither leaves the grid") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().type("1");
  grid.robot().key(Key::Tab);
  CHECK(grid.cell(0, 0) == 1.0f);
  CHECK(grid.selected(0, 1));
  grid.robot().type("2");
  grid.robot().key(Key::Tab);
  CHECK(grid.cell(0, 1) == 2.0f);
  grid.robot().key(Key::Tab, {.shift = true});
  CHECK(grid.selected(0, 1));
  grid.select(0, 2);
  grid.robot().key(Key::Tab);  // wraps to the next row
  CHECK(grid.selected(1, 0));
}

TEST_CASE("grid: leaving the editor commits what was typed") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().type("0.5");
  SECTION("for another cell") {
    grid.select(3, 2);
    CHECK(grid.selected(3, 2));
  }
  SECTION("for another widget") {
    grid.robot().click("elsewhere");
  }
  CHECK(grid.cell(0, 0) == 0.5f);
  CHECK(grid.fixture.commands().size() == 1);
  CHECK_FALSE(grid.state.editing);
}

TEST_CASE("grid: refused text stays with its message, and the document stays as it was") {
  EmbeddingGrid grid;
  grid.select(2, 0);
  grid.robot().type("1,5");
  SECTION("after Enter it can be mended") {
    grid.robot().key(Key::Enter);
    grid.robot().frames(3);
    CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("write 1.5 with a point"));
    CHECK(grid.robot().value("grid.editor") == "1,5");
    CHECK(grid.fixture.commands().empty());
    grid.robot().key(Key::Backspace);
    grid.robot().key(Key::Backspace);
    CHECK_FALSE(grid.robot().shows("grid.message"));
    grid.robot().type(".5");
    grid.robot().key(Key::Enter);
    CHECK(grid.cell(2, 0) == 1.5f);
  }
  SECTION("after a click elsewhere it is still there, and a second click drops it") {
    grid.select(4, 1);
    CHECK(grid.robot().value("grid.editor") == "1,5");
    CHECK(grid.robot().shows("grid.message"));
    CHECK(grid.selected(2, 0));
    grid.select(4, 1);
    CHECK_FALSE(grid.state.editing);
    CHECK(grid.selected(4, 1));
    CHECK(grid.fixture.commands().empty());
    CHECK(grid.cell(2, 0) == 0.57f);
  }
  SECTION("Escape drops it at once") {
    grid.robot().key(Key::Enter);
    grid.robot().key(Key::Escape);
    CHECK_FALSE(grid.state.editing);
    CHECK(grid.cell(2, 0) == 0.57f);
  }
  CHECK(grid.fixture.errors().empty());
}

TEST_CASE("grid: nan and inf reach no document") {
  EmbeddingGrid grid;
  for (const char* text : {"nan", "inf", "-inf"}) {
    grid.select(0, 0);
    grid.robot().key(Key::F2);
    grid.robot().type(text);
    grid.robot().key(Key::Enter);
    CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("number"));
    grid.robot().key(Key::Escape);
  }
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: keys move the selection within the matrix") {
  EmbeddingGrid grid;
  grid.select(0, 0);
  grid.robot().key(Key::Up);
  grid.robot().key(Key::Left);
  CHECK(grid.selected(0, 0));
  grid.robot().key(Key::Right);
  grid.robot().key(Key::Down);
  CHECK(grid.selected(1, 1));
  grid.robot().key(Key::End);
  CHECK(grid.selected(1, 2));
  grid.robot().key(Key::Home);
  CHECK(grid.selected(1, 0));
  grid.robot().key(Key::End, {.ctrl = true});
  CHECK(grid.selected(5, 2));
  grid.robot().key(Key::PageUp);
  CHECK(grid.selected(0, 2));
  grid.robot().key(Key::PageDown);
  CHECK(grid.selected(5, 2));
  CHECK(grid.fixture.commands().empty());
}

TEST_CASE("grid: keys are the grid's only while it has the focus") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  REQUIRE(grid.fixture.view().selection.input.has_value());
  grid.robot().click("elsewhere");
  grid.robot().frames(2);
  CHECK_FALSE(grid.fixture.view().selection.input.has_value());
  grid.robot().key(Key::Down);
  grid.robot().type("7");
  CHECK(grid.selected(1, 1));
  CHECK_FALSE(grid.state.editing);
}

TEST_CASE("grid: dragging a cell sideways scrubs its value live, in one undo step") {
  EmbeddingGrid grid;
  grid.robot().drag("grid[0,0]", 40);
  CHECK(grid.cell(0, 0) == 0.53f);  // ten steps of 0.01
  REQUIRE(grid.fixture.commands().size() > 2);
  const std::uint64_t gesture = as_set_cells(grid.fixture.commands().front()).gesture;
  CHECK(gesture != 0);
  for (const Command& command : grid.fixture.commands())
    CHECK(as_set_cells(command).gesture == gesture);
  grid.fixture.document().undo();
  CHECK(grid.cell(0, 0) == 0.43f);
  CHECK_FALSE(grid.fixture.document().can_undo());

  grid.fixture.clear();
  grid.robot().drag("grid[0,0]", -40);
  CHECK_THAT(grid.cell(0, 0), WithinAbs(0.33, 1e-6));
  CHECK(as_set_cells(grid.fixture.commands().front()).gesture != gesture);
}

TEST_CASE("grid: a number from 1 on is scrubbed by tenths") {
  EmbeddingGrid grid;
  const float from = GENERATE(3.0f, -1.0f, 12.5f);
  grid.fixture.document().run(SetCells{{InputKind::Embeddings, 0}, 0, 0, Matrix::Constant(1, 1, from)});
  grid.robot().frames(1);
  grid.robot().drag("grid[0,0]", 48);
  CHECK_THAT(grid.cell(0, 0), WithinAbs(from + 1.2, 1e-6));
  grid.robot().drag_then_hold("grid[0,0]", 40, {.shift = true});
  CHECK_THAT(grid.cell(0, 0), WithinAbs(from + 1.2 + (std::abs(from + 1.2) >= 1 ? 0.1 : 0.01), 1e-6));
}

TEST_CASE("grid: Shift scrubs finely and Ctrl coarsely; a small move is only a click") {
  EmbeddingGrid grid;
  grid.robot().drag_then_hold("grid[0,0]", 40, {.shift = true});
  CHECK(grid.cell(0, 0) == 0.44f);
  grid.robot().drag("grid[0,1]", 40, 0, {.ctrl = true});
  CHECK(grid.cell(0, 1) == 1.15f);
  grid.fixture.clear();
  grid.robot().drag("grid[0,2]", 3);
  CHECK(grid.fixture.commands().empty());
  CHECK(grid.selected(0, 2));
}

TEST_CASE("grid: Escape during a scrub puts the value back, and the drag goes on without effect") {
  EmbeddingGrid grid;
  grid.escape_while_scrubbing = true;
  grid.robot().drag("grid[3,0]", 80);
  feed_key(Key::Escape, false);
  grid.robot().frames(2);
  CHECK(grid.cell(3, 0) == 0.22f);
  REQUIRE(grid.fixture.commands().size() >= 2);  // the change, and its reversal
  CHECK(as_set_cells(grid.fixture.commands().front()).values(0, 0) != 0.22f);
  CHECK(as_set_cells(grid.fixture.commands().back()).values(0, 0) == 0.22f);
}

TEST_CASE("grid: of 768 x 768 cells only those in sight are drawn, and keys scroll to the rest") {
  EmbeddingGrid grid(square_session(768));
  std::size_t cells = 0;
  for (const ProbedWidget& widget : grid.robot().probe().widgets())
    cells += widget.name.starts_with("grid[");
  CHECK(cells > 50);
  CHECK(cells < 250);
  CHECK(grid.robot().shows("grid[0,0]"));
  CHECK_FALSE(grid.robot().shows("grid[767,767]"));

  grid.select(0, 0);
  grid.robot().key(Key::End, {.ctrl = true});
  grid.robot().frames(2);
  CHECK(grid.robot().shows("grid[767,767]"));
  CHECK_FALSE(grid.robot().shows("grid[0,0]"));
  grid.robot().type("1");
  grid.robot().key(Key::Enter);
  CHECK(grid.cell(767, 767) == 1.0f);

  grid.robot().wheel("grid[767,767]", 100000);
  CHECK(grid.robot().shows("grid[0,767]"));  // rows scroll, columns stay
}

TEST_CASE("grid: a matrix that shrinks under the selection takes the selection and the editor with it") {
  EmbeddingGrid grid;
  grid.select(5, 2);
  grid.robot().type("3");
  grid.fixture.document().run(RemoveToken{0});
  grid.robot().frames(2);
  CHECK(grid.state.selection.row == 4);
  CHECK_FALSE(grid.state.editing);
  CHECK(grid.fixture.commands().empty());
}
