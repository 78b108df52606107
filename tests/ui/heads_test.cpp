// Heads in the window: on, off and solo, their summaries, and their order.
#include "app/ui/views/head_captions.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/ui/views/head_sorting.h"
#include "app/ui/views/stages_panel.h"
#include "app/ui/widgets/text_fit.h"
#include "engine/attention/measured_heads.h"
#include "tests/support/catch.h"
#include "tests/ui/support/drawn_text.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::drawn_texts;
using headlight_test::DrawnText;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct HeadsPanel {
  StagesPanelState state;
  PanelFixture fixture;

  explicit HeadsPanel(const std::string& lesson, ImVec2 size = {800, 420})
      : fixture(
            lesson_session(lesson), [this](UiContext& ui) { stages_panel(ui, state); }, size) {
    robot().frames(4);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const std::vector<Index>& disabled() const { return fixture.layer().attention.disabled_heads; }
};

}  // namespace

TEST_CASE("heads: one is switched off and on again, each in one step") {
  HeadsPanel panel("20-two-heads");
  CHECK(panel.robot().value("focus.head.h1.on") == "on");
  panel.robot().click("focus.head.h1.on");
  panel.robot().frames(2);
  CHECK(panel.disabled() == std::vector<Index>{1});
  CHECK(panel.robot().value("focus.head.h1.on") == "off");
  panel.robot().right_click("focus.head.h0.on");
  panel.robot().frames(2);
  CHECK(panel.robot().value("focus.head.h0.solo") == "on");  // the only head that is on counts as solo
  panel.robot().key(Key::Escape);
  panel.robot().frames(2);
  panel.robot().click("focus.head.h1.on");
  panel.robot().frames(2);
  CHECK(panel.disabled().empty());
  panel.fixture.document().undo();
  CHECK(panel.disabled() == std::vector<Index>{1});
}

TEST_CASE("heads: solo switches all others off, and on again") {
  HeadsPanel panel("20-two-heads");
  CHECK_FALSE(panel.robot().shows("focus.head.h1.solo"));  // in the menu of the caption
  for (const std::vector<Index>& disabled : {std::vector<Index>{0}, std::vector<Index>{}}) {
    panel.robot().right_click("focus.head.h1.on");
    panel.robot().frames(2);
    panel.robot().click("focus.head.h1.solo");
    panel.robot().frames(2);
    CHECK(panel.disabled() == disabled);
  }
}

TEST_CASE("heads: an eye stands with the whole name of its head, however narrow the picture") {
  for (const float width : {30.0f, 60.0f, 90.0f, 300.0f}) {
    PanelFixture panel(lesson_session("20-two-heads"), [width](UiContext& ui) {
      head_caption(ui, 1, {20, 20}, width);
    });
    panel.robot().frames(2);
    const double name = double{text_width(panel.robot().theme().fonts.label, "head 1")};
    double right = 0;
    for (const DrawnText& text : drawn_texts())
      right = std::max(right, text.place.right() - 20);
    CHECK(right <= static_cast<double>(width) + 1);
    const bool eye = panel.robot().shows("focus.head.h1.on");
    CHECK(eye == (width >= 60));
    if (eye) CHECK(panel.robot().widget("focus.head.h1.on").rect.x >= 20 + name);
  }
}

TEST_CASE("heads: lists of disabled heads stay in order") {
  AttentionSettings settings;
  settings.num_heads = 4;
  settings.disabled_heads = {2};
  CHECK(toggled_head(settings, 0) == std::vector<Index>{0, 2});
  CHECK(toggled_head(settings, 3) == std::vector<Index>{2, 3});
  CHECK(toggled_head(settings, 2).empty());
  CHECK(soloed_head(settings, 2) == std::vector<Index>{0, 1, 3});
  settings.disabled_heads = {0, 1, 3};
  CHECK(soloed_head(settings, 2).empty());
}

TEST_CASE("heads: a single head has no switches, but its summary") {
  HeadsPanel panel("16-causal-mask");
  CHECK_FALSE(panel.robot().shows("focus.head.h0.on"));
  CHECK(panel.robot().shows("focus.head.h0.summary"));
}

TEST_CASE("heads: the summary is the engine's") {
  HeadsPanel panel("20-two-heads");
  const HeadSummary summary = evaluate(panel.fixture.layer()).head({0, 1});
  char expected[96];
  std::snprintf(expected, sizeof expected, "entropy %.3f bits · distance %.3f · first token %.3f",
                static_cast<double>(summary.entropy_bits), static_cast<double>(summary.mean_distance),
                static_cast<double>(summary.first_weight));
  CHECK(panel.robot().value("focus.head.h1.summary") == expected);
}

TEST_CASE("heads: those below each other have the names of their rows, and stand in line") {
  HeadsPanel panel("20-two-heads", {420, 700});
  panel.fixture.view().focused_stage = Stage::Scores;
  panel.robot().frames(4);
  const Rect first = panel.robot().widget("focus.scores.h0").rect;
  const Rect second = panel.robot().widget("focus.scores.h1").rect;
  REQUIRE(second.y > first.bottom());
  CHECK(second.x == first.x);
  CHECK(second.width == first.width);
  CHECK(panel.state.cache.entry("focus.scores.h1").plan.row_labels == 6);
}

