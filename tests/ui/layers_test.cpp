// Layers of real models in the window: every view of every golden layer, their settings, and the derivations
// of their numbers.
#include <filesystem>
#include <limits>

#include "app/ui/inspector/derivation.h"
#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/main_window/workbench.h"
#include "engine/attention/evaluator.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

Session layer(const std::string& stem) {
  return load_session(std::filesystem::path(headlight_test::source_root()) / "tests/golden/layers" /
                      (stem + ".headlight"));
}

// Given attention weights of two heads, with or without values; no earlier stage.
Session saved_weights(bool values) {
  Session session;
  Layer& model = session.layer;
  model.tokens = {"a", "b", "c"};
  model.attention.projection = Projection::Weights;
  model.attention.num_heads = 2;
  model.attention.d_out = 4;
  model.given_weights = {1, 2, {Matrix::Constant(3, 3, 1.0f / 3), Matrix::Identity(3, 3)}};
  if (values) model.given[2] = {Matrix::Random(3, 4)};
  return session;
}

// The whole window, or one panel alone, so that the robot can click in it.
struct LayersBench {
  enum class Part { Window, Settings, Inputs };
  Part part;
  WorkbenchState state;
  PanelFixture fixture;

  explicit LayersBench(Session session, Part shown = Part::Window)
      : part(shown), fixture(std::move(session), [this](UiContext& ui) { draw(ui); }) {
    robot().frames(4);
  }
  void draw(UiContext& ui) {
    if (part == Part::Window) workbench(ui, state);
    if (part == Part::Settings) settings_bar(ui, state.strip.settings);
    if (part == Part::Inputs) inputs_panel(ui, state.inputs);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() const { return fixture.layer(); }
  const AttentionSettings& settings() const { return layer().attention; }
  void choose(const std::string& name, const std::string& choice) {
    robot().click(name);
    robot().click(name + "." + choice);
    robot().frames(3);
  }
  void enter(const std::string& name, const std::string& text) {
    robot().click(name);
    robot().frames(1);
    robot().key(Key::A, {true, false});
    if (text.empty())
      robot().key(Key::Delete);
    else
      robot().type(text);
    robot().key(Key::Enter);
    robot().frames(3);
  }
};

void look_at_everything(LayersBench& bench) {
  for (const Stage stage : stages_in_use(bench.layer())) {
    INFO(stage_info(stage).name);
    bench.fixture.view().focused_stage = stage;
    const Index row = stage_rows(bench.layer(), stage) - 1, column = stage_columns(bench.layer(), stage) - 1;
    const Index head = stage_heads(bench.layer(), stage) - 1;
    bench.fixture.view().selection.cell = CellAddress{stage, 0, head, row, column};
    for (const FocusView view :
         {FocusView::Heatmap, FocusView::Flow, FocusView::Row, FocusView::Vectors, FocusView::Compare}) {
      bench.fixture.view().focus_view = view;
      bench.robot().frames(3);
    }
    bench.fixture.view().focus_view = FocusView::Heatmap;
    bench.robot().frames(2);
    CHECK(bench.robot().shows("inspector.value"));
    CHECK(bench.robot().shows("stage." + std::string(stage_info(stage).name)));
  }
  CHECK(bench.fixture.errors().empty());
}

}  // namespace

TEST_CASE("layers: keys in a stage without cells select nothing") {
  LayersBench bench(layer("grouped-queries"));
  bench.fixture.view().focused_stage = Stage::Embeddings;
  bench.robot().frames(2);
  REQUIRE(stage_columns(bench.fixture.layer(), Stage::Embeddings) == 0);
  for (const Key key :
       {Key::Right, Key::Left, Key::Down, Key::Up, Key::Home, Key::End, Key::F6, Key::F6, Key::F6}) {
    bench.robot().key(key);
    bench.robot().frames(1);
  }
  CHECK_FALSE(bench.fixture.view().selection.cell.has_value());
}

TEST_CASE("layers: every golden layer is drawn in every view, and every stage taken apart") {
  for (const auto& entry :
       std::filesystem::directory_iterator(headlight_test::source_root() + "/tests/golden/layers")) {
    if (entry.path().extension() != ".headlight") continue;
    INFO(entry.path().stem().string());
    LayersBench bench(load_session(entry.path()));
    look_at_everything(bench);
  }
}

