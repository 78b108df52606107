// The numbers that panels show belong to the tokens, heads, layers and models that they name. After every
// kind of change they are compared with directly computed numbers. Before the engine's result for another
// model arrives, panels show no number of the previous one.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <imgui_internal.h>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/derivation.h"
#include "app/ui/inspector/highlights.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/widgets/number_cell.h"
#include "engine/attention/evaluator.h"
#include "engine/attention/measured_heads.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::large_session;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

// The whole window without dialogs.
struct WindowBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit WindowBench(Session session)
      : fixture(std::move(session), [this](UiContext& ui) { draw(ui); }, {1600, 1000}) {
    state.memory.hint_seen = true;
    robot().frames(8);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  void run(const Command& command) {
    fixture.document().run(command);
    robot().frames(6);
  }
  std::vector<std::pair<std::string, std::string>> told(const std::string& prefix) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const ProbedWidget& widget : robot().probe().widgets())
      if (widget.name.starts_with(prefix)) found.emplace_back(widget.name, widget.value);
    return found;
  }

 private:
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
  }
};

// Without the lesson, so that heads and tokens count from 0.
Session two_heads() {
  Session session = lesson_session("20-two-heads");
  session.lesson.reset();
  return session;
}

struct AppliedChange {
  const char* name;
  std::function<void(WindowBench&)> make;
};

Session session_of(const Layer& layer) {
  Session session;
  session.title = "another";
  session.layer = layer;
  return session;
}

std::vector<std::string> renamed(const Layer& layer) {
  std::vector<std::string> tokens = layer.tokens;
  for (std::string& token : tokens)
    token += "'";
  return tokens;
}

