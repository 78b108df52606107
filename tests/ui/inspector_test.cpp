// The inspector: its derivation has the engine's numbers, its lines fit the panel, and its numbers select
// their cells.
#include "app/ui/inspector/inspector_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <imgui_internal.h>

#include "app/shell/model_session.h"
#include "app/ui/inspector/derivation.h"
#include "app/ui/inspector/derivation_plan.h"
#include "app/ui/inspector/highlights.h"
#include "app/ui/main_window/workbench.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

Derivation derive(const Layer& layer, const CellAddress& cell) {
  return derivation(layer, evaluate(layer).trace(cell), {});
}

const DerivationStep& step(const Derivation& derived, Stage stage) {
  for (const DerivationStep& s : derived.steps)
    if (s.stage == stage) return s;
  throw std::runtime_error("no such step");
}

// The plain rectangles of the last frame that are filled with this colour.
std::vector<Rect> filled_rectangles(ImU32 color) {
  std::vector<Rect> found;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImVector<ImDrawVert>& v = data.CmdLists[i]->VtxBuffer;
    for (int k = 0; k + 3 < v.Size; ++k) {
      const ImDrawVert &a = v[k], &b = v[k + 1], &c = v[k + 2], &d = v[k + 3];
      const bool plain = a.uv.x == c.uv.x && a.uv.y == c.uv.y && a.col == color && c.col == color;
      const bool upright =
          a.pos.y == b.pos.y && b.pos.x == c.pos.x && c.pos.y == d.pos.y && d.pos.x == a.pos.x;
      if (!plain || !upright || c.pos.x <= a.pos.x) continue;
      found.push_back({a.pos.x, a.pos.y, c.pos.x - a.pos.x, c.pos.y - a.pos.y});
    }
  }
  return found;
}

// Two steps with so many terms each; after those of the second one, another line.
Derivation made_up(std::size_t terms) {
  DerivationStep sum;
  sum.id = "scores";
  sum.stage = Stage::Scores;
  for (std::size_t i = 0; i < terms; ++i)
    sum.terms.push_back({std::to_string(i), {"1", {}}, {"1", {}}, 1.0f});
  DerivationStep last;
  last.id = "weights";
  last.stage = Stage::Weights;
  last.terms = sum.terms;
  last.after = {{"Σ over the row", {"1", {}}}};
  return {{sum, last}};
}

DerivationSizes sizes(float row = 0) {
  return {20, 10, 4, row, [](const std::string&) { return 30.0f; }, [](const std::string&) { return 15.0f; }};
}

std::size_t count(const DerivationPlan& plan, StepLine::Kind kind) {
  std::size_t found = 0;
  for (const StepLine& line : plan.lines)
    found += line.kind == kind;
  return found;
}

HeadTiles tiles_of(const Layer& layer) {
  const Evaluator evaluator = evaluate(layer);
  HeadTiles tiles;
  for (Index head = 0; head < layer.head_count(); ++head)
    tiles.push_back(std::make_shared<const Tile>(evaluator.tile(whole_weights(layer, 0, head))));
  return tiles;
}

struct InspectorBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit InspectorBench(const std::string& lesson, ImVec2 size = {1280, 800})
      : InspectorBench(lesson_session(lesson), size) {}
  explicit InspectorBench(Session session, ImVec2 size = {1280, 800})
      : fixture(
            std::move(session), [this](UiContext& ui) { draw(ui); }, size) {
    state.memory.hint_seen = true;
    robot().frames(8);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  void select(const CellAddress& cell) {
    view().selection.cell = cell;
    robot().frames(4);
  }
  void open(const std::string& id) {
    robot().click("inspector.step." + id + ".fold");
    robot().frames(2);
  }
};

}  // namespace

TEST_CASE("derivation: a weight from its products to its quotient, in the notebook's digits") {
  const Layer layer = lesson_session("05-all-queries-at-once").layer;
  const Derivation derived = derive(layer, {Stage::Weights, 0, 0, 1, 4});
  CHECK(step(derived, Stage::Scores).terms.size() == 3);
  CHECK(step(derived, Stage::Scores).formula == "q · k");
  CHECK(step(derived, Stage::Scores).value.text == "0.7070");
  CHECK(step(derived, Stage::Weights).value.text == "0.1082");
  CHECK(derived.steps.back().stage == Stage::Weights);  // later stages are no part of it
}

