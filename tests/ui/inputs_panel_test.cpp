// The left panel: tokens, sequences, dimensions, weights.
#include "app/ui/inputs/inputs_panel.h"

#include <string>
#include <variant>

#include "app/ui/widgets/stepper.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct InputsBench {
  InputsPanelState state;
  PanelFixture fixture;

  explicit InputsBench(const std::string& lesson, ImVec2 size = {296, 672})
      : InputsBench(lesson_session(lesson), size) {}
  explicit InputsBench(Session session, ImVec2 size = {296, 672})
      : fixture(
            std::move(session), [this](UiContext& ui) { inputs_panel(ui, state); }, size) {
    robot().frames(3);  // until the heights of the sections are final
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() const { return fixture.layer(); }
  template <class Wanted>
  const Wanted& only_command() const {
    REQUIRE(fixture.commands().size() == 1);
    REQUIRE(std::holds_alternative<Wanted>(fixture.commands().front()));
    return std::get<Wanted>(fixture.commands().front());
  }
  void menu(Index row, const std::string& item) {
    robot().click("inputs.token[" + std::to_string(row) + "].menu");
    robot().click("inputs.menu." + item);
  }
};

// A matrix of many is chosen in a list, one of few by its tab.
void choose_tab(InputsBench& panel, const std::string& id) {
  if (!panel.robot().shows("inputs.tab." + id)) panel.robot().click("inputs.tab");
  panel.robot().click("inputs.tab." + id);
}

constexpr const char* kRand = "10-queries-keys-values";
constexpr const char* kTwoHeads = "22-two-heads-with-dropout";

}  // namespace

TEST_CASE("inputs: the lesson of 6 x 3 shows all tokens and numbers without a scroll bar") {
  InputsBench panel(kRand);
  CHECK(panel.robot().value("inputs.token[0]") == "Your");
  CHECK(panel.robot().value("inputs.token[5]") == "step");
  CHECK(panel.robot().value("inputs.embeddings[0,0]") == "0.43");
  CHECK(panel.robot().value("inputs.embeddings[5,2]") == "0.55");
  CHECK(panel.robot().value("inputs.query[0,0]") == "0.2961");
  CHECK(panel.robot().value("inputs.recipe") == "torch.rand, seed 123");
  panel.robot().click("inputs.more");
  CHECK(panel.robot().shows("inputs.draw"));
  CHECK(panel.fixture.commands().empty());
}

TEST_CASE("inputs: a label is renamed in place") {
  InputsBench panel(kRand);
  SECTION("by double click and Enter") {
    panel.robot().double_click("inputs.token[1]");
    panel.robot().frames(2);
    panel.robot().type("trip");
    panel.robot().key(Key::Enter);
  }
  SECTION("by F2, and leaving it") {
    panel.robot().click("inputs.token[1]");
    panel.robot().key(Key::F2);
    panel.robot().type("trip");
    panel.robot().click("inputs.embeddings[0,0]");
  }
  SECTION("from the menu") {
    panel.menu(1, "rename");
    panel.robot().frames(2);
    panel.robot().type("trip");
    panel.robot().key(Key::Enter);
  }
  CHECK(panel.only_command<RenameToken>().at == 1);
  CHECK(panel.robot().value("inputs.token[1]") == "trip");
}

TEST_CASE("inputs: Escape keeps the old label") {
  InputsBench panel(kRand);
  panel.robot().double_click("inputs.token[1]");
  panel.robot().frames(2);
  panel.robot().type("trip");
  panel.robot().key(Key::Escape);
  CHECK(panel.fixture.commands().empty());
  CHECK(panel.robot().value("inputs.token[1]") == "journey");
}

TEST_CASE("inputs: keys type into a label, not into the cell beside it") {
  InputsBench panel(kRand);
  panel.robot().double_click("inputs.token[2]");
  panel.robot().frames(2);
  panel.robot().type("7");
  panel.robot().key(Key::Enter);
  CHECK(panel.robot().value("inputs.token[2]") == "7");
  CHECK_FALSE(panel.robot().shows("inputs.embeddings.editor"));
  CHECK(panel.only_command<RenameToken>().label == "7");
}

TEST_CASE("inputs: a token is added at the end and its label opens for typing") {
  InputsBench panel(kRand);
  panel.robot().click("inputs.add_token");
  panel.robot().frames(4);
  CHECK(panel.layer().token_count() == 7);
  CHECK(panel.layer().embeddings[0].row(6).isZero());
  panel.robot().type("further");
  panel.robot().key(Key::Enter);
  CHECK(panel.layer().tokens.back() == "further");
}