TEST_CASE("heads: the order of the weights is not taken over by other stages") {
  HeadsPanel panel("20-two-heads");
  for (const HeadMeasure order : {HeadMeasure::Entropy, HeadMeasure::Distance, HeadMeasure::FirstToken,
                                  HeadMeasure::Diagonal, HeadMeasure::PreviousToken}) {
    panel.fixture.view().heads.sorting.by = order;
    panel.fixture.view().focused_stage = Stage::Scores;
    panel.robot().frames(4);
    CHECK(panel.robot().widget("focus.scores.h0").rect.x < panel.robot().widget("focus.scores.h1").rect.x);
  }
  // Swaps the heads, so that one of both orders by entropy differs from the order by number.
  panel.fixture.view().heads.sorting.by = HeadMeasure::Entropy;
  Layer swapped = panel.fixture.layer();
  Matrix& query = swapped.weights.matrix(Parameter::Query);
  Matrix& key = swapped.weights.matrix(Parameter::Key);
  const Index half = query.cols() / 2;
  for (Matrix* matrix : {&query, &key}) {
    const Matrix first = matrix->leftCols(half);
    matrix->leftCols(half) = matrix->rightCols(half).eval();
    matrix->rightCols(half) = first;
  }
  panel.fixture.document().run(ReplaceLayer{std::make_shared<Layer>(swapped), "Swap the heads"});
  panel.robot().frames(4);
  CHECK(panel.robot().widget("focus.scores.h0").rect.x < panel.robot().widget("focus.scores.h1").rect.x);
}

TEST_CASE("heads: the one with most weight on the first token stands first when asked for") {
  HeadsPanel panel("20-two-heads");
  const Evaluator evaluator = evaluate(panel.fixture.layer());
  const bool second_leads = evaluator.head({0, 1}).first_weight > evaluator.head({0, 0}).first_weight;
  panel.robot().click("focus.order");
  panel.robot().click("focus.order.first_token");
  panel.robot().frames(4);
  const double first = panel.robot().widget("focus.weights.h0").rect.x;
  const double second = panel.robot().widget("focus.weights.h1").rect.x;
  CHECK((second < first) == second_leads);

  panel.robot().click("focus.order");
  panel.robot().click("focus.order.number");
  panel.robot().frames(4);
  CHECK(panel.robot().widget("focus.weights.h0").rect.x < panel.robot().widget("focus.weights.h1").rect.x);
}

TEST_CASE("heads: four pictures in one row stand on one line and none covers the next") {
  HeadsPanel panel("induction-head");
  panel.fixture.view().focused_stage = Stage::Weights;
  panel.robot().frames(4);
  const auto cells = [&](int head) {
    return panel.robot().widget("focus.weights.h" + std::to_string(head)).rect;
  };
  for (int head = 1; head < 4; ++head) {
    INFO("head " << head);
    CHECK(cells(head).y == cells(0).y);
    CHECK_THAT(cells(head).width, headlight_test::WithinAbs(cells(0).width, 1e-6));
    CHECK(cells(head).x >= cells(head - 1).x + cells(head - 1).width);
  }
}

namespace {

// The heads of the induction example in the order of their large pictures: by row, then by column.
std::vector<Index> heads_as_drawn(HeadsPanel& panel) {
  std::vector<Index> heads = {0, 1, 2, 3};
  const auto place = [&](Index head) {
    const auto rect = panel.robot().widget("focus.weights.h" + std::to_string(head)).rect;
    return std::pair(rect.y, rect.x);
  };
  std::sort(heads.begin(), heads.end(), [&](Index a, Index b) { return place(a) < place(b); });
  return heads;
}

std::vector<Index> heads_by(const Layer& layer, HeadMeasure measure, HeadPicture picture, bool ascending) {
  const Evaluator evaluator = evaluate(layer);
  std::vector<std::optional<float>> values;
  for (Index head = 0; head < layer.head_count(); ++head)
    values.push_back(measures_of(evaluator, nullptr, {0, head, picture}).of(measure));
  return sorted_places(values, ascending);
}

}  // namespace

TEST_CASE("heads: every measure sorts the large pictures, in both directions, and stands in the captions") {
  HeadsPanel panel("induction-head");
  panel.robot().frames(4);
  for (const HeadMeasureInfo& info : head_measure_table()) {
    if (info.measure == HeadMeasure::LikePicture) continue;
    INFO(info.name);
    panel.robot().click("focus.order");
    panel.robot().click("focus.order." + std::string(info.name));
    panel.robot().frames(4);
    const Layer& layer = panel.fixture.layer();
    CHECK(heads_as_drawn(panel) == heads_by(layer, info.measure, {}, false));
    const auto measures = measures_of(evaluate(layer), nullptr, {0, 2, {}});
    CHECK(panel.robot().value("focus.head.h2.measure") ==
          measure_text(info.measure, measures.of(info.measure)));
    panel.robot().click("focus.order.direction");
    panel.robot().frames(4);
    CHECK(heads_as_drawn(panel) == heads_by(layer, info.measure, {}, true));
  }
  panel.robot().click("focus.order");
  panel.robot().click("focus.order.number");
  panel.robot().frames(4);
  CHECK(heads_as_drawn(panel) == std::vector<Index>{0, 1, 2, 3});
  CHECK_FALSE(panel.robot().shows("focus.head.h2.measure"));
}