TEST_CASE("derivation: terms stand in the order of the sum, and where there is no room the smaller ones go") {
  const Layer layer = lesson_session("20-two-heads").layer;
  for (const Stage stage : {Stage::Queries, Stage::Scores, Stage::Context, Stage::Output}) {
    INFO(stage_info(stage).name);
    const Evaluator evaluator = evaluate(layer);
    const CellTrace trace = evaluator.trace({stage, 0, 0, 3, 0});
    const DerivationStep first = derivation(layer, trace, {}).steps.front();
    REQUIRE(first.terms.size() > (stage == Stage::Scores ? 0u : 1u));
    if (stage != Stage::Scores) {
      REQUIRE(trace.terms.size() <= first.terms.size());
      for (std::size_t i = 0; i < trace.terms.size(); ++i)
        CHECK(first.terms[i].product == trace.terms[i].product());
    }
    const std::optional<std::size_t> largest = largest_term(first);
    CHECK(largest.has_value() == (first.terms.size() > 1));
    for (std::size_t count = 1; count <= first.terms.size(); ++count) {
      const std::vector<std::size_t> shown = shown_terms(first, count);
      REQUIRE(shown.size() == count);
      CHECK(std::is_sorted(shown.begin(), shown.end()));
      if (largest) CHECK(std::find(shown.begin(), shown.end(), *largest) != shown.end());
      for (std::size_t i = 0; i < first.terms.size(); ++i)
        if (std::find(shown.begin(), shown.end(), i) == shown.end())
          for (const std::size_t one : shown)
            CHECK(std::abs(first.terms[i].product) <= std::abs(first.terms[one].product));
    }
  }
}

TEST_CASE("derivation: a forbidden pair says so and ends in zero") {
  const Layer layer = lesson_session("16-causal-mask").layer;
  const Derivation derived = derive(layer, {Stage::Weights, 0, 0, 1, 4});
  CHECK(step(derived, Stage::Masked).value.text == "−∞");
  CHECK(step(derived, Stage::Masked).formula == "forbidden: the key is later");
  CHECK(step(derived, Stage::Weights).value.text == "0.0000");
  CHECK(step(derive(layer, {Stage::Masked, 0, 0, 4, 1}), Stage::Masked).formula == "allowed");
}

TEST_CASE("derivation: the parts of the row's sum name their keys and exponents") {
  const Layer layer = lesson_session("16-causal-mask").layer;
  const Evaluator evaluator = evaluate(layer);
  const CellTrace trace = evaluator.trace({Stage::Weights, 0, 0, 1, 0});
  const RowSummary logits = evaluator.row({Stage::Masked, 0, 0, 1, 256});
  const Derivation derived = derivation(layer, trace, {}, &logits);
  const std::vector<DerivationTerm>& terms = step(derived, Stage::Weights).terms;
  REQUIRE(terms.size() == 6);
  CHECK(terms[0].product == 1.0f);  // exp(0): the row's maximum
  CHECK(terms[0].left.text.find("−max)") != std::string::npos);
  CHECK(terms[5].left.text == "e^−∞");
  double sum = 0;
  for (const DerivationTerm& term : terms)
    sum += term.product;
  CHECK_THAT(sum, headlight_test::WithinAbs(trace.chain.row_sum, 1e-6));
  CHECK(terms[1].left.source.cell->stage == Stage::Masked);
}

TEST_CASE("derivation: dropout keeps with 1/(1-p) or drops") {
  const Layer layer = lesson_session("18-dropout-after-the-weights").layer;
  const Evaluator evaluator = evaluate(layer);
  int kept = 0, dropped = 0;
  for (Index row = 0; row < 6; ++row)
    for (Index column = 0; column <= row; ++column) {
      const CellAddress cell = {Stage::Dropped, 0, 0, row, column};
      const std::string number =
          step(derivation(layer, evaluator.trace(cell), {}), Stage::Dropped).before.front().number.text;
      CHECK((number == "2.0000" || number == "0.0000"));
      (number == "2.0000" ? kept : dropped) += 1;
    }
  CHECK(kept > 0);
  CHECK(dropped > 0);
}

TEST_CASE("derivation: context is a weighted sum over tokens, output adds its bias") {
  const Layer layer = lesson_session("20-two-heads").layer;
  const DerivationStep context = derive(layer, {Stage::Context, 0, 1, 2, 0}).steps.front();
  REQUIRE(context.terms.size() == 6);
  bool journey = false;
  for (const DerivationTerm& term : context.terms)
    journey = journey || term.label == "journey (1)";
  CHECK(journey);
  CHECK(context.terms[0].right.source.cell->stage == Stage::Values);
  const DerivationStep output = derive(layer, {Stage::Output, 0, 0, 0, 0}).steps.front();
  REQUIRE(output.after.size() == 1);
  CHECK(output.after[0].label == "+ bias");
  CHECK(output.value.text == "0.3190");
  CHECK(output.terms[0].left.source.cell->stage == Stage::Concat);
}

