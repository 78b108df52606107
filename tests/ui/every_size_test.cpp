// The window in every size, down to sizes too small for any content, with a selected cell and a list of
// changes. These tests only require that each frame completes without a failed assertion of Dear ImGui or of
// the standard library; window_walk_test.cpp checks the layout.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>

#include <imgui_internal.h>

#include "app/shell/model_controller.h"
#include "app/shell/model_session.h"
#include "app/ui/inputs/grid_layout.h"
#include "app/ui/inspector/highlights.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/area.h"
#include "engine/core/file.h"
#include "engine/layer/stage.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/thinned.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct DraggedWindow {
  WorkbenchState state;
  std::optional<ModelController> room;
  PanelFixture fixture;

  explicit DraggedWindow(Session session) : fixture(std::move(session), [this](UiContext& ui) { draw(ui); }) {
    state.lesson.guide = begin_guide(fixture.document().session());
    edit_and_select();
  }
  void draw(UiContext& ui) {
    if (!room) room.emplace([] {});
    room->follow(fixture.document(), ui.view);
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
  PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  void frame_of(ImVec2 size) {
    robot().resize(size);
    robot().frames(1);
  }

 private:
  // Edits a number and selects a weight, so that the inspector lists the changes below the derivation.
  void edit_and_select() {
    const Layer& model = fixture.layer();
    robot().frames(3);
    if (!model.embeddings.empty())
      fixture.document().run(SetCells{{InputKind::Embeddings, 0, Parameter::Query},
                                      0,
                                      0,
                                      Matrix::Constant(1, 1, model.embeddings[0](0, 0) + 1)});
    robot().frames(4);
    view().selection.cell = CellAddress{Stage::Weights, 0, 0, model.token_count() - 1, 0};
    robot().frames(2);
  }
};

std::vector<std::string> all_sessions() {
  std::vector<std::string> stems;
  for (const char* folder : {"lessons", "examples"})
    for (const auto& entry :
         std::filesystem::directory_iterator(source_root() + "/assets/" + std::string(folder)))
      if (entry.path().extension() == ".headlight") stems.push_back(entry.path().stem().string());
  std::sort(stems.begin(), stems.end());
  return stems;
}

// Random states of everything that takes space in the window, and random sizes.
class Shaking {
 public:
  Shaking(DraggedWindow& window, unsigned seed) : window_(window), random_(seed) {}

  void shake() {
    const Layer& model = window_.fixture.layer();
    const std::vector<Stage> stages = stages_in_use(model);
    ViewState& view = window_.view();
    view.focused_stage = stages[below(stages.size())];
    view.opened_stage = one_in(4) ? std::optional(view.focused_stage) : std::nullopt;
    view.focus_view = static_cast<FocusView>(below(view.model.work ? 6 : 5));
    view.head.reset();
    if (one_in(3)) view.head = static_cast<Index>(below(static_cast<std::size_t>(model.head_count())));
    view.model.page = static_cast<ModelPage>(below(4));
    select(stages[below(stages.size())]);
    if (one_in(4))
      view.baseline = {std::make_shared<const Layer>(model), "kept",
                       window_.fixture.document().session().work};
    shake_panels(window_.state);
  }

  ImVec2 size() {
    const auto side = [this] { return 1 + static_cast<float>(below(one_in(4) ? 60 : 1400)); };
    return {side(), side()};
  }
  ImVec2 inside(ImVec2 size) {
    const auto share = [this] { return static_cast<float>(below(100)) / 100; };
    return {size.x * share(), size.y * share()};
  }

 private:
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }

  void select(Stage stage) {
    const Layer& model = window_.fixture.layer();
    const auto any = [&](Index count) { return static_cast<Index>(below(static_cast<std::size_t>(count))); };
    window_.view().selection.cell =
        CellAddress{stage, 0, any(stage_heads(model, stage)), any(stage_rows(model, stage)),
                    any(stage_columns(model, stage))};
  }
  void shake_panels(WorkbenchState& state) {
    state.presenting = one_in(12);
    state.show_start = one_in(16);
    state.show_keys = one_in(12);
    state.show_manual = one_in(12);
    state.manual.wanted = one_in(2) ? "index" : "command-line";
    state.show_head_table = one_in(12);
    state.palette.open = one_in(12);
    state.inspector.code.shown = one_in(3);
    for (const char* id : {"weights", "scaled", "scores", "queries", kRowId})
      state.inspector.folds[id] = static_cast<Fold>(below(4));
    state.side_tab = static_cast<int>(below(3));
    const auto dragged = [this] { return one_in(2) ? 0 : 40.0 * static_cast<double>(below(30)); };
    state.memory.inputs_width = dragged();
    state.memory.inspector_width = dragged();
    state.strip.height = dragged();
    state.message = {one_in(4) ? std::string(below(400), 'w') : "", true, 0};
    if (state.lesson.guide.opened)
      state.lesson.guide.wanted = below(window_.fixture.document().session().lesson->steps.size());
  }

  DraggedWindow& window_;
  std::mt19937 random_;
};