TEST_CASE("layers: weights that were saved are drawn, with values and without") {
  for (const bool values : {false, true}) {
    LayersBench bench(saved_weights(values));
    look_at_everything(bench);
    CHECK_FALSE(bench.robot().shows("stage.scores"));
    CHECK(bench.robot().shows("stage.context") == values);
    CHECK_FALSE(bench.robot().shows("settings.mask"));
    CHECK(bench.robot().shows("inputs.given_weights[0,0]"));
  }
}

TEST_CASE("layers: groups, positions, a softcap and rules are set in the bar, and undone") {
  LayersBench bench(lesson_session("21-two-heads-of-two"), LayersBench::Part::Settings);
  bench.choose("settings.kv_heads", "1");
  CHECK(bench.layer().kv_head_count() == 1);
  bench.choose("settings.position", "rope");
  CHECK(bench.settings().position.kind == PositionKind::Rotary);
  CHECK(stage_exists(bench.layer(), Stage::RotatedQueries));
  bench.choose("settings.rope_pairs", "neighbours");
  bench.enter("settings.rope_theta", "500");
  bench.enter("settings.rope_start", "3");
  CHECK(bench.settings().position.pairs == RotaryPairs::Neighbours);
  CHECK(bench.settings().position.theta == 500);
  CHECK(bench.settings().position.start == 3);
  bench.enter("settings.softcap", "1.5");
  CHECK(bench.settings().softcap == 1.5);
  bench.choose("settings.mask", "rules");
  bench.enter("settings.rules_left", "2");
  bench.enter("settings.rules_offset", "1");
  CHECK(bench.settings().mask == MaskKind::Rules);
  CHECK(bench.settings().rules.left == Index{2});
  CHECK(bench.settings().rules.offsets == std::vector<Index>{1});
  bench.enter("settings.rules_left", "-1");
  CHECK(bench.settings().rules.left == Index{2});  // refused
  CHECK(bench.fixture.errors().empty());
  while (bench.fixture.document().can_undo())
    bench.fixture.document().undo();
  bench.robot().frames(3);
  CHECK(bench.settings() == lesson_session("21-two-heads-of-two").layer.attention);
}

TEST_CASE("layers: heads of keys and values are called so, and are not switched off alone") {
  LayersBench bench(layer("cross-linear-grouped"));
  const Index shared = bench.layer().kv_head_count();
  REQUIRE(shared > 1);
  REQUIRE(shared < bench.layer().head_count());
  bench.fixture.document().run([&] {
    AttentionSettings settings = bench.settings();
    settings.disabled_heads = {1};
    return SetAttention{settings};
  }());
  bench.fixture.view().focused_stage = Stage::Keys;
  bench.robot().frames(3);
  CHECK(bench.robot().value("focus.kv_head.h1") == "kv head 1");
  CHECK_FALSE(bench.robot().shows("focus.head.h1.on"));
  CHECK_FALSE(bench.robot().shows("focus.kv_head.h" + std::to_string(shared)));
  bench.fixture.view().focused_stage = Stage::Queries;
  bench.robot().frames(3);
  CHECK_FALSE(bench.robot().shows("focus.kv_head.h1"));
  CHECK(bench.robot().value("focus.head.h1.on") == "off");
}

TEST_CASE("layers: weights that do not sum to 1 are told above their picture until they do") {
  Session session = saved_weights(true);
  session.layer.given_weights.matrices[1](2, 2) = 0.874f;
  LayersBench bench(std::move(session));
  CHECK(bench.robot().value("focus.notice") ==
        "1 of 6 rows of the attention weights does not sum to 1: head 1, query 2 sums to 0.874");
  bench.fixture.preferences().count_from = 1;
  bench.robot().frames(2);
  CHECK_THAT(bench.robot().value("focus.notice"), headlight_test::ContainsSubstring("head 2, query 3"));
  bench.fixture.view().focused_stage = Stage::Context;
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("focus.notice"));
  bench.fixture.view().focused_stage = Stage::Weights;
  bench.fixture.document().run(
      SetCells{{InputKind::GivenWeights, 0, Parameter::Query, 1}, 2, 2, Matrix::Constant(1, 1, 1.0f)});
  bench.robot().frames(3);
  CHECK_FALSE(bench.robot().shows("focus.notice"));
  bench.fixture.document().undo();
  bench.robot().frames(3);
  CHECK(bench.robot().shows("focus.notice"));
}