TEST_CASE("derivation: a factor knows its place among the inputs, in either layout of the weights") {
  Layer layer = lesson_session("20-two-heads").layer;
  for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut}) {
    if (layer.weights.layout != layout) {
      for (Matrix& matrix : layer.weights.matrices)
        matrix = matrix.transpose().eval();
      layer.weights.layout = layout;
    }
    const CellTrace trace = evaluate(layer).trace({Stage::Keys, 0, 1, 2, 0});
    const Derivation derived = derivation(layer, trace, {});
    for (const DerivationTerm& term : derived.steps.front().terms) {
      REQUIRE(term.left.source.input);
      REQUIRE(term.right.source.input);
      const InputCell x = *term.left.source.input, w = *term.right.source.input;
      const float left = input_matrix(layer, x.input)(x.row, x.column);
      const float right = input_matrix(layer, w.input)(w.row, w.column);
      CHECK(w.input.parameter == Parameter::Key);
      CHECK(left * right == term.product);
    }
  }
}

TEST_CASE("derivation: what is copied says from where") {
  const Layer layer = lesson_session("20-two-heads").layer;
  const DerivationStep concat = derive(layer, {Stage::Concat, 0, 0, 3, 1}).steps.front();
  CHECK(concat.note.find("head 1") != std::string::npos);
  CHECK(concat.value.source.cell == CellAddress{Stage::Context, 0, 1, 3, 0});
  CHECK(derive(layer, {Stage::Embeddings, 0, 0, 0, 0}).steps.front().note.find("input") != std::string::npos);
}

TEST_CASE("derivation: nothing in front of an overwritten number is told as its way") {
  Layer layer = lesson_session("20-two-heads").layer;
  layer.overwritten = {{Stage::Weights, 0, 1, 2, 0, Matrix::Constant(1, 1, 0.75f)},
                       {Stage::Context, 0, 1, 3, 0, Matrix::Constant(1, 1, -2.0f)}};
  const Evaluator evaluator = evaluate(layer);
  const auto ids = [&](const CellAddress& cell) {
    std::vector<std::string> all;
    for (const DerivationStep& step : derivation(layer, evaluator.trace(cell), {}).steps)
      all.push_back(step.id + " " + step.formula + " " + step.value.text);
    return all;
  };
  const std::vector<std::string> dropped = ids({Stage::Dropped, 0, 1, 2, 0});
  REQUIRE(dropped.size() == 2);
  CHECK(dropped[0] == "weights overwritten 0.7500");
  CHECK(ids({Stage::Context, 0, 1, 3, 0}) == std::vector<std::string>{"context overwritten −2.0000"});
  CHECK(ids({Stage::Weights, 0, 1, 3, 0}).front().starts_with("scores q · k"));
  CHECK(ids({Stage::Masked, 0, 1, 2, 0}).front().starts_with("scores q · k"));
}

TEST_CASE("derivation: a small number is told by its size") {
  CHECK(derivation_number(0.2427f) == "0.2427");
  CHECK(derivation_number(4.1e-6f) == "4.1e-06");
  CHECK(derivation_number(-2.5e-5f) == "−2.5e-05");
  CHECK(derivation_number(0) == "0.0000");
  CHECK(derivation_number(-std::numeric_limits<float>::infinity()) == "−∞");
}

TEST_CASE(
    "derivation plan: every step has its line, the last is folded out, and terms beyond the room are added "
    "up") {
  const Derivation derived = made_up(60);
  const DerivationPlan plan = plan_derivation(derived, {}, sizes(), 150);
  CHECK(count(plan, StepLine::Kind::Step) == 2);
  CHECK(plan.open == std::vector<bool>{false, true});
  CHECK(plan.height <= 150);
  CHECK(plan.height > 140);
  REQUIRE(count(plan, StepLine::Kind::More) == 1);
  std::size_t shown = count(plan, StepLine::Kind::Term);
  for (const StepLine& line : plan.lines)
    if (line.kind == StepLine::Kind::More) {
      CHECK(line.item + shown == 60);
      CHECK(line.sum == static_cast<float>(line.item));
    }
  for (std::size_t i = 1; i < plan.lines.size(); ++i)
    CHECK(plan.lines[i].y >= plan.lines[i - 1].y + plan.lines[i - 1].height);
}

TEST_CASE("derivation plan: nothing is folded out by itself where there is no room, by hand it is") {
  const Derivation derived = made_up(60);
  CHECK(plan_derivation(derived, {}, sizes(), 60).open == std::vector<bool>{false, false});
  const DerivationPlan by_hand = plan_derivation(derived, {{"scores", Fold::Open}}, sizes(), 60);
  CHECK(by_hand.open == std::vector<bool>{true, false});
  CHECK(count(by_hand, StepLine::Kind::Term) == 2);
  CHECK(count(by_hand, StepLine::Kind::More) == 1);
  const DerivationPlan closed = plan_derivation(derived, {{"weights", Fold::Closed}}, sizes(), 400);
  CHECK(closed.open == std::vector<bool>{false, false});
  const DerivationPlan whole = plan_derivation(derived, {{"weights", Fold::Whole}}, sizes(), 60);
  CHECK(count(whole, StepLine::Kind::Term) == 60);
}

