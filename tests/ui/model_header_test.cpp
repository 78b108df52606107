// The header of a whole model's pages in the window, at every size of text: its controls wrap or become
// lists.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <imgui_internal.h>

#include "app/shell/model_controller.h"
#include "app/shell/model_session.h"
#include "app/ui/main_window/workbench.h"
#include "engine/questions/words.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ModelWindow {
  WorkbenchState state;
  std::optional<ModelController> room;
  PanelFixture fixture;

  explicit ModelWindow(float scale,
                       Session session = model_session(source_root() + "/tests/golden/models/gpt2"))
      : fixture(
            std::move(session), [this](UiContext& ui) { draw(ui); }, {1280, 800}, ThemeKind::Dark, scale) {
    fixture.view().focus_view = FocusView::Model;
    fixture.view().model.map_colors = MapColors::Part;  // the header of heads then names the token as well
    settle();
    fixture.view().baseline = {std::make_shared<const Model>(fixture.model()), "kept",
                               fixture.document().session().work};
  }
  void draw(UiContext& ui) {
    if (!room) room.emplace([] {});
    room->follow(fixture.document(), ui.view);
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
  void settle() {
    constexpr int kFrames = 4;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int quiet = 0; quiet < kFrames && std::chrono::steady_clock::now() < until;) {
      fixture.robot().frames(1);
      quiet = room && room->idle() ? quiet + 1 : 0;
      if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

bool in_header(const std::string& name) {
  for (const char* control :
       {"model.page", "model.measure", "model.sorted", "model.target", "model.against", "model.lens.copy",
        "model.lens.save", "model.parts.copy", "model.parts.save", "model.patches.compute",
        "model.patches.stage", "model.patches.copy", "model.patches.save", "view"})
    if (name == control || name.starts_with(std::string(control) + ".")) return true;
  return false;
}

// The controls are inside the panel's padding, apart from each other.
void check_header(PanelRobot& robot, float scale) {
  constexpr double kPad = 12, kRounding = 1;
  const Rect panel = robot.widget("focus.area").rect;
  std::vector<ProbedWidget> controls;
  for (const ProbedWidget& widget : robot.probe().widgets())
    if (in_header(widget.name)) controls.push_back(widget);
  CHECK(controls.size() >= 2);
  for (const ProbedWidget& control : controls) {
    INFO(control.name << " at " << control.rect.x << ", " << control.rect.y << ", " << control.rect.width
                      << " x " << control.rect.height);
    CHECK(control.rect.x >= panel.x + kPad * scale - kRounding);
    CHECK(control.rect.right() <= panel.right() - kPad * scale + kRounding);
    CHECK(control.rect.bottom() <= panel.bottom() - kRounding);
    for (const ProbedWidget& other : controls)
      if (&other != &control) {
        INFO(other.name);
        CHECK_FALSE(overlap(outset(control.rect, -kRounding), outset(other.rect, -kRounding)));
      }
  }
}

}  // namespace

TEST_CASE("model header: no control is cut or lies on another one, at any width and size of text") {
  for (const float scale : {0.8f, 1.0f, 1.5f, 2.0f, 3.0f}) {
    ModelWindow window(scale);
    // In a narrower window a single button is wider than the panel.
    for (float width = std::max(512.0f, 256 * scale); width <= 1920; width += 88)
      for (const ModelPage page :
           {ModelPage::Heads, ModelPage::Layers, ModelPage::Parts, ModelPage::Patches}) {
        INFO(width << " wide at " << scale << ", page " << static_cast<int>(page));
        window.fixture.view().model.page = page;
        window.fixture.robot().resize({width, std::max(800.0f, 400 * scale)});
        window.fixture.robot().frames(3);
        check_header(window.fixture.robot(), scale);
      }
  }
}

TEST_CASE("model header: a list of the pages opens each of them") {
  ModelWindow window(3);
  window.fixture.robot().resize({700, 800});
  window.fixture.robot().frames(3);
  REQUIRE(window.fixture.robot().shows("model.page"));
  window.fixture.robot().click("model.page");
  window.fixture.robot().frames(2);
  window.fixture.robot().click("model.page.layers");
  window.fixture.robot().frames(2);
  CHECK(window.fixture.view().model.page == ModelPage::Layers);
}

TEST_CASE("header: the strip of a model's pages is a line of words, and each leads to its stage") {
  ModelWindow window(1);
  PanelRobot& robot = window.fixture.robot();
  const Rect first = robot.widget("stage.embeddings").rect, last = robot.widget("stage.output").rect;
  CHECK(first.y == last.y);
  CHECK(first.height == last.height);
  CHECK(robot.shows("strip.settings"));
  robot.click("stage.scores");
  window.settle();
  CHECK(window.fixture.view().focus_view == FocusView::Heatmap);
  CHECK(window.fixture.view().focused_stage == Stage::Scores);
  CHECK(robot.widget("stage.weights").rect.y > first.y);  // the drawing again
}

TEST_CASE("header: the pieces of a word touch in the line of words") {
  ModelWindow window(1, model_session(source_root() + "/assets/examples/words", "Ann met the mat"));
  const Network& network = *window.fixture.document().session().work->network;
  const std::vector<bool> pieces = continued_pieces(network, window.fixture.document().session().work->ids);
  REQUIRE(std::count(pieces.begin(), pieces.end(), true) > 0);
  const auto word = [&](std::size_t i) {
    return window.fixture.robot().widget("line.word." + std::to_string(i)).rect;
  };
  double widest_piece = 0, narrowest_word = 1e9;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const double gap = word(i).x - word(i - 1).right();
    if (pieces[i])
      widest_piece = std::max(widest_piece, gap);
    else
      narrowest_word = std::min(narrowest_word, gap);
  }
  CHECK(widest_piece < 0.5 * narrowest_word);
}