TEST_CASE("layers: tokens without embeddings are renamed in a list of names") {
  LayersBench bench(saved_weights(true), LayersBench::Part::Inputs);
  CHECK(bench.robot().value("inputs.token[2]") == "c");
  bench.enter("inputs.token[1]", "bee");
  CHECK(bench.layer().tokens == std::vector<std::string>{"a", "bee", "c"});
  CHECK(bench.robot().value("inputs.token[1]") == "bee");
  bench.robot().click("inputs.token[0]");
  bench.robot().type("x");
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK(bench.layer().tokens[0] == "a");
  CHECK(bench.fixture.document().undo_name() == "Rename token");
  // A click on another token also confirms the name.
  bench.robot().click("inputs.token[0]");
  bench.robot().type("x");
  bench.robot().click("inputs.token[2]");
  bench.robot().frames(3);
  CHECK_THAT(bench.layer().tokens[0], headlight_test::ContainsSubstring("x"));
}

TEST_CASE("layers: keys without embeddings have names of their own") {
  Session others = saved_weights(false);
  others.layer.key_tokens = {"k", "l", "m"};
  LayersBench apart(std::move(others), LayersBench::Part::Inputs);
  CHECK(apart.robot().value("inputs.token[0]") == "a");
  apart.robot().click("inputs.side.keys");
  apart.robot().frames(2);
  apart.enter("inputs.token[0]", "key");
  CHECK(apart.layer().key_tokens == std::vector<std::string>{"key", "l", "m"});
  CHECK(apart.layer().tokens[0] == "a");
}

TEST_CASE("layers: tokens of the keys have a list of their own") {
  LayersBench bench(layer("cross-linear-grouped"), LayersBench::Part::Inputs);
  CHECK(bench.robot().value("inputs.token[0]") == "a");
  bench.robot().click("inputs.side.keys");
  bench.robot().frames(3);
  CHECK(bench.robot().value("inputs.token[0]") == "s");
  bench.fixture.document().run(ChangeLines{{LineKind::Key, LineChange::Remove, 0, 2, 0}});
  bench.robot().frames(3);
  CHECK(bench.layer().key_count() == 5);
  CHECK(bench.layer().token_count() == 4);
  CHECK(bench.robot().value("inputs.token[0]") == "u");
}

TEST_CASE("derivation: a turned number names its pair and its angle, a bias and a cap their step") {
  const Layer model = layer("everything").layer;
  const Evaluator evaluator = evaluate(model);
  const Derivation turned = derivation(model, evaluator.trace({Stage::RotatedKeys, 0, 1, 2, 0}), {});
  REQUIRE(turned.steps.size() == 1);
  CHECK_THAT(turned.steps[0].formula, headlight_test::ContainsSubstring("rad"));
  CHECK(turned.steps[0].before[0].number.text == "2");  // the position
  REQUIRE(turned.steps[0].terms.size() == 2);
  for (const DerivationTerm& term : turned.steps[0].terms) {
    REQUIRE(term.left.source.cell);
    CHECK(term.left.source.cell->stage == Stage::Keys);
    CHECK(term.label == std::to_string(term.left.source.cell->column));
  }
  const auto stages = [&](Stage stage) {
    std::vector<Stage> steps;
    for (const DerivationStep& step : derivation(model, evaluator.trace({stage, 0, 3, 1, 1}), {}).steps)
      steps.push_back(step.stage);
    return steps;
  };
  CHECK(stages(Stage::Dropped) == std::vector<Stage>{Stage::Scores, Stage::Scaled, Stage::Capped,
                                                     Stage::Biased, Stage::Masked, Stage::Weights,
                                                     Stage::Dropped});
  CHECK(stages(Stage::Capped) == std::vector<Stage>{Stage::Scores, Stage::Scaled, Stage::Capped});
}