TEST_CASE("derivation plan: a last step without anything to fold out leaves it to the one before") {
  Derivation derived = made_up(4);
  DerivationStep dropped;
  dropped.id = "dropped";
  derived.steps.push_back(dropped);
  CHECK(plan_derivation(derived, {}, sizes(), 300).open == std::vector<bool>{false, true, false});
}

TEST_CASE("derivation plan: the row's bars come last and go first") {
  const Derivation derived = made_up(4);
  const DerivationPlan wide = plan_derivation(derived, {}, sizes(50), 200);
  CHECK(wide.row_open);
  CHECK(count(wide, StepLine::Kind::Bars) == 1);
  const DerivationPlan tight = plan_derivation(derived, {}, sizes(50), 130);
  CHECK_FALSE(tight.row_open);
  CHECK(count(tight, StepLine::Kind::Row) == 1);
  CHECK(count(tight, StepLine::Kind::Term) == 4);
  CHECK(plan_derivation(derived, {{kRowId, Fold::Open}}, sizes(50), 130).row_open);
}

TEST_CASE("worth a look: heads by entropy, and no head where there is one or it is off") {
  CHECK(heads_by_entropy({}, {}).empty());
  CHECK(heads_by_entropy({2.0f}, {}).empty());
  const auto items = heads_by_entropy({2.0f, std::nullopt, 0.5f, 1.0f}, {});
  REQUIRE(items.size() == 2);
  CHECK(items[0].head == 2);
  CHECK(items[0].number == "0.50 bits");
  CHECK(items[1].head == 0);
  CHECK(heads_by_entropy({1, 2, 3, 4, 5}, {}).size() == 4);
}

TEST_CASE("worth a look: the strongest pairs leave out the first key and the token itself") {
  const Layer layer = lesson_session("16-causal-mask").layer;
  const HeadTiles tiles = tiles_of(layer);
  const auto items = strongest_pairs(layer, 0, tiles, 4, {});
  REQUIRE(items.size() == 4);
  float last = 2;
  for (const HighlightItem& item : items) {
    REQUIRE(item.cell);
    CHECK(item.cell->column > 0);
    CHECK(item.cell->column < item.cell->row);
    const float weight = tiles[0]->values(item.cell->row, item.cell->column);
    CHECK(weight <= last);
    last = weight;
  }
  float largest = 0;
  for (Index row = 0; row < 6; ++row)
    for (Index column = 1; column < row; ++column)
      largest = std::max(largest, tiles[0]->values(row, column));
  CHECK(tiles[0]->values(items[0].cell->row, items[0].cell->column) == largest);
}

TEST_CASE("worth a look: where queries and keys are of two texts, no key is a query's own token") {
  Layer layer = lesson_session("16-causal-mask").layer;
  layer.key_tokens = layer.tokens;
  layer.key_embeddings = layer.embeddings;
  const bool causal = GENERATE(false, true);
  if (!causal) layer.attention.mask = MaskKind::None;
  CHECK(layer.queries_among_keys() == causal);
  const auto items = strongest_pairs(layer, 0, tiles_of(layer), 100, {});
  REQUIRE_FALSE(items.empty());
  const bool any_own = std::any_of(items.begin(), items.end(), [](const HighlightItem& item) {
    return item.cell->row == item.cell->column;
  });
  CHECK(any_own == !causal);
  CHECK((items.front().section.find("own token") != std::string::npos) == causal);
}

TEST_CASE("worth a look: changes are those since before the last one, a drag being one") {
  Layer layer = lesson_session("16-causal-mask").layer;
  LastChange change;
  const HeadTiles first = tiles_of(layer);
  change.follow(weights_of(layer, 1, 0), 1, first, 0);
  CHECK(change.before().empty());
  for (int i = 1; i <= 3; ++i) {  // in quick succession, as in a drag
    layer.embeddings[0](1, 0) += 0.5f;
    change.follow(weights_of(layer, 1, 0), static_cast<std::uint64_t>(1 + i), tiles_of(layer), 10 + 0.1 * i);
  }
  CHECK(change.before() == first);
  const auto items = largest_changes(layer, 0, change.before(), change.after(), 3, {});
  REQUIRE(items.size() == 3);
  REQUIRE(items[0].cell);
  CHECK(items[0].number.find(" → ") != std::string::npos);
  const HeadTiles middle = change.after();
  layer.embeddings[0](2, 0) += 0.5f;
  change.follow(weights_of(layer, 1, 0), 9, tiles_of(layer), 20);
  CHECK(change.before() == middle);
  change.follow(weights_of(layer, 1, 0), 10, tiles_of(layer), 25);  // the weights stay the same
  CHECK(change.before().empty());
  layer.embeddings[0](2, 0) += 0.5f;
  change.follow(weights_of(layer, 1, 0), 11, tiles_of(layer), 28);
  CHECK_FALSE(change.before().empty());
  const HeadTiles tiles = tiles_of(layer);
  layer.tokens[3] = "another";
  layer.embeddings[0](1, 0) += 0.5f;
  change.follow(weights_of(layer, 1, 0), 12, tiles_of(layer), 30);  // another text of the same length
  CHECK(change.before().empty());
  change.follow(weights_of(layer, 2, 0), 13, tiles, 35);  // another session
  CHECK(change.before().empty());
  CHECK(largest_changes(layer, 0, {}, change.after(), 3, {}).empty());
}

