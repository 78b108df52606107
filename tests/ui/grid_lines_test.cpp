// Rows and columns of grids: inserting, duplicating, deleting and moving, by keys and by the menu.
#include <variant>

#include "app/ui/inputs/inputs_panel.h"
#include "tests/support/catch.h"
#include "tests/ui/support/grid_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::EmbeddingGrid;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct QueryGrid : EmbeddingGrid {
  explicit QueryGrid(const char* lesson) : EmbeddingGrid(lesson_session(lesson)) {
    options.input = {InputKind::Weight, 0, Parameter::Query};
    robot().frames(3);
  }
};

void menu(EmbeddingGrid& grid, const std::string& at, const std::string& entry) {
  grid.robot().right_click(at);
  grid.robot().click("grid.menu." + entry);
  grid.robot().frames(2);
}

}  // namespace

TEST_CASE("grid: a dimension is inserted, copied and deleted by the menu of its header") {
  EmbeddingGrid grid;
  const Matrix before = grid.matrix();
  menu(grid, "grid.column[1]", "insert_before");
  CHECK(grid.fixture.layer().d_in() == 4);
  CHECK(grid.matrix().col(1).isZero());
  CHECK(grid.matrix().col(2) == before.col(1));
  CHECK(grid.fixture.document().undo_name() == "Insert dimension");
  menu(grid, "grid.column[2]", "duplicate");
  CHECK(grid.matrix().col(3) == before.col(1));
  CHECK(grid.range() == GridRange{0, 3, 6, 1});
  grid.robot().key(Key::Delete, {.alt = true});
  CHECK(grid.fixture.layer().d_in() == 4);
  grid.robot().click("grid.column[1]");
  grid.robot().key(Key::Delete, {.alt = true});
  CHECK(grid.matrix() == before);
  CHECK(grid.fixture.errors().empty());
}

TEST_CASE("grid: Alt with arrows moves the rows and columns of the selection, one undo each") {
  EmbeddingGrid grid;
  const Matrix before = grid.matrix();
  grid.select(1, 1);
  grid.robot().key(Key::Right, {.alt = true});
  CHECK(grid.matrix().col(2) == before.col(1));
  CHECK(grid.selected(1, 2));
  grid.robot().key(Key::Right, {.alt = true});
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("stands last"));
  grid.fixture.document().undo();
  CHECK(grid.matrix() == before);
  grid.select(1, 1);
  grid.robot().key(Key::Down, {.alt = true});
  CHECK(grid.fixture.layer().tokens[2] == "journey");
  CHECK(grid.matrix().row(2) == before.row(1));
}

TEST_CASE("grid: single cells are no rows: the keys say how to select one") {
  EmbeddingGrid grid;
  grid.select(1, 1);
  grid.robot().key(Key::Delete, {.alt = true});
  CHECK_THAT(grid.robot().value("grid.message"), ContainsSubstring("header"));
  CHECK(grid.fixture.commands().empty());
  grid.robot().key(Key::Space, {.shift = true});
  grid.robot().key(Key::Delete, {.alt = true});
  CHECK(grid.fixture.layer().token_count() == 5);
}

TEST_CASE("grid: output dimensions come and go only as the heads allow, and the menu says why not") {
  QueryGrid grid("20-two-heads");
  // The layout is out x in: rows are output dimensions.
  REQUIRE(grid.fixture.layer().weights.layout == WeightLayout::OutIn);
  grid.robot().right_click("grid.row[0]");
  CHECK(grid.robot().value("grid.menu.insert_before") == "Insert output dimension before");
  CHECK_FALSE(grid.robot().widget("grid.menu.insert_before").enabled);
  CHECK_FALSE(grid.robot().widget("grid.menu.delete").enabled);
  CHECK(grid.robot().widget("grid.menu.move_forward").enabled);
  grid.robot().hover("grid.menu.insert_before");
  grid.robot().key(Key::Escape);
  grid.robot().click("grid.row[0]");
  grid.robot().click("grid.row[1]", {.shift = true});
  grid.robot().right_click("grid.row[1]");
  CHECK(grid.robot().value("grid.menu.insert_after") == "Insert 2 output dimensions after");
  grid.robot().click("grid.menu.insert_after");
  grid.robot().frames(2);
  CHECK(grid.fixture.errors().empty());
  CHECK(grid.fixture.layer().d_out() == 4);
  grid.fixture.document().undo();
  CHECK(grid.fixture.layer().d_out() == 2);
}

