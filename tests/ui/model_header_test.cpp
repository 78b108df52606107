// The header of a whole model's pages in the window, at every size of text: its controls wrap or become
// lists.
#include <algorithm>

#include "engine/analysis/words.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/ui/support/model_window.h"

using namespace headlight;
using namespace headlight_test;

namespace {

bool in_header(const std::string& name) {
  for (const char* control :
       {"model.page", "model.measure", "model.heads.more", "model.target", "model.against", "model.lens.more",
        "model.parts.more", "model.patches.compute", "model.patches.stage", "model.patches.more", "view"})
    if (name == control || name.starts_with(std::string(control) + ".")) return true;
  return false;
}

// The controls are inside their panel, with its padding, and apart from each other.
void check_header(PanelRobot& robot, float scale) {
  constexpr double kRounding = 1;
  const bool beside = robot.shows("model.area");
  const Rect panel = robot.widget(beside ? "model.area" : "focus.area").rect;
  const double pad = beside ? 0 : 12 * double{scale};
  std::vector<ProbedWidget> controls;
  for (const ProbedWidget& widget : robot.probe().widgets())
    if (in_header(widget.name) && !(beside && widget.name.starts_with("view"))) controls.push_back(widget);
  CHECK(controls.size() >= 2);
  for (const ProbedWidget& control : controls) {
    INFO(control.name << " at " << control.rect.x << ", " << control.rect.y << ", " << control.rect.width
                      << " x " << control.rect.height);
    CHECK(control.rect.x >= panel.x + pad - kRounding);
    CHECK(control.rect.right() <= panel.right() - pad + kRounding);
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
        window.fixture.robot().resize({width, 1400 * std::max(1.0f, scale)});
        window.fixture.robot().frames(3);
        check_header(window.fixture.robot(), scale);
      }
  }
}

TEST_CASE("model header: a list of the pages opens each of them") {
  ModelWindow window(3);
  window.fixture.robot().resize({700, 4000});
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
  CHECK(robot.widget("stage.weights").rect.y == first.y);  // the line stays, until it is unfolded
  window.state.strip.height = 216;                         // dragged in another window
  window.settle();
  CHECK(robot.widget("stage.weights").rect.y == first.y);
  window.state.strip.unfolded = true;
  window.settle();
  CHECK(robot.widget("stage.weights").rect.y > robot.widget("stage.queries").rect.y);
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