void shake_window(Session session, unsigned seed, int rounds) {
  DraggedWindow window(std::move(session));
  Shaking shaking(window, seed);
  for (int round = 0; round < rounds; ++round) {
    shaking.shake();
    for (int i = 0; i < 5; ++i) {
      const ImVec2 size = shaking.size();
      INFO("round " << round << ", " << size.x << " x " << size.y);
      window.frame_of(size);
      window.robot().move_to(shaking.inside(size));
      CHECK(window.robot().size().x == size.x);
    }
  }
}

Tile moved(float by) {
  Tile tile;
  tile.request.stage = Stage::Weights;
  tile.request.row_end = tile.total_rows = tile.request.column_end = tile.total_columns = 2;
  tile.values = Matrix::Constant(2, 2, 0.5f + by);
  return tile;
}

}  // namespace

TEST_CASE("sizes: as many lines as a room has place for, and none in no room") {
  CHECK(fitting_lines(20, 20, 4) == 1);
  CHECK(fitting_lines(43, 20, 4) == 1);
  CHECK(fitting_lines(44, 20, 4) == 2);
  CHECK(fitting_lines(19.9f, 20, 4) == 0);
  CHECK(fitting_lines(-1e9f, 20, 4) == 0);
  CHECK(fitting_lines(0, 0, 0) == 0);
  CHECK(fitting_lines(std::numeric_limits<float>::quiet_NaN(), 20, 4) == 0);
}

TEST_CASE("sizes: of what moved most none is told where there is room for none") {
  const Session session = lesson_session("05-all-queries-at-once");
  const HeadTiles before = {std::make_shared<const Tile>(moved(0))},
                  after = {std::make_shared<const Tile>(moved(0.25f))};
  for (const std::size_t most : {0, 1, 3}) {
    CHECK(largest_changes(session.layer, 0, before, after, most, {}).size() == most);
    CHECK(strongest_pairs(session.layer, 0, after, most, {}).size() <= most);
  }
}

TEST_CASE("sizes: every session is dragged through every height, and through widths") {
  const std::vector<std::string> sessions = all_sessions();
  const int steps = size_steps();
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    INFO(sessions[i]);
    DraggedWindow window(lesson_session(sessions[i]));
    const auto begin = static_cast<float>(i % (4 * steps));  // other sizes in each session
    for (float height = 1100 - static_cast<float>(i % steps); height >= 300; height -= steps) {
      INFO(height << " high");
      window.frame_of({1280, height});
    }
    window.frame_of({1280, 800});
    // A question that waits has the room of the derivation.
    CHECK((window.robot().shows("inspector.cell") || window.robot().shows("lesson.question")));
    window.state.side_tab = 1;  // the inspector's tab, used where one side holds all panels
    for (float width = 1100 - begin; width >= 300; width -= 4 * steps) {
      INFO(width << " wide");
      window.frame_of({width, 700});
    }
    window.state.lesson.show_notes = false;  // the lesson is folded away
    window.frame_of({900, 700});
    CHECK((window.robot().shows("inspector.cell") || window.robot().shows("model.page.cell")));
  }
}

TEST_CASE("sizes: every session in any size, whatever takes the room") {
  unsigned seed = 0;
  for (const std::string& stem : all_sessions()) {
    INFO(stem);
    shake_window(lesson_session(stem), ++seed, 8);
  }
}

TEST_CASE("sizes: a whole model in any size, on each of its pages") {
  for (const char* family : {"gpt2", "llama3", "bert"}) {
    INFO(family);
    shake_window(model_session(source_root() + "/tests/golden/models/" + std::string(family)), 7, 30);
  }
}

TEST_CASE("sizes: a grid that has no room for a cell has a nearest one all the same") {
  GridSizes sizes;
  sizes.bars_width = 48;
  for (float side = -20; side < 400; ++side) {
    INFO(side);
    const GridLayout layout = grid_layout(6, 3, sizes, {0, 0}, {side, side}, {0, 0});
    const GridLayout::Cell cell = layout.nearest_cell({side / 2, side / 2});
    CHECK((cell.row >= 0 && cell.row < 6));
    CHECK((cell.column >= 0 && cell.column < 3));
    CHECK(layout.page_rows() >= 1);
  }
}

TEST_CASE("sizes: no panel makes a button that ImGui would end the program over") {
  std::size_t sources = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_root() + "/app/ui")) {
    if (entry.path().extension() != ".cpp") continue;
    ++sources;
    INFO(entry.path().string() << " has click_area for it");
    CHECK(read_file(entry.path()).find("ImGui::InvisibleButton(") == std::string::npos);
  }
  CHECK(sources > 100);
}