TEST_CASE("inspector: names the cell and shows its value in full") {
  InspectorState state;
  PanelFixture fixture(lesson_session("05-all-queries-at-once"),
                       [&](UiContext& ui) { inspector_panel(ui, state); }, {300, 700});
  fixture.robot().frames(2);
  CHECK_FALSE(fixture.robot().shows("inspector.value"));
  fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 4};
  fixture.robot().frames(4);
  CHECK(fixture.robot().value("inspector.cell") == "weights[journey (1), one (4)]");
  CHECK_THAT(std::stod(fixture.robot().value("inspector.value")), headlight_test::WithinAbs(0.1082, 5e-5));
}

TEST_CASE("inspector: a weight that dropout has taken is told so beside its stage, in the lesson's words") {
  Session session = lesson_session("18-dropout-after-the-weights");
  for (const std::string own : {"", "fallengelassen"}) {
    if (!own.empty()) session.lesson->language.labels["dropped"] = own;
    InspectorState state;
    PanelFixture fixture(session, [&](UiContext& ui) { inspector_panel(ui, state); }, {300, 700});
    fixture.view().selection.cell = CellAddress{Stage::Dropped, 0, 0, 5, 0};
    fixture.robot().frames(4);
    const std::string place = fixture.robot().value("inspector.place");
    CHECK(place.starts_with("dropped  ·  "));
    CHECK(place.ends_with(own.empty() ? "set to zero" : own));
  }
}

TEST_CASE("inspector: the head and, of a batch, the sequence are told; a shared one is a kv head") {
  Layer layer = lesson_session("20-two-heads").layer;
  REQUIRE(layer.sequence_count() == 2);
  const CellAddress weight = {Stage::Weights, 1, 1, 0, 0};
  CHECK(cell_place(layer, weight, {}) == "weights  ·  head 1  ·  sequence 1");
  CHECK(cell_place(lesson_session("05-all-queries-at-once").layer, {Stage::Weights, 0, 0, 0, 0}, {}) ==
        "weights");
  CHECK(cell_place(layer, weight, {}, true) == "head 1  ·  sequence 1");
  layer.attention.num_kv_heads = 1;
  layer.attention.num_heads = 2;
  CHECK(stage_head_name(layer, Stage::Keys, 0, {}) == "kv head 0");
  CHECK(stage_head_name(layer, Stage::Queries, 1, {}) == "head 1");
}

TEST_CASE("inspector: at 1280x800 all steps of a weight are in sight in the card of a lesson") {
  InspectorBench bench("16-causal-mask");
  bench.state.lesson.guide = begin_guide(bench.fixture.document().session());
  bench.robot().frames(8);
  bench.select({Stage::Weights, 0, 0, 2, 1});
  const Rect card = bench.robot().widget("card").rect;
  for (const char* name : {"scores", "scaled", "masked", "weights"}) {
    const Rect rect = bench.robot().widget(std::string("inspector.step.") + name).rect;
    CHECK(rect.y > card.y);
    CHECK(rect.bottom() < card.bottom());
  }
  CHECK(bench.robot().value("inspector.step.weights") ==
        derivation_number(std::stof(bench.robot().value("inspector.value"))));
  CHECK(bench.robot().value("inspector.step.weights.fold") == "open");
  CHECK(bench.robot().shows("inspector.step.weights.term.0"));
}

