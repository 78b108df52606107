// The views of the large picture other than the heatmap: their choice and their contents.
#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/derivation.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/main_window/action_table.h"
#include "app/ui/main_window/workbench.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/ui/support/centre.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::WithinAbs;

namespace {

// Inputs, stages and inspector side by side, with the program's keys.
struct ViewsBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit ViewsBench(const std::string& lesson = "22-two-heads-with-dropout")
      : fixture(lesson_session(lesson), [this](UiContext& ui) { draw(ui); }) {
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  void show(const std::string& name) {
    robot().click("view." + name);
    robot().frames(4);
  }

 private:
  void draw(UiContext& ui) {
    ui.view.selection.hovered.now.reset();
    column("inputs", 0, 300, [&] { inputs_panel(ui, state.inputs); });
    column("stages", 300, 660, [&] { headlight_test::centre_panel(ui, state); });
    column("inspector", 960, 320, [&] { inspector_panel(ui, state.inspector); });
    ui.view.selection.hovered.last = ui.view.selection.hovered.now;
    run_pressed_action(ui, state);
  }
  template <class Draw>
  void column(const char* id, float x, float width, Draw content) {
    ImGui::SetCursorScreenPos({x, 0});
    begin_child(id, {width, 800}, false);
    content();
    ImGui::EndChild();
  }
};

}  // namespace

TEST_CASE("views: chosen by a click and by key, and the heatmaps come back") {
  ViewsBench bench;
  CHECK(bench.robot().value("view.heatmap") == "on");
  bench.show("row");
  CHECK(bench.view().focus_view == FocusView::Row);
  CHECK(bench.robot().shows("row.query"));
  CHECK_FALSE(bench.robot().shows("focus.weights.h0"));
  bench.robot().key(Key::Num1, {.alt = true});
  bench.robot().frames(4);
  CHECK(bench.view().focus_view == FocusView::Heatmap);
  CHECK_FALSE(bench.robot().shows("row.query"));
  bench.robot().key(Key::Num3, {.alt = true});
  CHECK(bench.view().focus_view == FocusView::Row);
}

TEST_CASE("row view: shows the engine's numbers of the selected query, head and stage") {
  ViewsBench bench;
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.show("row");
  CHECK_FALSE(bench.robot().shows("row.scaled.0"));  // one number a head: nothing is scaled
  for (const Stage stage : {Stage::Scores, Stage::Masked, Stage::Weights, Stage::Dropped})
    for (Index key = 0; key < 6; ++key) {
      const std::string name = "row." + std::string(stage_info(stage).name) + "." + std::to_string(key);
      INFO(name);
      const std::string shown = bench.robot().value(name);
      const bool masked = key > 4 && stage != Stage::Scores;
      CHECK((shown == "masked") == masked);
      if (!masked && shown != "dropped")
        CHECK(shown == number_text(evaluator.matrix(stage, 0, 1)(4, key), 4));
    }
}

TEST_CASE("row view: weights times the length of what their values add, as a lane of their own") {
  ViewsBench bench;
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.show("row");
  CHECK_FALSE(bench.robot().shows("row.weights × |value|.0"));
  bench.robot().click("focus.by_value");
  bench.robot().frames(4);
  const Matrix products = evaluate(bench.fixture.layer()).value_weighted(Stage::Weights, 0, 1);
  for (Index key = 0; key < 5; ++key)
    CHECK(bench.robot().value("row.weights × |value|." + std::to_string(key)) ==
          number_text(products(4, key), 4));
  CHECK(bench.robot().value("row.weights × |value|.5") == "masked");
  bench.robot().click("focus.by_value");
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("row.weights × |value|.0"));
}

TEST_CASE("flow view: lines of weights times the length of what their values add, which are not pulled") {
  ViewsBench bench;
  bench.view().head = 1;
  bench.robot().frames(2);
  bench.show("flow");
  bench.robot().click("focus.by_value");
  bench.robot().frames(4);
  CHECK_THAT(bench.robot().value("flow.caption"), ContainsSubstring("weights × |value|"));
  REQUIRE(bench.state.stages.flow.tiles.size() == 1);
  CHECK(bench.state.stages.flow.tiles[0]->values ==
        evaluate(bench.fixture.layer()).value_weighted(Stage::Weights, 0, 1));
  const Rect lines = bench.robot().widget("flow.lines").rect;
  bench.robot().move_to(
      {static_cast<float>(lines.x + lines.width / 2), bench.robot().middle_of("flow.query.0").y});
  bench.robot().frames(2);
  CHECK_THAT(bench.robot().value("flow.pointed"), ContainsSubstring("weight × |value|"));
  const ImVec2 end = {static_cast<float>(lines.right()) - 8, bench.robot().middle_of("flow.key.0").y};
  bench.robot().stroke(end, {end.x, bench.robot().middle_of("flow.key.3").y});
  bench.robot().frames(20);
  CHECK_FALSE(bench.robot().shows("flow.pull"));
  CHECK_FALSE(bench.fixture.document().can_undo());
  bench.robot().click("focus.by_value");
  bench.robot().frames(4);
  REQUIRE(bench.state.stages.flow.tiles.size() == 1);
  CHECK(bench.state.stages.flow.tiles[0]->request.content == TileContent::Stage);
}