TEST_CASE("inputs: the menu of a token inserts, copies, moves and removes") {
  InputsBench panel(kRand);
  SECTION("insert before") {
    panel.menu(2, "insert_before");
    CHECK(panel.only_command<InsertToken>().at == 2);
    CHECK(panel.layer().embeddings[0].row(2).isZero());
  }
  SECTION("insert after") {
    panel.menu(2, "insert_after");
    CHECK(panel.only_command<InsertToken>().at == 3);
  }
  SECTION("duplicate") {
    panel.menu(2, "duplicate");
    CHECK(panel.only_command<InsertToken>().copy);
    CHECK(panel.layer().tokens[3] == "starts");
    CHECK(panel.layer().embeddings[0].row(3) == panel.layer().embeddings[0].row(2));
  }
  SECTION("move up") {
    panel.menu(2, "move_up");
    CHECK(panel.layer().tokens[1] == "starts");
  }
  SECTION("move down") {
    panel.menu(2, "move_down");
    CHECK(panel.layer().tokens[3] == "starts");
  }
  SECTION("remove") {
    panel.menu(2, "remove");
    CHECK(panel.layer().token_count() == 5);
    CHECK(panel.layer().tokens[2] == "with");
  }
  SECTION("the right button opens it as well") {
    panel.robot().right_click("inputs.token[0]");
    CHECK(panel.robot().shows("inputs.menu.remove"));
    CHECK_FALSE(panel.robot().widget("inputs.menu.move_up").enabled);
  }
}

TEST_CASE("inputs: a selected label obeys keys") {
  InputsBench panel(kRand);
  panel.robot().click("inputs.token[4]");
  panel.robot().key(Key::Delete);
  CHECK(panel.only_command<RemoveToken>().at == 4);
  panel.robot().click("inputs.embeddings[0,0]");
  panel.robot().key(Key::Left);  // from the first column to the label
  CHECK(panel.state.tokens.grid.selection.on_label);
  panel.robot().key(Key::Down);
  CHECK(panel.state.tokens.grid.selection.row == 1);
  panel.robot().key(Key::Right);
  CHECK_FALSE(panel.state.tokens.grid.selection.on_label);
}

TEST_CASE("inputs: sequences of a batch are switched, added and removed") {
  InputsBench panel(kRand);
  CHECK_FALSE(panel.robot().shows("inputs.sequence.0"));
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.add_sequence");
  CHECK(panel.layer().sequence_count() == 2);
  CHECK(panel.fixture.view().sequence == 1);
  panel.robot().key(Key::Escape);
  panel.robot().click("inputs.embeddings[0,0]");
  panel.robot().type("0.5");
  panel.robot().key(Key::Enter);
  CHECK(panel.layer().embeddings[1](0, 0) == 0.5f);
  CHECK(panel.layer().embeddings[0](0, 0) == 0.43f);
  panel.robot().click("inputs.sequence.0");
  CHECK(panel.robot().value("inputs.embeddings[0,0]") == "0.43");
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.remove_sequence");
  CHECK(panel.layer().sequence_count() == 1);
  CHECK(panel.robot().value("inputs.embeddings[0,0]") == "0.5");
  CHECK(panel.fixture.errors().empty());
}

TEST_CASE("inputs: dimensions and heads step to valid values only") {
  InputsBench panel(kTwoHeads);
  const Index d_out = panel.layer().d_out();
  REQUIRE(panel.layer().head_count() == 2);
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.d_out.plus");
  CHECK(panel.layer().d_out() == d_out + 2);
  panel.robot().click("inputs.heads.plus");
  CHECK(panel.layer().d_out() % panel.layer().head_count() == 0);
  panel.robot().click("inputs.d_in.minus");
  CHECK(panel.layer().d_in() == 2);
  CHECK(panel.fixture.errors().empty());
}

TEST_CASE("inputs: a dimension can be typed; heads that do not fit are answered with an error") {
  InputsBench panel(kTwoHeads);
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.d_in");
  panel.robot().key(Key::A, {.ctrl = true});
  panel.robot().type("5");
  panel.robot().key(Key::Enter);
  CHECK(panel.layer().d_in() == 5);
  panel.robot().click("inputs.heads");
  panel.robot().key(Key::A, {.ctrl = true});
  panel.robot().type("7");
  panel.robot().key(Key::Enter);
  CHECK(panel.fixture.errors().size() == 1);
  CHECK(panel.layer().head_count() == 2);
}