TEST_CASE("inspector: a row of many keys is drawn as columns, with the cell's own where its key is") {
  for (const Index tokens : {40, 600}) {
    CAPTURE(tokens);
    InspectorBench bench(headlight_test::large_session(tokens, 2), {1280, 1600});
    const auto own_column = [&](Index key) {
      bench.select({Stage::Weights, 0, 0, tokens - 1, key});
      bench.robot().frames(4);
      if (bench.robot().value("inspector.row.fold") != "open") bench.robot().click("inspector.row.fold");
      bench.robot().frames(4);
      const Rect row = bench.robot().widget("inspector.row").rect;
      const double width = row.width / static_cast<double>(std::min<Index>(tokens, 256));
      for (const Rect& bar : filled_rectangles(to_imgui(bench.robot().theme().accent)))
        if (bar.x >= row.x && bar.right() <= row.right() + 1 && bar.y >= row.y && bar.y < row.bottom() + 90 &&
            std::abs(bar.width - width) < width * 0.2)
          return bar;
      throw std::runtime_error("the cell has no column");
    };
    const Rect early = own_column(tokens / 4), late = own_column(3 * tokens / 4);
    const double room = early.width * static_cast<double>(std::min<Index>(tokens, 256));
    CHECK(std::abs(late.x - early.x - room / 2) <= early.width);
  }
}

TEST_CASE("inspector: a step folds out and in") {
  InspectorBench bench("05-all-queries-at-once");
  bench.select({Stage::Weights, 0, 0, 1, 4});
  CHECK_FALSE(bench.robot().shows("inspector.step.scores.term.0"));
  bench.open("scores");
  CHECK(bench.robot().shows("inspector.step.scores.term.0"));
  CHECK(bench.robot().value("inspector.step.scores.fold") == "open");
  bench.open("scores");
  CHECK_FALSE(bench.robot().shows("inspector.step.scores.term.0"));
}

TEST_CASE(
    "inspector: PyTorch stands below each formula while it is asked for, and the program can be copied") {
  InspectorBench bench("16-causal-mask");
  bench.select({Stage::Weights, 0, 0, 2, 1});
  CHECK_FALSE(bench.robot().shows("inspector.step.scores.code"));
  bench.robot().click("inspector.code");
  bench.robot().frames(4);
  CHECK(bench.robot().value("inspector.step.scores.code") == "scores = queries @ keys.transpose(-2, -1)");
  CHECK(bench.robot().value("inspector.step.weights.code") == "weights = torch.softmax(masked, dim=-1)");
  AttentionSettings sums = bench.fixture.layer().attention;
  sums.normalization = Normalization::Sum;
  bench.fixture.document().run(SetAttention{sums, 0});
  bench.robot().frames(4);
  CHECK(bench.robot().value("inspector.step.weights.code").find("softmax") == std::string::npos);
  bench.robot().click("inspector.code");
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("inspector.step.scores.code"));
  CHECK_FALSE(bench.robot().shows("inspector.code.copy"));
}

TEST_CASE("inspector: a factor lights its cell, keeps the inspector where it is, and a click goes there") {
  InspectorBench bench("20-two-heads");
  bench.select({Stage::Scores, 0, 0, 1, 2});
  bench.robot().hover("inspector.step.scores.term.0.right");
  bench.robot().frames(3);
  REQUIRE(bench.view().selection.hovered.last);
  CHECK(bench.view().selection.hovered.last == CellAddress{Stage::Keys, 0, 0, 2, 0});
  CHECK(bench.robot().value("inspector.cell") == "scores[journey (1), starts (2)]");
  bench.robot().click("inspector.step.scores.term.0.right");
  bench.robot().frames(3);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Keys, 0, 0, 2, 0});
  CHECK(bench.view().focused_stage == Stage::Keys);
}

TEST_CASE("inspector: a weight under the pointer brings its tab to the front, a click the grid's cursor") {
  InspectorBench bench("20-two-heads");
  bench.select({Stage::Values, 0, 1, 2, 0});
  CHECK(bench.robot().value("inputs.tab") != "value");
  bench.robot().hover("inspector.step.values.term.1.right");
  bench.robot().frames(3);
  CHECK(bench.robot().value("inputs.tab") == "value");
  const std::string lit = bench.robot().value("inputs.value.lit");
  bench.robot().click("inspector.step.values.term.1.right");
  bench.robot().frames(4);
  REQUIRE(bench.view().selection.input);
  CHECK(bench.view().selection.input->parameter == Parameter::Value);
  const GridSelection& selection = bench.state.inputs.weights.grids[2].selection;
  CHECK(std::to_string(selection.row) + "," + std::to_string(selection.column) == lit);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Values, 0, 1, 2, 0});
  bench.robot().hover("inspector.step.values.term.0.left");
  bench.robot().frames(3);
  CHECK(bench.robot().shows("inputs.embeddings.lit"));
}