TEST_CASE("heads: those like a chosen one come first, and itself before all") {
  HeadsPanel panel("induction-head");
  panel.fixture.view().heads.picture = {PictureKind::Head, 3};
  sort_heads_by(panel.fixture.view(), HeadMeasure::LikePicture);
  panel.robot().frames(4);
  CHECK(heads_as_drawn(panel).front() == 3);
  CHECK(panel.robot().value("focus.head.h3.measure") == "1.000");
}

TEST_CASE("heads: tokens that do not repeat are said not to") {
  HeadsPanel panel("20-two-heads");
  sort_heads_by(panel.fixture.view(), HeadMeasure::Induction);
  panel.robot().frames(4);
  CHECK(panel.robot().value("focus.head.h0.measure") == "none repeated");
}

namespace {

// Twelve heads of 40 tokens: side by side their cells would have two pixels.
struct ManyHeads {
  StagesPanelState state;
  PanelFixture fixture;

  Index shown = 0;  // the head that a view of one head shows

  ManyHeads()
      : fixture(headlight_test::large_session(40, 12), [this](UiContext& ui) { draw(ui); }, {640, 500}) {
    robot().frames(6);
  }
  void draw(UiContext& ui) {
    stages_panel(ui, state);
    shown = ui.shown_head();
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  bool large(int head) { return robot().shows("focus.weights.h" + std::to_string(head)); }
};

}  // namespace

TEST_CASE("heads: of more than can be read one is large, and the others a column beside it") {
  ManyHeads panel;
  CHECK(panel.large(0));
  CHECK_FALSE(panel.large(1));
  CHECK(panel.robot().value("thumb.h0") == "large");
  CHECK(panel.robot().widget("focus.weights.h0").rect.width >= 6 * 40);
  CHECK(panel.robot().widget("thumb.h2").rect.x > panel.robot().widget("focus.weights.h0").rect.right());
  REQUIRE(panel.state.cache.pictures().size() == 1);
  CHECK(panel.state.cache.pictures()[0].row_labels > 0);
  CHECK(panel.fixture.view().heads.one_large);
}

TEST_CASE("heads: pointing at a small picture shows it large for as long, a click and a key choose it") {
  ManyHeads panel;
  panel.robot().hover("thumb.h2");
  panel.robot().frames(3);
  CHECK(panel.large(2));
  panel.robot().move_to({4, 4});
  panel.robot().frames(3);
  CHECK(panel.large(0));
  panel.robot().click("thumb.h1");
  panel.robot().move_to({4, 4});
  panel.robot().frames(3);
  CHECK(panel.large(1));
  panel.robot().key(Key::Num4);
  panel.robot().frames(3);
  CHECK(panel.large(3));
  CHECK(panel.fixture.commands().empty());
  CHECK_FALSE(panel.robot().shows("focus.head.h2.on"));  // of many heads where its name is pointed at
  const Rect thumb = panel.robot().widget("thumb.h2").rect;
  panel.robot().move_to({static_cast<float>(thumb.x + 12), static_cast<float>(thumb.y - 12)});
  panel.robot().frames(3);
  panel.robot().click("focus.head.h2.on");
  panel.robot().frames(3);
  CHECK(panel.fixture.layer().attention.disabled_heads == std::vector<Index>{2});
}

TEST_CASE("heads: views of one head show the one that is large") {
  ManyHeads panel;
  panel.robot().click("thumb.h1");
  panel.robot().move_to({4, 4});
  panel.robot().frames(3);
  panel.fixture.view().focus_view = FocusView::Row;
  panel.robot().frames(3);
  CHECK(panel.fixture.view().heads.one_large);
  CHECK(panel.shown == 1);
}

TEST_CASE("heads: the first of an order that is asked for is the large one") {
  ManyHeads panel;
  panel.robot().key(Key::Num4);
  panel.robot().frames(3);
  sort_heads_by(panel.fixture.view(), HeadMeasure::Distance);
  panel.robot().frames(6);
  const Index first = panel.fixture.view().heads.large;
  for (Index head = 0; head < 12; ++head) {
    const auto measured = panel.fixture.answer()->find(HeadRequest{0, head});
    REQUIRE(measured);
    CHECK(measured->mean_distance <= panel.fixture.answer()->find(HeadRequest{0, first})->mean_distance);
  }
  CHECK(panel.large(static_cast<int>(first)));
  panel.robot().key(Key::Num3);  // a key may choose another head
  panel.robot().frames(3);
  CHECK(panel.fixture.view().heads.large != first);
}

TEST_CASE("heads: a cell of another head that is selected elsewhere brings that head to the large picture") {
  ManyHeads panel;
  panel.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 9, 3, 2};
  panel.robot().frames(4);
  CHECK(panel.large(9));
}