TEST_CASE("inputs: each parameter that is used has its tab and its numbers") {
  InputsBench panel(kTwoHeads);
  for (const char* id : {"query", "key", "value", "output", "output_bias"}) {
    choose_tab(panel, id);
    CHECK(panel.robot().shows(std::string("inputs.") + id + "[0,0]"));
  }
  panel.robot().click("inputs.tab");
  CHECK_FALSE(panel.robot().shows("inputs.tab.query_bias"));
  panel.robot().key(Key::Escape);
  panel.fixture.document().run(SetQkvBias{true});
  panel.robot().frames(2);
  choose_tab(panel, "value_bias");
  panel.robot().click("inputs.value_bias[0,1]");
  panel.robot().type("0.25");
  panel.robot().key(Key::Enter);
  CHECK(panel.layer().weights.bias(Parameter::Value)(0, 1) == 0.25f);
  panel.fixture.document().run(SetOutputProjection{false});
  panel.robot().frames(2);
  CHECK_FALSE(panel.robot().shows("inputs.tab.output"));
}

TEST_CASE("inputs: weights are drawn anew with a seed, in the recipe's own order") {
  InputsBench panel("12-draw-order-key-first");
  const WeightRecipe before = panel.layer().weights.recipe.value();
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.init_seed");
  panel.robot().key(Key::A, {.ctrl = true});
  panel.robot().type("789");
  panel.robot().key(Key::Enter);  // draws new weights at once
  CHECK(panel.only_command<DrawWeights>().recipe.seed == 789);
  CHECK(panel.robot().value("inputs.recipe") == "torch.rand, seed 789");
  panel.fixture.clear();
  panel.robot().click("inputs.init");
  panel.robot().click("inputs.init.linear");
  panel.robot().click("inputs.draw");
  const WeightRecipe& sent = panel.only_command<DrawWeights>().recipe;
  CHECK(sent.seed == 789);
  CHECK(sent.init == InitKind::Linear);
  CHECK(sent.order == before.order);
  CHECK(panel.robot().value("inputs.recipe") == "nn.Linear, seed 789");
  panel.fixture.document().undo();
  panel.fixture.document().undo();
  panel.robot().frames(2);
  CHECK(panel.robot().value("inputs.init_seed") == std::to_string(before.seed));
  CHECK(panel.robot().value("inputs.init") == "rand");
}

TEST_CASE("inputs: zeros and identity fill the shown parameter alone") {
  InputsBench panel(kTwoHeads);
  choose_tab(panel, "key");
  panel.robot().click("inputs.more");
  panel.robot().click("inputs.init");
  panel.robot().click("inputs.init.identity");
  panel.robot().click("inputs.draw");
  CHECK(panel.only_command<FillParameter>().parameter == Parameter::Key);
  CHECK(panel.layer().weights.matrix(Parameter::Key)(0, 0) == 1.0f);
  CHECK(panel.layer().weights.matrix(Parameter::Query)(0, 0) != 1.0f);

  const Matrix output = panel.layer().weights.matrix(Parameter::Output);
  panel.robot().key(Key::Escape);
  choose_tab(panel, "output_bias");
  panel.robot().click("inputs.more");
  CHECK_FALSE(panel.robot().widget("inputs.draw").enabled);  // a bias cannot be the identity
  panel.robot().click("inputs.init");
  panel.robot().click("inputs.init.zeros");
  panel.robot().click("inputs.draw");
  CHECK(panel.layer().weights.bias(Parameter::Output).isZero());
  CHECK(panel.layer().weights.matrix(Parameter::Output) == output);
}

TEST_CASE("inputs: without a projection the panel says so and offers one") {
  InputsBench panel("01-one-query-dot-products");
  CHECK_FALSE(panel.robot().shows("inputs.tab.query"));
  panel.robot().click("inputs.use_linear");
  CHECK(panel.only_command<SetProjection>().projection == Projection::Linear);
  CHECK(panel.robot().shows("inputs.query[0,0]"));
}

TEST_CASE("inputs: queries, keys and values that are given are edited themselves") {
  InputsBench panel(kTwoHeads);
  panel.fixture.document().run(SetProjection{Projection::Given});
  panel.robot().frames(2);
  panel.robot().click("inputs.more");
  CHECK(panel.robot().shows("inputs.d_out"));
  CHECK_FALSE(panel.robot().shows("inputs.draw"));
  panel.robot().key(Key::Escape);
  choose_tab(panel, "key");
  panel.robot().drag("inputs.key[2,1]", 30, 0);
  REQUIRE(std::holds_alternative<SetCells>(panel.fixture.commands().front()));
  CHECK(std::get<SetCells>(panel.fixture.commands().front()).input ==
        InputId{InputKind::Given, 0, Parameter::Key});
}