TEST_CASE("inspector: with nothing selected it offers what is worth a look") {
  InspectorBench bench("20-two-heads");
  bench.view().selection.cell.reset();
  bench.robot().move_to({2, 2});
  bench.robot().frames(6);
  REQUIRE(bench.robot().shows("inspector.worth.0"));
  CHECK(bench.robot().value("inspector.worth.0").find("head ") == 0);
  bench.robot().click("inspector.worth.0");
  bench.robot().frames(2);
  CHECK(bench.view().head.has_value());
  bench.robot().click("inspector.worth.2");
  bench.robot().frames(4);
  REQUIRE(bench.view().selection.cell);
  CHECK(bench.view().selection.cell->stage == Stage::Weights);
  CHECK(bench.robot().shows("inspector.value"));
}

TEST_CASE("inspector: where a pair and its head do not fit beside each other, the head stands below") {
  Session session = lesson_session("20-two-heads");
  const bool is_long = GENERATE(false, true);
  if (is_long)
    for (std::string& token : session.layer.tokens)
      token = "extraordinarily" + token;
  InspectorBench bench(std::move(session));
  bench.view().selection.cell.reset();
  bench.robot().move_to({2, 2});
  bench.robot().frames(6);
  const Rect head = bench.robot().widget("inspector.worth.0").rect;
  const Rect pair = bench.robot().widget("inspector.worth.2").rect;
  REQUIRE(bench.robot().value("inspector.worth.2").find(", head ") != std::string::npos);
  CHECK((pair.height > head.height + 8) == is_long);
}

TEST_CASE("inspector: an edit is told by what it moved") {
  InspectorBench bench("20-two-heads");
  bench.view().selection.cell.reset();
  bench.robot().move_to({2, 2});
  bench.robot().frames(6);
  bench.fixture.document().run(
      SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  bench.robot().frames(6);
  CHECK(bench.robot().value("inspector.worth.0").find(" → ") != std::string::npos);
  bench.robot().hover("inspector.worth.0");
  bench.robot().frames(3);
  CHECK(bench.view().selection.hovered.last.has_value());
  CHECK(bench.robot().shows("inspector.worth.0"));  // the list stays while the pointer is on it
}

TEST_CASE("inspector: below a short derivation stands what the last change moved") {
  InspectorBench bench("05-all-queries-at-once");
  bench.view().selection.cell = CellAddress{Stage::Embeddings, 0, 0, 1, 0};
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("inspector.worth.0"));  // nothing has changed
  bench.fixture.document().run(
      SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  bench.robot().frames(6);
  CHECK(bench.robot().shows("inspector.value"));
  REQUIRE(bench.robot().shows("inspector.worth.0"));
  CHECK(bench.robot().value("inspector.worth.0").find(" → ") != std::string::npos);
}

TEST_CASE("inspector: Escape leaves no cell selected, but in a number it leaves the number") {
  InspectorBench bench("05-all-queries-at-once");
  bench.robot().click("inputs.embeddings[1,0]");
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 2};
  bench.robot().key(Key::F2);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK(bench.view().selection.cell);
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK_FALSE(bench.view().selection.cell);
}

TEST_CASE("lesson: Back and Next stand at one place in every step") {
  InspectorBench bench("16-causal-mask");
  bench.state.lesson.guide = begin_guide(bench.fixture.document().session());
  bench.robot().frames(8);
  const Rect first = bench.robot().widget("lesson.next").rect;
  bench.robot().click("lesson.next");
  bench.robot().frames(8);
  const Rect back = bench.robot().widget("lesson.back").rect;
  for (int i = 0; i < 2; ++i) {
    bench.robot().click("lesson.next");
    bench.robot().frames(8);
    CHECK(bench.robot().widget("lesson.next").rect.y == first.y);
    CHECK(bench.robot().widget("lesson.next").rect.x == first.x);
    CHECK(bench.robot().widget("lesson.back").rect.y == back.y);
    CHECK(bench.robot().widget("lesson.back").rect.x == back.x);
  }
}

TEST_CASE("inspector: a factor that is out of sight in its grid is scrolled to") {
  InspectorBench bench("20-two-heads");
  Matrix wide = Matrix::Constant(6, 64, 0.25f);
  Session session = bench.fixture.document().session();
  session.lesson.reset();
  session.layer.attention.projection = Projection::None;
  session.layer.attention.num_heads = 1;
  session.layer.attention.output_projection = false;
  session.layer.attention.d_out = 64;
  wide(2, 60) = 3;
  for (Matrix& embeddings : session.layer.embeddings)
    embeddings = wide;
  bench.fixture.document().replace(session, std::nullopt);
  bench.robot().frames(4);
  bench.select({Stage::Queries, 0, 0, 2, 60});
  CHECK_FALSE(bench.robot().shows("inputs.embeddings[2,60]"));
  bench.robot().hover("inspector.step.queries.value");
  bench.robot().frames(4);
  CHECK(bench.robot().shows("inputs.embeddings[2,60]"));
  CHECK(bench.robot().value("inputs.embeddings.lit") == "2,60");
}