TEST_CASE("row view: without a selection it shows the last query") {
  ViewsBench bench;
  bench.view().selection.cell.reset();
  bench.show("row");
  bench.robot().frames(3);
  CHECK(bench.robot().value("row.query") == "5");
}

TEST_CASE("row view: the query is changed by keys, buttons and the list of tokens") {
  ViewsBench bench;
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.show("row");
  bench.robot().key(Key::Down);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 5, 2});
  bench.robot().key(Key::Down);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 5, 2});
  bench.robot().click("row.previous");
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 4, 2});
  bench.robot().click("row.query");
  bench.robot().frames(2);
  bench.robot().click("row.query.1");
  bench.robot().frames(2);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 1, 2});
}

TEST_CASE("row view: arrow keys move the caret of a grid, not the query, while the grid has the keyboard") {
  ViewsBench bench;
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 2, 1};
  bench.show("row");
  bench.robot().click("inputs.embeddings[0,0]");
  bench.robot().key(Key::Down);
  bench.robot().frames(2);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 0, 2, 1});
}

TEST_CASE("row view: a bar is a cell to point at and to keep") {
  ViewsBench bench;
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 3, 1};
  bench.show("row");
  bench.robot().hover("row.masked.2");
  bench.robot().frames(2);
  CHECK(bench.view().selection.hovered.last == CellAddress{Stage::Masked, 0, 0, 3, 2});
  bench.robot().click("row.masked.2");
  bench.robot().frames(3);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Masked, 0, 0, 3, 2});
  CHECK(bench.robot().value("inspector.cell") == "masked[with (3), starts (2)]");
}

TEST_CASE("row view: follows an edit, and a session with fewer tokens") {
  ViewsBench bench;
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 5, 5};
  bench.show("row");
  const std::string before = bench.robot().value("row.scores.0");
  bench.fixture.document().run(RemoveToken{5});
  bench.robot().frames(6);
  CHECK_FALSE(bench.robot().shows("row.scores.5"));
  CHECK(bench.robot().shows("row.scores.4"));
  CHECK(bench.robot().value("row.scores.0") != before);
}

namespace {

// A lesson with `count` tokens, whose embeddings all differ.
Session long_session(Index count) {
  Session session = lesson_session("22-two-heads-with-dropout");
  Layer& layer = session.layer;
  layer.tokens.clear();
  for (Index i = 0; i < count; ++i)
    layer.tokens.push_back("t" + std::to_string(i + 1));
  for (Matrix& embeddings : layer.embeddings) {
    embeddings.resize(count, embeddings.cols());
    for (Index i = 0; i < embeddings.size(); ++i)
      embeddings.data()[i] = std::sin(static_cast<float>(i));
  }
  layer.attention.mask = MaskKind::Causal;
  return session;
}

}  // namespace

TEST_CASE("flow view: a line for each weight of each head, and one head alone") {
  ViewsBench bench;
  bench.show("flow");
  CHECK(bench.robot().value("flow.lines") == "42 lines, all");
  bench.robot().click("flow.head.h1");
  bench.robot().frames(4);
  CHECK(bench.view().head == Index{1});
  CHECK(bench.robot().value("flow.lines") == "21 lines, all");
  CHECK_FALSE(bench.robot().shows("flow.head.h0"));
  bench.robot().click("flow.head.h1");
  bench.robot().frames(4);
  CHECK(bench.robot().value("flow.lines") == "42 lines, all");
}