TEST_CASE("inputs: pointing at an embedding tells the other panels, editing one does not") {
  InputsBench panel(kRand);
  panel.robot().hover("inputs.embeddings[2,1]");
  REQUIRE(panel.fixture.view().selection.hovered.now.has_value());
  CHECK(*panel.fixture.view().selection.hovered.now == CellAddress{Stage::Embeddings, 0, 0, 2, 1});
  panel.robot().click("inputs.embeddings[3,0]");
  panel.fixture.view().selection.hovered.now.reset();
  panel.robot().hover("inputs.embeddings[4,0]");
  CHECK_FALSE(panel.fixture.view().selection.hovered.now.has_value());
}

TEST_CASE("inputs: two grids share the height that they do not both fit in") {
  SharedHeights all = share_heights(400, 164, 92, 0.55f, 92);
  CHECK(all.first == 164);
  CHECK(all.second == 92);
  CHECK_FALSE(all.tight);

  const SharedHeights one_long = share_heights(400, 12000, 92, 0.55f, 92);
  CHECK(one_long.second == 92);
  CHECK(one_long.first == 308);
  CHECK(one_long.tight);

  const SharedHeights both_long = share_heights(400, 12000, 12000, 0.25f, 92);
  CHECK(both_long.first == 100);
  CHECK(both_long.second == 300);

  const SharedHeights no_room = share_heights(50, 12000, 12000, 0.5f, 92);
  CHECK(no_room.first == 92);
  CHECK(no_room.second == 92);
}

TEST_CASE("inputs: steps lead to whole, valid numbers") {
  CHECK(unit_steps(1, 1, 10).down == 1);
  CHECK(unit_steps(10, 1, 10).up == 10);
  CHECK(divisor_steps(2, 12).up == 3);
  CHECK(divisor_steps(4, 12).down == 3);
  CHECK(divisor_steps(12, 12).up == 12);
  CHECK(multiple_steps(4, 2, 100).up == 6);
  CHECK(multiple_steps(2, 2, 100).down == 2);
  CHECK(multiple_steps(100, 2, 100).up == 100);
}

TEST_CASE("inputs: a count is typed, and what is no count is refused and changes nothing") {
  InputsBench panel(kRand);
  const auto type = [&](const std::string& text) {
    panel.fixture.clear();
    if (!panel.robot().shows("inputs.d_out")) panel.robot().click("inputs.more");
    panel.robot().click("inputs.d_out");
    panel.robot().key(Key::A, {.ctrl = true});
    panel.robot().type(text);
    panel.robot().key(Key::Enter);
    panel.robot().frames(2);
  };
  for (const char* text : {"0", "-3", "1.5", "two", "1000001"}) {
    CAPTURE(text);
    type(text);
    CHECK(panel.fixture.commands().empty());
    CHECK(panel.layer().d_out() == 2);
    panel.robot().key(Key::Escape);
    panel.robot().frames(2);
  }
  type(" 5 ");
  CHECK(panel.only_command<SetDOut>().d_out == 5);
  CHECK(panel.layer().d_out() == 5);
}

TEST_CASE(
    "inputs: a sequence of a large batch is chosen by its number, also the first, counted from 0 or 1") {
  for (const bool from_1 : {false, true}) {
    CAPTURE(from_1);
    Session batch = lesson_session(kTwoHeads);
    batch.lesson.reset();  // a lesson counts as it says
    InputsBench panel(std::move(batch));
    panel.fixture.preferences().count_from = from_1 ? 1 : 0;
    while (panel.layer().sequence_count() < 7)
      panel.fixture.document().run(AddSequence{});
    panel.fixture.view().sequence = 2;
    panel.robot().frames(4);
    const auto type = [&](const std::string& text) {
      panel.robot().click("inputs.sequence");
      panel.robot().key(Key::A, {.ctrl = true});
      panel.robot().type(text);
      panel.robot().key(Key::Enter);
      panel.robot().frames(2);
      return panel.fixture.view().sequence;
    };
    CHECK(type(from_1 ? "1" : "0") == 0);
    CHECK(type("5") == (from_1 ? 4 : 5));
    CHECK(type("99") == 6);
    panel.robot().click("inputs.sequence.minus");
    panel.robot().frames(2);
    CHECK(panel.fixture.view().sequence == 5);
  }
}