TEST_CASE("inspector: a row of weights with NaN in it adds up to NaN") {
  InspectorBench bench("25-why-subtract-the-maximum");
  bench.select({Stage::Weights, 0, 0, 2, 2});
  REQUIRE(bench.robot().value("inspector.value") == "NaN");
  CHECK(bench.robot().value("inspector.row") == "NaN");
  bench.select({Stage::Weights, 0, 0, 0, 1});
  CHECK(bench.robot().value("inspector.row") == "1.0000");
}

TEST_CASE(
    "inspector: the cell's own part of a sum over its row is among its terms, and what does nothing has no "
    "line") {
  InspectorBench bench("05-all-queries-at-once");
  bench.select({Stage::Weights, 0, 0, 0, 5});  // neither the largest nor the smallest of its row
  const CellTrace trace = evaluate(bench.fixture.layer()).trace({Stage::Weights, 0, 0, 0, 5});
  CHECK(bench.robot().value("inspector.step.weights.term.5") == derivation_number(trace.chain.exponential));
  CHECK(bench.robot().shows("inspector.step.weights.largest"));
  CHECK_FALSE(bench.robot().shows("inspector.step.scaled"));
  CHECK_FALSE(bench.robot().shows("inspector.step.masked"));
  bench.select({Stage::Masked, 0, 0, 0, 5});
  CHECK(bench.robot().shows("inspector.step.masked"));
}

TEST_CASE("inspector: the number of a dimension is not cut in a column as narrow as that beside a model") {
  InspectorState state;
  PanelFixture fixture(model_session(headlight_test::source_root() + "/assets/examples/words"),
                       [&](UiContext& ui) { inspector_panel(ui, state); }, {224, 700});
  fixture.view().selection.cell = CellAddress{Stage::Scores, 0, 0, 6, 6};
  fixture.robot().frames(4);
  Index shown = 0;
  for (int i = 10; i < 16; ++i) {
    const std::string term = "inspector.step.scores.term." + std::to_string(i);
    shown += fixture.robot().shows(term);
    CHECK_FALSE(fixture.robot().shows(term + ".name"));  // what tells a cut name
  }
  CHECK(shown > 2);
}

TEST_CASE("inspector: the exponents of a softmax stand beside all of its terms or beside none") {
  for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{1280, 1000}, ImVec2{1920, 1080}}) {
    INFO(size.x << " x " << size.y);
    InspectorBench bench("04-softmax-and-context", size);
    bench.select({Stage::Weights, 0, 0, 1, 0});
    std::size_t terms = 0, exponents = 0;
    for (int key = 0; key < 6; ++key) {
      const std::string term = "inspector.step.weights.term." + std::to_string(key);
      terms += bench.robot().shows(term);
      exponents += bench.robot().shows(term + ".left");
      if (!bench.robot().shows(term) || bench.robot().shows(term + ".left")) continue;
      bench.robot().hover(term + ".name");
      bench.robot().rest(0.7f);
      bench.robot().frames(2);
      CHECK_THAT(bench.robot().value("tooltip"), ContainsSubstring(": e^("));
    }
    CHECK(terms > 2);
    CHECK((exponents == 0 || exponents == terms));
  }
}

TEST_CASE("inspector: the numbers of a sum stand under each other, the largest and the sum too") {
  InspectorState state;
  PanelFixture fixture(lesson_session("04-softmax-and-context"),
                       [&](UiContext& ui) { inspector_panel(ui, state); }, {360, 700});
  fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 0};
  fixture.robot().frames(4);
  std::vector<double> begins;
  for (const std::string line : {"largest", "term.0", "term.2", "term.5", "Σ over the row"}) {
    const headlight::Rect rect = fixture.robot().widget("inspector.step.weights." + line).rect;
    for (const headlight_test::DrawnText& text : headlight_test::drawn_texts())
      if (text.place.right() > rect.right() - 4 && text.place.right() <= rect.right() + 1 &&
          text.place.y >= rect.y - 2 && text.place.bottom() <= rect.bottom() + 2)
        begins.push_back(text.place.x);
  }
  REQUIRE(begins.size() >= 5);
  const auto [least, most] = std::minmax_element(begins.begin(), begins.end());
  CHECK(*most - *least <= 2);
}

TEST_CASE("inspector: the names of a row's tokens are whole beside its bars") {
  InspectorBench bench("16-causal-mask");
  bench.select({Stage::Scaled, 0, 0, 1, 2});
  const headlight::Rect line = bench.robot().widget("inspector.row").rect;
  std::size_t below = 0;
  for (const headlight_test::DrawnText& text : headlight_test::drawn_texts()) {
    if (text.place.y < line.y || text.place.x < line.x || text.place.right() > line.right()) continue;
    CHECK_FALSE(text.shortened);
    ++below;
  }
  CHECK(below > 10);
}