TEST_CASE("flow view: pointing at a token isolates its lines, everywhere the token is marked") {
  ViewsBench bench;
  bench.show("flow");
  bench.robot().hover("flow.query.3");
  bench.robot().frames(2);
  CHECK(bench.view().selection.hovered.last == CellAddress{Stage::Queries, 0, 0, 3, 0});
  CHECK(bench.robot().value("flow.lines") == "42 lines, query 3");
  bench.robot().hover("flow.key.1");
  bench.robot().frames(2);
  CHECK(bench.robot().value("flow.lines") == "42 lines, key 1");
  bench.robot().click("flow.key.1");
  bench.robot().move_to({5, 5});
  bench.robot().frames(2);
  CHECK(bench.robot().value("flow.lines") == "42 lines, key 1");  // the key stays chosen
}

TEST_CASE("flow view: a line is a cell to point at and to keep") {
  ViewsBench bench;
  bench.view().head = 1;
  bench.robot().frames(2);
  bench.show("flow");
  const Rect lines = bench.robot().widget("flow.lines").rect;
  const ImVec2 first = {static_cast<float>(lines.x + lines.width / 2),
                        bench.robot().middle_of("flow.query.0").y};
  bench.robot().move_to(first);
  bench.robot().frames(2);
  CHECK(bench.view().selection.hovered.last == CellAddress{Stage::Weights, 0, 1, 0, 0});
  CHECK(bench.robot().value("flow.lines") == "21 lines, line");
  CHECK(bench.robot().value("flow.pointed") == "Your (0) → Your (0): 1.0000  ·  head 1");
  bench.robot().click_at(first);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 0, 0});
  bench.robot().click_at({static_cast<float>(lines.x + lines.width - 3), static_cast<float>(lines.y + 1)});
  CHECK_FALSE(bench.view().selection.cell);
}

TEST_CASE("flow view: of many heads it begins with one and its strongest lines; others are picked") {
  PanelFixture fixture(lesson_session("induction-head"), [state = StagesPanelState()](UiContext& ui) mutable {
    ui.view.focus_view = FocusView::Flow;
    ui.view.selection.hovered.last = ui.view.selection.hovered.now;
    stages_panel(ui, state);
  });
  headlight_test::PanelRobot& robot = fixture.robot();
  robot.frames(6);
  const auto lines = [&] { return std::stoi(robot.value("flow.lines")); };
  const Index tokens = fixture.layer().token_count();
  CHECK(robot.shows("flow.query." + std::to_string(tokens - 1)));
  const int some = lines();
  CHECK(some >= tokens);
  CHECK(some < tokens * (tokens + 1) / 2);
  robot.click("flow.head.h2");
  robot.frames(6);
  CHECK(lines() > some);
  CHECK(robot.shows("flow.head.h1"));
  robot.click("flow.head.h2");
  robot.frames(6);
  CHECK(lines() == some);
  robot.click("flow.head.h0");  // the last head cannot be hidden
  robot.frames(6);
  CHECK(lines() == some);
  const Rect slider = robot.widget("flow.threshold").rect;
  robot.click_at({static_cast<float>(slider.x + 1), static_cast<float>(slider.y + slider.height / 2)});
  robot.frames(4);
  CHECK(robot.value("flow.threshold") == "0.00");
  CHECK(lines() > some);
  fixture.preferences().shares = ShareForm::PerCent;
  robot.frames(2);
  CHECK(robot.value("flow.threshold") == "0 %");
  robot.click_at(
      {static_cast<float>(slider.x + slider.width / 2), static_cast<float>(slider.y + slider.height / 2)});
  robot.frames(4);
  CHECK_THAT(robot.value("flow.caption"), ContainsSubstring("from " + robot.value("flow.threshold") + " on"));
  CHECK_THAT(fixture.view().picture.flow_least,
             WithinAbs(std::stod(robot.value("flow.threshold")) / 100, 0.006));
}

TEST_CASE("flow view: of many tokens those around the selection are in sight, and the wheel shows others") {
  PanelFixture fixture(long_session(300), [state = StagesPanelState()](UiContext& ui) mutable {
    ui.view.focus_view = FocusView::Flow;
    ui.view.selection.hovered.last = ui.view.selection.hovered.now;
    stages_panel(ui, state);
  });
  headlight_test::PanelRobot& robot = fixture.robot();
  robot.frames(6);
  CHECK(robot.value("flow.query.0") == "t1");
  CHECK(robot.value("flow.caption").find("of 300") != std::string::npos);
  fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 200, 100};
  robot.frames(6);
  const auto shown = [&](const std::string& side) {
    std::vector<std::string> labels;
    for (int i = 0; robot.shows("flow." + side + "." + std::to_string(i)); ++i)
      labels.push_back(robot.value("flow." + side + "." + std::to_string(i)));
    return labels;
  };
  const auto holds = [](const std::vector<std::string>& labels, const std::string& label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  CHECK(holds(shown("query"), "t201"));
  CHECK(holds(shown("key"), "t101"));
  const std::string key_before = shown("key").front(), query_before = shown("query").front();
  robot.wheel("flow.key.1", -4);
  robot.frames(6);
  CHECK(shown("key").front() != key_before);
  CHECK(shown("query").front() == query_before);
  robot.wheel("flow.lines", 500);
  robot.frames(6);
  CHECK(shown("key").front() == "t1");
  CHECK(shown("query").front() == "t1");
}