TEST_CASE("inputs: a mask of one's own is edited as numbers, with the tokens as its rows and columns") {
  InputsPanelState state;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"),
                       [&](UiContext& ui) { inputs_panel(ui, state); }, {360, 800});
  auto& robot = fixture.robot();
  CHECK_FALSE(robot.shows("inputs.tab.mask"));
  fixture.document().run(SetMask{MaskKind::Custom, Matrix::Ones(6, 6), 0});
  robot.frames(3);
  CHECK(robot.shows("inputs.use_linear"));
  robot.click("inputs.tab.mask");
  CHECK(robot.value("inputs.mask.row[1]") == "journey");
  robot.click("inputs.mask[1,2]");
  robot.type("0");
  robot.key(Key::Enter);
  CHECK(fixture.layer().custom_mask(1, 2) == 0);
  CHECK(fixture.layer().custom_mask.sum() == 35);
  robot.type("0.5");
  robot.key(Key::Enter);
  CHECK_THAT(robot.value("inputs.mask.message"), ContainsSubstring("mask"));
  robot.key(Key::Escape);
  robot.right_click("inputs.mask.column[0]");
  CHECK(robot.value("inputs.mask.menu.duplicate") == "Duplicate token");
  robot.click("inputs.mask.menu.duplicate");
  robot.frames(2);
  CHECK(fixture.layer().token_count() == 7);
  CHECK(fixture.errors().empty());
}

TEST_CASE("inputs: several tokens are selected along their labels, moved and removed together") {
  InputsPanelState state;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"),
                       [&](UiContext& ui) { inputs_panel(ui, state); }, {360, 800});
  auto& robot = fixture.robot();
  robot.click("inputs.token[1]");
  robot.click("inputs.token[2]", {.shift = true});
  robot.key(Key::Down, {.alt = true});
  CHECK(fixture.layer().tokens ==
        std::vector<std::string>{"Your", "with", "journey", "starts", "one", "step"});
  robot.right_click("inputs.token[2]");
  CHECK(robot.value("inputs.embeddings.menu.delete") == "Delete 2 tokens");
  robot.key(Key::Escape);
  robot.key(Key::Delete);
  CHECK(fixture.layer().tokens == std::vector<std::string>{"Your", "with", "one", "step"});
  fixture.document().undo();
  CHECK(fixture.layer().token_count() == 6);

  robot.drag("inputs.token[3]", 0, 48);
  CHECK(state.tokens.grid.selection.range(6, 3) == GridRange{3, 0, 3, 3});
  robot.click("inputs.token[0]");
  robot.key(Key::Up, {.alt = true});
  CHECK(fixture.layer().tokens[0] == "Your");
  CHECK_THAT(robot.value("inputs.embeddings.message"), ContainsSubstring("stands first"));
  CHECK(fixture.errors().empty());
}

TEST_CASE("grid: rows of the keys' own embeddings are key tokens, not dimensions") {
  Session session = lesson_session("01-one-query-dot-products");
  session.layer.key_tokens = {"k", "l", "m"};
  session.layer.key_embeddings = {session.layer.embeddings[0].topRows(3)};
  EmbeddingGrid grid(session);
  grid.options.input = {InputKind::KeyEmbeddings, 0};
  grid.robot().frames(3);
  grid.robot().right_click("grid.row[0]");
  CHECK(grid.robot().value("grid.menu.insert_before") == "Insert key token before");
}
