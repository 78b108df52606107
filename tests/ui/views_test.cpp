// The views of the large picture beside its heatmaps: how they are chosen, and what they show.
#include "app/figure/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/action_table.h"
#include "app/ui/inspector_panel.h"
#include "app/ui/workbench.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

// Inputs, stages and inspector side by side, with the window's keys.
struct Bench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit Bench(const std::string& lesson = "22-two-heads-with-dropout")
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
    ui.view.hovered_next.reset();
    column("inputs", 0, 300, [&] { inputs_panel(ui, state.inputs); });
    column("stages", 300, 660, [&] { stages_panel(ui, state.stages); });
    column("inspector", 960, 320, [&] { inspector_panel(ui); });
    ui.view.hovered = ui.view.hovered_next;
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
  Bench bench;
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
  Bench bench;
  const Evaluator evaluator = evaluate(bench.fixture.model());
  bench.view().selected = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.show("row");
  for (const Stage stage : {Stage::Scores, Stage::Scaled, Stage::Masked, Stage::Weights, Stage::Dropped})
    for (Index key = 0; key < 6; ++key) {
      const std::string name = "row." + std::string(stage_info(stage).name) + "." + std::to_string(key);
      INFO(name);
      const std::string shown = bench.robot().value(name);
      const bool masked = key > 4 && stage != Stage::Scores && stage != Stage::Scaled;
      CHECK((shown == "masked") == masked);
      if (!masked && shown != "dropped")
        CHECK(shown == number_text(evaluator.matrix(stage, 0, 1)(4, key), 4));
    }
}

TEST_CASE("row view: the query is changed by keys, buttons and the list of tokens") {
  Bench bench;
  bench.view().selected = CellAddress{Stage::Weights, 0, 1, 4, 2};
  bench.show("row");
  bench.robot().key(Key::Down);
  CHECK(bench.view().selected == CellAddress{Stage::Weights, 0, 1, 5, 2});
  bench.robot().key(Key::Down);
  CHECK(bench.view().selected == CellAddress{Stage::Weights, 0, 1, 5, 2});
  bench.robot().click("row.previous");
  CHECK(bench.view().selected == CellAddress{Stage::Weights, 0, 1, 4, 2});
  bench.robot().click("row.query");
  bench.robot().frames(2);
  bench.robot().click("row.query.2");
  bench.robot().frames(2);
  CHECK(bench.view().selected == CellAddress{Stage::Weights, 0, 1, 1, 2});
}

TEST_CASE("row view: arrow keys move the caret of a grid, not the query, while the grid has the keyboard") {
  Bench bench;
  bench.view().selected = CellAddress{Stage::Weights, 0, 0, 2, 1};
  bench.show("row");
  bench.robot().click("inputs.embeddings[0,0]");
  bench.robot().key(Key::Down);
  bench.robot().frames(2);
  CHECK(bench.view().selected == CellAddress{Stage::Weights, 0, 0, 2, 1});
}

TEST_CASE("row view: a bar is a cell to point at and to keep") {
  Bench bench;
  bench.view().selected = CellAddress{Stage::Weights, 0, 0, 3, 1};
  bench.show("row");
  bench.robot().hover("row.scaled.2");
  bench.robot().frames(2);
  CHECK(bench.view().hovered == CellAddress{Stage::Scaled, 0, 0, 3, 2});
  bench.robot().click("row.scaled.2");
  bench.robot().frames(3);
  CHECK(bench.view().selected == CellAddress{Stage::Scaled, 0, 0, 3, 2});
  CHECK(bench.robot().value("inspector.cell") == "scaled[with, starts]");
}

TEST_CASE("row view: follows an edit, and a session with fewer tokens") {
  Bench bench;
  bench.view().selected = CellAddress{Stage::Weights, 0, 0, 5, 5};
  bench.show("row");
  const std::string before = bench.robot().value("row.scores.0");
  bench.fixture.document().run(RemoveToken{5});
  bench.robot().frames(6);
  CHECK_FALSE(bench.robot().shows("row.scores.5"));
  CHECK(bench.robot().shows("row.scores.4"));
  CHECK(bench.robot().value("row.scores.0") != before);
}