TEST_CASE("heatmap view: the ground of a chosen row's label reaches beyond the label") {
  ViewsBench bench("16-causal-mask");
  bench.show("heatmap");
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 0};
  bench.robot().frames(4);
  const Rect ground = bench.robot().widget("focus.weights.h0.row_band").rect;
  std::size_t labels = 0;
  for (const headlight_test::DrawnText& text : headlight_test::drawn_texts()) {
    if (text.place.x < ground.x || text.place.right() > ground.right() || text.place.y < ground.y ||
        text.place.bottom() > ground.bottom())
      continue;
    CHECK(text.place.x >= ground.x + 3);
    ++labels;
  }
  CHECK(labels == 1);
}

TEST_CASE("vectors view: a point for each token with the engine's numbers") {
  ViewsBench bench;
  bench.show("vectors");
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  CHECK(bench.robot().value("vectors") == "12 points");
  for (Index token = 0; token < 6; ++token) {
    const Matrix& context = evaluator.matrix(Stage::Context, 0, 0);
    CHECK(bench.robot().value("vectors.context." + std::to_string(token)) ==
          number_text(context(token, 0), 4) + ", 0.0000");
    CHECK(bench.robot().shows("vectors.values." + std::to_string(token)));
  }
  CHECK_FALSE(bench.robot().shows("vectors.plane"));  // one dimension
}

TEST_CASE("vectors view: tokens that are equal are told apart by their places") {
  ViewsBench bench("36-a-head-learns-to-look-back");
  bench.show("vectors");
  CHECK(bench.robot().value("vectors.names") == "the (0), cat, saw, the (3), dog, and");
}

TEST_CASE("vectors view: follows the chosen stage, and another choice stands until the stage changes") {
  ViewsBench bench;
  bench.show("vectors");
  CHECK(bench.robot().value("vectors.space") == "values_context");
  bench.robot().click("vectors.space");
  bench.robot().frames(2);
  bench.robot().click("vectors.space.embeddings");
  bench.robot().frames(4);
  CHECK(bench.robot().value("vectors") == "6 points");
  CHECK(bench.robot().value("vectors.embeddings.0") == "0.4300, 0.1500");
  bench.robot().click("vectors.plane");
  bench.robot().frames(2);
  bench.robot().click("vectors.plane.pca");
  bench.robot().frames(4);
  CHECK(bench.robot().value("vectors.embeddings.0") != "0.4300, 0.1500");
  bench.robot().click("stage.keys");
  bench.robot().frames(4);
  CHECK(bench.robot().value("vectors.space") == "queries_keys");
}

TEST_CASE("vectors view: of every kind of scores it shows the queries and keys that are multiplied") {
  ViewsBench bench;
  AttentionSettings capped = bench.fixture.layer().attention;
  capped.softcap = 5;
  bench.fixture.document().run(SetAttention{capped});
  bench.show("vectors");
  for (const Stage stage : {Stage::Scores, Stage::Scaled, Stage::Capped, Stage::Masked}) {
    bench.view().focused_stage = stage;
    bench.robot().frames(4);
    INFO(stage_info(stage).name);
    CHECK(bench.robot().value("vectors.space") == "queries_keys");
  }
}

TEST_CASE("vectors view: with rotary positions the queries and keys that meet are the rotated ones") {
  ViewsBench bench("30-rotary-positions");
  bench.show("vectors");
  bench.robot().click("stage.scores");
  bench.robot().frames(4);
  CHECK(bench.robot().value("vectors.space") == "queries_keys");
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  const Matrix& turned = evaluator.matrix(Stage::RotatedQueries, 0, 0);
  CHECK(bench.robot().value("vectors.rotated_queries.1") ==
        number_text(turned(1, 0), 4) + ", " + number_text(turned(1, 1), 4));
  CHECK(bench.robot().shows("vectors.rotated_keys.5"));
}