// Every kind of change of the numbers of a name, or of the names of numbers.
std::vector<AppliedChange> changes() {
  return {{"other weights",
           [](WindowBench& bench) {
             bench.run(DrawWeights{{InitKind::Linear, 789, {kParameters.begin(), kParameters.end()}}});
           }},
          {"a token moves",
           [](WindowBench& bench) {
             bench.run(MoveToken{0, 3});
           }},
          {"a token goes", [](WindowBench& bench) { bench.run(RemoveToken{1}); }},
          {"a token comes",
           [](WindowBench& bench) {
             bench.run(InsertToken{2, "new", true});
           }},
          {"another text",
           [](WindowBench& bench) {
             const Layer& layer = bench.fixture.layer();
             bench.run(ReplaceTokens{renamed(layer), Matrix(0.5f * layer.embeddings[0].colwise().reverse())});
           }},
          {"a number",
           [](WindowBench& bench) {
             bench.run(SetCells{
                 {InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
           }},
          {"undo",
           [](WindowBench& bench) {
             bench.fixture.document().undo();
             bench.robot().frames(6);
           }},
          {"other heads", [](WindowBench& bench) { bench.run(SetNumHeads{1}); }},
          {"heads again", [](WindowBench& bench) { bench.run(SetNumHeads{2}); }},
          {"another session", [](WindowBench& bench) {
             Layer layer = lesson_session("21-two-heads-of-two").layer;
             layer.tokens = renamed(layer);
             bench.fixture.document().replace(session_of(layer), std::nullopt);
             bench.robot().frames(6);
           }}};
}

// Checks that every line of the list is a pair with its weight, or with its weight before and after a change.
void check_worth(WindowBench& bench) {
  const Layer& layer = bench.fixture.layer();
  const Evaluator evaluator = evaluate(layer);
  HeadTiles tiles;
  for (Index head = 0; head < layer.head_count(); ++head)
    tiles.push_back(std::make_shared<const Tile>(evaluator.tile(whole_weights(layer, 0, head))));
  std::vector<std::string> pairs, moved;
  for (const HighlightItem& item : strongest_pairs(layer, 0, tiles, 1000, {}))
    pairs.push_back(whole_label(item) + ": " + item.number);
  for (const auto& [name, value] : bench.told("inspector.worth.")) {
    INFO(name << " " << value);
    if (value.find("bits") != std::string::npos) continue;
    const std::size_t arrow = value.rfind(" → "), colon = value.rfind(": ");
    if (arrow == std::string::npos || arrow < colon) {
      CHECK(std::find(pairs.begin(), pairs.end(), value) != pairs.end());
      continue;
    }
    const std::string label = value.substr(0, colon), now = value.substr(arrow + std::string(" → ").size());
    bool found = false;
    for (Index head = 0; head < layer.head_count(); ++head)
      for (Index row = 0; row < layer.token_count(); ++row)
        for (Index column = 0; column < layer.key_count(); ++column) {
          std::string pair = token_name(layer.tokens, row, {}) + " → " + token_name(layer.tokens, column, {});
          if (layer.head_count() > 1) pair += ", " + head_name(head, {});
          found =
              found || (pair == label &&
                        number_text(tiles[static_cast<std::size_t>(head)]->values(row, column), 2) == now);
        }
    CHECK(found);
  }
}

void check_heads(WindowBench& bench) {
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  for (Index head = 0; head < bench.fixture.layer().head_count(); ++head) {
    const std::string name = "focus.head.h" + std::to_string(head) + ".summary";
    if (!bench.robot().shows(name)) continue;
    const HeadSummary own = evaluator.head({0, head});
    const std::string told = bench.robot().value(name);
    CHECK(std::abs(std::stof(told.substr(told.find("entropy ") + 8)) - own.entropy_bits) < 6e-4f);
  }
}

void check_cell(WindowBench& bench) {
  const auto& cell = bench.view().selection.cell;
  if (!cell || !bench.robot().shows("inspector.value")) return;
  const float own = evaluate(bench.fixture.layer())
                        .matrix(cell->stage, cell->sequence, cell->head)(cell->row, cell->column);
  CHECK(bench.robot().value("inspector.value") == exact_number_text(own));
}

void check_row(WindowBench& bench) {
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  const RowViewState& row = bench.state.stages.row;
  REQUIRE_FALSE(row.rows.empty());
  for (const auto& told : row.rows) {
    const RowSummary own = evaluator.row(told->request);
    CHECK(told->values == own.values);
  }
  CHECK(row.rows[0]->request.row == std::stoi(bench.robot().value("row.query")));
}

void check_flow(WindowBench& bench) {
  const Evaluator evaluator = evaluate(bench.fixture.layer());
  const auto& tiles = bench.state.stages.flow.tiles;
  CHECK(tiles.size() == static_cast<std::size_t>(bench.fixture.layer().head_count()));
  for (const auto& tile : tiles)
    CHECK(tile->values == evaluator.tile(tile->request).values);
}

void check_vectors(WindowBench& bench) {
  const auto& cloud = bench.state.stages.vectors.cloud;
  REQUIRE(cloud);
  const PointCloud own = evaluate(bench.fixture.layer()).points(cloud->request);
  REQUIRE(own.points.size() == cloud->points.size());
  for (std::size_t i = 0; i < own.points.size(); ++i)
    CHECK(own.points[i] == cloud->points[i]);
}

struct View {
  FocusView view;
  bool selects = false;
  void (*check)(WindowBench&);
};
const std::vector<View> kViews = {
    {FocusView::Heatmap, false, check_worth}, {FocusView::Heatmap, false, check_heads},
    {FocusView::Heatmap, true, check_cell},   {FocusView::Row, true, check_row},
    {FocusView::Flow, false, check_flow},     {FocusView::Vectors, false, check_vectors}};

void show(WindowBench& bench, const View& view) {
  bench.view().focus_view = view.view;
  bench.view().selection.cell.reset();
  if (view.selects) bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 2, 1};
  bench.robot().frames(5);
}

// The number of values that panels show beside the pictures.
std::size_t told_numbers(WindowBench& bench) {
  std::size_t count = bench.told("inspector.worth.").size() + bench.told("inspector.value").size() +
                      bench.told("vectors.queries").size() + bench.told("vectors.embeddings").size() +
                      bench.told("compare.change.").size();
  for (const Stage stage : {Stage::Scores, Stage::Weights})
    count += bench.told("row." + std::string(stage_info(stage).name)).size();
  for (const auto& [name, value] : bench.told("focus.head."))
    count += name.ends_with(".summary");
  return count;
}

}  // namespace

TEST_CASE("lesson numbers: whatever changes under a panel, it tells those that are computed now") {
  for (const View& view : kViews) {
    WindowBench bench(two_heads());
    show(bench, view);
    view.check(bench);
    for (const AppliedChange& change : changes()) {
      INFO(change.name);
      change.make(bench);
      if (view.selects && !bench.view().selection.cell) show(bench, view);
      view.check(bench);
    }
  }
}

TEST_CASE("lesson numbers: until the engine has those of another model, none of the one before is told") {
  for (const View& view : kViews)
    for (const AppliedChange& change : changes()) {
      if (std::string(change.name) == "a number" || std::string(change.name) == "undo") continue;
      INFO(change.name);
      WindowBench bench(two_heads());
      if (std::string(change.name) == "heads again") bench.run(SetNumHeads{1});
      show(bench, view);
      if (view.check == check_flow) {
        CHECK_FALSE(bench.state.stages.flow.tiles.empty());
      } else {
        CHECK(told_numbers(bench) > 0);
      }
      bench.fixture.hold_answer(true);
      change.make(bench);
      CHECK(told_numbers(bench) == 0);
      CHECK(bench.state.stages.flow.tiles.empty());
      bench.fixture.hold_answer(false);
      bench.robot().frames(5);
      if (view.selects && !bench.view().selection.cell) show(bench, view);
      view.check(bench);
    }
}

TEST_CASE(
    "lesson numbers: a text that is too long for the lists leaves them empty, and a shorter one fills them "
    "anew") {
  constexpr Index kHeads = 12, kFew = 20,
                  kMany = 110;  // 12 x 110 x 110 weights are too many for the lists
  WindowBench bench(large_session(kFew, kHeads));
  REQUIRE(weights_are_few(bench.fixture.layer()));
  CHECK(bench.told("inspector.worth.").size() > 4);
  check_worth(bench);
  const Layer longer = large_session(kMany, kHeads).layer;
  REQUIRE_FALSE(weights_are_few(longer));
  bench.run(ReplaceLayer{std::make_shared<const Layer>(longer), "Text"});
  for (const auto& [name, value] : bench.told("inspector.worth.")) {
    INFO(value);
    CHECK(value.find("bits") != std::string::npos);  // the entropies of heads have no limit of length
  }
  bench.fixture.document().undo();
  bench.robot().frames(6);
  CHECK(bench.told("inspector.worth.").size() > 4);
  check_worth(bench);
}

TEST_CASE("lesson numbers: what moved most is told of changes, not of another text") {
  WindowBench bench(two_heads());
  const auto moved = [&] {
    std::size_t count = 0;
    for (const auto& [name, value] : bench.told("inspector.worth."))
      count += value.find(" → ") != std::string::npos && value.rfind(" → ") > value.rfind(": ");
    return count;
  };
  bench.view().selection.cell.reset();
  bench.robot().frames(4);
  bench.run(SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  CHECK(moved() > 0);
  bench.run(MoveToken{0, 3});
  CHECK(moved() == 0);
}

TEST_CASE("lesson numbers: of another A nothing is told before it is computed") {
  WindowBench bench(two_heads());
  bench.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "A"};
  bench.view().focus_view = FocusView::Compare;
  bench.robot().frames(6);
  bench.run(DrawWeights{{InitKind::Linear, 789, {kParameters.begin(), kParameters.end()}}});
  REQUIRE(bench.told("compare.change.").size() > 0);
  bench.fixture.hold_answer(true);
  Layer other = bench.fixture.layer();
  draw_weights(other, {InitKind::Linear, 5, {kParameters.begin(), kParameters.end()}});
  bench.view().baseline = {std::make_shared<const Layer>(other), "A"};
  bench.robot().frames(4);
  CHECK(bench.told("compare.change.").empty());
  bench.fixture.hold_answer(false);
  bench.robot().frames(6);
  CHECK(bench.told("compare.change.").size() > 0);
}

TEST_CASE("lesson numbers: measures in the table of heads are of the present text") {
  WindowBench bench(two_heads());
  bench.state.show_head_table = true;
  bench.robot().frames(6);
  const auto check = [&] {
    const Evaluator evaluator = evaluate(bench.fixture.layer());
    for (Index head = 0; head < bench.fixture.layer().head_count(); ++head) {
      const HeadMeasures own = measures_of(evaluator, nullptr, {0, head, {}});
      for (const HeadMeasureInfo& info : head_measure_table()) {
        if (info.measure == HeadMeasure::LikePicture) continue;
        INFO(info.name << " of head " << head);
        CHECK(bench.robot().value("heads.h" + std::to_string(head) + "." + std::string(info.name)) ==
              measure_text(info.measure, own.of(info.measure)));
      }
    }
  };
  check();
  bench.fixture.hold_answer(true);
  bench.run(MoveToken{0, 3});
  CHECK(bench.told("heads.h0.").empty());
  bench.fixture.hold_answer(false);
  bench.robot().frames(6);
  check();
}
