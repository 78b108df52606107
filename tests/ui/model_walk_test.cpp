// The window of a whole model at many sizes of window and text: the picture keeps its floor, nothing is cut
// off or covered, and few controls are in sight. What has no room is on the same page, below.
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/catch.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/model_window.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct ModelSize {
  ImVec2 window;
  float text;
};
const ModelSize kModelSizes[] = {{{900, 600}, 1},  {{1024, 700}, 1},  {{1280, 800}, 1}, {{1280, 800}, 1.25f},
                                 {{1280, 800}, 2}, {{1920, 1080}, 1}, {{2560, 1440}, 1}};
constexpr ModelPage kShown[] = {ModelPage::Heads,   ModelPage::Layers,   ModelPage::Parts,
                                ModelPage::Patches, ModelPage::Analyses, ModelPage::Text};
constexpr std::size_t kMostControls = 40;  // without checkpoints, which add two

ModelWindow window_of(const ModelSize& size) {
  return ModelWindow(size.text, model_session(source_root() + "/assets/examples/words",
                                              "When Ann and Tom went out , Tom gave the key to"));
}

// As *Look inside* opens it.
void look_inside(ModelWindow& window, const ModelSize& size) {
  window.fixture.preferences().text_scale = size.text;
  window.fixture.preferences().motion = false;
  window.fixture.view().baseline = {};
  window.fixture.view().model.map_colors = MapColors::Weights;
  window.fixture.robot().resize(size.window);
  window.settle();
  window.fixture.view().head = 3;
  window.fixture.document().run(Command{EditOpenModel{ShowLayer{LayerPlace(2)}, "Another layer"}});
  window.settle();
  window.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 3, 12, 2};
  window.settle();
}

void check_picture(ModelWindow& window, double floor) {
  constexpr double kLabels = 60;  // as in lessons
  const auto& pictures = window.state.stages.cache.pictures();
  REQUIRE(pictures.size() == 1);
  const LargePicture& picture = pictures.front();
  INFO(picture.cells.width << " x " << picture.cells.height << ", floor " << floor);
  CHECK(std::abs(picture.cell_width - picture.cell_height) <= 1);
  CHECK(picture.cells.width >= floor - kLabels);
  CHECK(picture.row_labels > 0);
  CHECK(picture.column_labels > 0);
}

bool inside(const Rect& small, const Rect& large) {
  return small.x >= large.x - 4 && small.y >= large.y - 4 && small.right() <= large.right() + 4 &&
         small.bottom() <= large.bottom() + 4;
}

// No two widgets overlap, unless one is in the other.
void check_apart(ModelWindow& window, ImVec2 size) {
  const std::vector<ProbedWidget>& widgets = window.fixture.robot().probe().widgets();
  for (std::size_t i = 0; i < widgets.size(); ++i) {
    const Rect& a = widgets[i].rect;
    INFO(widgets[i].name << " at " << a.x << ", " << a.y << ", " << a.width << " x " << a.height);
    CHECK(a.x >= -1);
    CHECK(a.right() <= double{size.x} + 1);
    CHECK(a.bottom() <= double{size.y} + 1);
    for (std::size_t j = 0; j < i; ++j) {
      const Rect& b = widgets[j].rect;
      if (inside(a, b) || inside(b, a) || !overlap(outset(a, -3), outset(b, -3))) continue;
      INFO("over " << widgets[j].name << " at " << b.x << ", " << b.y << ", " << b.width << " x "
                   << b.height);
      CHECK(false);
    }
  }
}

void check_words() {
  const std::vector<DrawnText> texts = drawn_texts();
  REQUIRE(texts.size() > 15);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Rect& a = texts[i].place;
    INFO(texts[i].window << " at " << a.x << ", " << a.y << ", " << a.width << " x " << a.height);
    const bool typed = texts[i].window.find("##model.text") != std::string::npos;  // moves with the caret
    CHECK((!texts[i].cut || typed));
    for (std::size_t j = 0; j < i; ++j)
      if (texts[i].window == texts[j].window) CHECK_FALSE(overlap(outset(a, -1), outset(texts[j].place, -1)));
  }
}

}  // namespace

TEST_CASE("model walk: at every size the picture keeps its floor, and nothing is cut, covered or too much") {
  for (const ModelSize& size : kModelSizes) {
    ModelWindow window = window_of(size);
    look_inside(window, size);
    for (const ModelPage page : kShown) {
      INFO(size.window.x << " x " << size.window.y << ", text " << size.text << ", page "
                         << static_cast<int>(page));
      window.fixture.view().model.page = page;
      window.settle();
      check_picture(window, size.window.x < 1100 ? 240 : 280);
      check_apart(window, size.window);
      check_words();
      const std::size_t controls = window.fixture.robot().probe().controls_in_sight();
      INFO("controls: " << controls);
      CHECK(controls <= kMostControls);
    }
  }
}

TEST_CASE("model walk: with an answer on screen no question has more controls in sight, nor have patches") {
  const ModelSize size = {{1280, 800}, 1};
  ModelWindow window = window_of(size);
  look_inside(window, size);
  ViewState& view = window.fixture.view();
  view.baseline = {std::make_shared<const Layer>(window.fixture.layer()), "kept", view.model.work};
  window.fixture.document().run(
      Command{EditOpenModel{SetModelText{"When Tom and Ann went out , Tom gave the key to"}, "Text"}});
  window.settle();
  const auto check = [&](const char* what) {
    const std::size_t controls = window.fixture.robot().probe().controls_in_sight();
    INFO(what << ": " << controls);
    CHECK(controls <= kMostControls);
  };
  AnalysisView& asking = view.model.analyses;
  view.model.page = ModelPage::Analyses;
  for (const OutputMeasure::Kind measured : {OutputMeasure::Kind::Loss, OutputMeasure::Kind::Logit})
    for (const AnalysisInfo& info : analysis_table()) {
      asking.asked.kind = info.kind;
      asking.asked.measured = measured;
      window.settle();
      if (!asking.fresh) asking.compute = true;
      window.settle();
      REQUIRE(asking.fresh);
      check(std::string(info.name).c_str());
    }
  view.model.page = ModelPage::Patches;
  window.settle();
  CHECK(window.fixture.robot().shows("model.estimate"));
  check("patches");
}

TEST_CASE("model walk: what is below a small window is reached by scrolling the page as a whole") {
  const ModelSize size = {{1280, 800}, 2};
  ModelWindow window = window_of(size);
  look_inside(window, size);
  PanelRobot& robot = window.fixture.robot();
  CHECK(robot.widget("line.word.12").rect.y < robot.widget("focus.area").rect.y);
  CHECK_FALSE(robot.shows("model.head.2.3"));
  for (int i = 0; i < 40; ++i)
    robot.wheel_at({1200, 500}, -1);
  window.settle();
  CHECK(robot.shows("model.head.2.3"));
  CHECK_FALSE(robot.shows("line.word.12"));
  CHECK(robot.shows("toolbar.palette"));  // the bars stay
  robot.click("model.head.1.4");
  window.settle();
  CHECK(window.fixture.view().head == 4);
}