TEST_CASE("vectors view: an embedding is dragged over the plane, as one undo step") {
  ViewsBench bench;
  bench.show("vectors");
  bench.robot().click("vectors.space");
  bench.robot().frames(2);
  bench.robot().click("vectors.space.embeddings");
  bench.robot().frames(4);
  const Matrix before = bench.fixture.layer().embeddings[0];
  const Rect at = bench.robot().widget("vectors.embeddings.0").rect;
  bench.robot().drag("vectors.embeddings.0", 40, -30);
  bench.robot().frames(4);
  const Matrix after = bench.fixture.layer().embeddings[0];
  CHECK(after(0, 0) > before(0, 0) + 0.05f);
  CHECK(after(0, 1) > before(0, 1) + 0.05f);
  CHECK(after(0, 2) == before(0, 2));
  CHECK(after.bottomRows(5) == before.bottomRows(5));
  CHECK(bench.robot().value("vectors.embeddings.0") ==
        number_text(after(0, 0), 4) + ", " + number_text(after(0, 1), 4));
  bench.fixture.document().undo();
  CHECK(bench.fixture.layer().embeddings[0] == before);
  bench.robot().frames(4);
  bench.robot().stroke({static_cast<float>(at.x) + 60, static_cast<float>(at.y) + 60},
                       {static_cast<float>(at.x), static_cast<float>(at.y)});
  CHECK(bench.fixture.layer().embeddings[0] == before);  // the stroke did not begin at a point

  bench.robot().click("vectors.plane");
  bench.robot().frames(2);
  bench.robot().click("vectors.plane.pca");
  bench.robot().frames(4);
  bench.robot().drag("vectors.embeddings.0", 20, 20);
  CHECK(bench.fixture.layer().embeddings[0] == before);  // points on principal directions cannot move
}

TEST_CASE("vectors view: pointing at a point marks its token") {
  ViewsBench bench;
  bench.show("vectors");
  bench.robot().hover("vectors.values.2");
  bench.robot().frames(2);
  REQUIRE(bench.view().selection.hovered.last);
  CHECK(bench.view().selection.hovered.last->stage == Stage::Values);
  CHECK(bench.robot().value("inspector.cell").find("values[") == 0);
}

TEST_CASE("output by head: a picture for each head beside the sum, and the parts in the inspector") {
  ViewsBench bench;
  bench.robot().click("stage.output");
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("focus.output.part0"));
  bench.robot().click("focus.by_head");
  bench.robot().frames(4);
  CHECK(bench.robot().shows("focus.output.h0"));
  CHECK(bench.robot().shows("focus.output.part0"));
  bench.robot().hover("focus.output.part1");
  bench.robot().frames(3);
  REQUIRE(bench.view().selection.hovered.last);
  CHECK(bench.view().selection.hovered.last->stage == Stage::Output);
  CHECK(bench.view().selection.hovered.last->head == 0);
  CHECK(bench.robot().value("inspector.cell").find("output[") == 0);
  CHECK(bench.robot().shows("inspector.value"));
}

TEST_CASE("output by head: the derivation adds up") {
  const Layer layer = lesson_session("22-two-heads-with-dropout").layer;
  const CellTrace trace = evaluate(layer).trace({Stage::Output, 0, 0, 2, 1});
  const Derivation derived = derivation(layer, trace, {});
  REQUIRE(derived.steps.size() == 2);
  const DerivationStep& heads = derived.steps[1];
  CHECK(heads.id == "output.heads");
  REQUIRE(heads.terms.size() == 2);
  for (const DerivationTerm& term : heads.terms) {
    const std::size_t head = term.label == "head 0" ? 0 : 1;
    CHECK(term.label == head_name(static_cast<Index>(head), {}));
    CHECK(term.product == trace.head_parts[head]);
  }
  REQUIRE(heads.after.size() == 1);
  CHECK(heads.after[0].number.text == number_text(trace.bias, 4));
  CHECK(heads.value.text == number_text(trace.value, 4));
  Layer one = lesson_session("16-causal-mask").layer;
  const Derivation joined = derivation(one, evaluate(one).trace({Stage::Output, 0, 0, 2, 1}), {});
  REQUIRE(joined.steps.size() == 1);
  CHECK(joined.steps[0].value.source.cell == CellAddress{Stage::Concat, 0, 0, 2, 1});
}
