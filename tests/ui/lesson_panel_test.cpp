// A lesson step by step: the panel's texts, the highlighted cells, and the learner's edits.
#include "app/ui/lesson/lesson_panel.h"

#include <imgui_internal.h>

#include <algorithm>
#include <vector>

#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/picture/spotlight.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/ui/support/judged.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

constexpr headlight_test::KeysHeld kAlt = {.alt = true};

struct LessonBench {
  WorkbenchState state;
  PanelFixture fixture;

  explicit LessonBench(const std::string& lesson, ImVec2 size = {1280, 800})
      : fixture(
            lesson_session(lesson), [this](UiContext& ui) { draw(ui); }, size) {
    state.lesson.entries = {{"01.headlight", "01", "First", "", "", 1},
                            {"99.headlight", "99", "Last", "", "", 99}};
    state.lesson.guide = begin_guide(fixture.document().session());
    robot().frames(20);  // until the highlight is at full strength
  }
  // Moves the robot's window behind the workbench's, which handles the clicks.
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  std::string step() { return robot().value("lesson.step"); }
  void next() {
    robot().click("lesson.next");
    robot().frames(20);
  }
  // Shows the lesson's text or hides it, by the menu of the window.
  void turn_text() {
    robot().click("toolbar.view");
    robot().frames(2);
    robot().click("menu.lesson.text");
    robot().frames(3);
  }
  void start_walk() {
    robot().click("card.more");
    robot().frames(2);
    robot().click("walk.start");
  }
  // Edits an embedding by a command, as a learner would.
  void edit_embedding(float value) {
    fixture.document().run(
        SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, value), 0});
    robot().frames(4);
  }
};

// Triangles of the last frame in the lesson's colour that lie outside the cells that the lesson points at.
std::vector<Rect> coral_outside_cells(headlight_test::PanelRobot& robot) {
  const Color coral = robot.theme().pointer;
  std::vector<Rect> outside;
  const auto is_lit = [&](const Rect& place) {
    const auto& widgets = robot.probe().widgets();
    return std::any_of(widgets.begin(), widgets.end(), [&](const ProbedWidget& widget) {
      const Rect around = outset(widget.rect, 3);
      const bool supposed = widget.name.starts_with("line.supposed.");  // its word is underlined
      return (supposed || widget.name.ends_with(".lit")) && place.x >= around.x &&
             place.right() <= around.right() && place.y >= around.y && place.bottom() <= around.bottom();
    });
  };
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer)
      for (unsigned int k = 0; k + 3 <= command.ElemCount; k += 3) {
        Rect place = {1e9, 1e9, 0, 0};
        double right = -1e9, bottom = -1e9;
        bool painted = false;
        for (unsigned int corner = k; corner < k + 3; ++corner) {
          const ImDrawVert& vertex = list.VtxBuffer[static_cast<int>(
              command.VtxOffset + list.IdxBuffer[static_cast<int>(command.IdxOffset + corner)])];
          painted = painted || ((vertex.col & ~IM_COL32_A_MASK) == (to_imgui(coral) & ~IM_COL32_A_MASK) &&
                                (vertex.col & IM_COL32_A_MASK) != 0);
          place.x = std::min<double>(place.x, vertex.pos.x);
          place.y = std::min<double>(place.y, vertex.pos.y);
          right = std::max<double>(right, vertex.pos.x);
          bottom = std::max<double>(bottom, vertex.pos.y);
        }
        place.width = right - place.x;
        place.height = bottom - place.y;
        if (painted && !is_lit(place)) outside.push_back(place);
      }
  }
  return outside;
}

}  // namespace

TEST_CASE("lesson: coral outlines cells and underlines the number under the pointer, and does nothing else") {
  std::size_t lit = 0;
  for (const char* stem : {"01-one-query-dot-products", "16-causal-mask", "20-two-heads", "35-a-step"}) {
    LessonBench bench(stem);
    const std::size_t steps = bench.fixture.document().session().lesson->steps.size();
    for (std::size_t step = 0; step < steps; ++step) {
      INFO(stem << ", step " << step);
      bench.robot().click("lesson.dot." + std::to_string(step));
      bench.robot().move_to({2, 2});
      bench.robot().frames(20);
      CHECK(coral_outside_cells(bench.robot()).empty());
      for (const ProbedWidget& widget : bench.robot().probe().widgets())
        lit += widget.name.ends_with(".lit") ? 1 : 0;
    }
  }
  CHECK(lit > 10);
  LessonBench bench("01-one-query-dot-products");
  bench.robot().click("lesson.dot.2");
  bench.robot().frames(20);
  std::size_t underlined = 0;
  for (int quote = 0; quote < 20; ++quote) {
    if (!bench.robot().shows("lesson.quote." + std::to_string(quote))) continue;
    bench.robot().hover("lesson.quote." + std::to_string(quote));
    bench.robot().frames(3);
    const Rect number = outset(bench.robot().widget("lesson.quote." + std::to_string(quote)).rect, 4);
    const std::vector<Rect> places = coral_outside_cells(bench.robot());
    underlined += places.empty() ? 0 : 1;
    for (const Rect& place : places)
      CHECK((place.x >= number.x && place.right() <= number.right() && place.y >= number.y));
  }
  CHECK(underlined > 0);
}

TEST_CASE("lesson: opens at its first step, with the numbers filled in") {
  LessonBench bench("01-one-query-dot-products");
  CHECK(bench.step() == "1 of 5");
  CHECK(bench.robot().value("lesson.title") == "Tokens as rows of numbers");
  const std::string text = bench.robot().value("lesson.text");
  CHECK(text.find("0.55, 0.87, 0.66") != std::string::npos);
  CHECK(text.find('{') == std::string::npos);
  CHECK(bench.robot().value("lesson.quote.1") == "6");
  CHECK(bench.robot().value("lesson.dot.0") == "here");
}

TEST_CASE("lesson: Next goes to a step's stage and cell, Back and the dots return") {
  LessonBench bench("01-one-query-dot-products");
  const Session& open = bench.fixture.document().session();
  bench.state.lesson.entries.push_back({"1.headlight", "1", open.title, "", "", open.lesson->order});
  bench.next();
  bench.next();
  CHECK(bench.step() == "3 of 5");
  CHECK(bench.view().focused_stage == Stage::Scores);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Scores, 0, 0, 1, 0});
  CHECK(bench.robot().value("lesson.text").find("= 0.9544") != std::string::npos);
  CHECK(bench.robot().value("inspector.cell") == "scores[journey (1), Your (0)]");
  bench.robot().click("lesson.back");
  CHECK(bench.step() == "2 of 5");
  bench.robot().click("lesson.dot.4");
  bench.robot().frames(3);
  CHECK(bench.step() == "5 of 5");
  CHECK_FALSE(bench.robot().shows("lesson.try"));  // the question comes first
  bench.robot().wheel("lesson.text", -20);         // the question is below the text
  bench.robot().frames(3);
  bench.robot().click("lesson.guess.give");
  bench.robot().frames(8);
  bench.robot().wheel("lesson.reply", -20);  // the reply comes first
  bench.robot().frames(3);
  CHECK(bench.robot().shows("lesson.try"));
  CHECK_FALSE(bench.robot().shows("lesson.next"));
  bench.robot().click("lesson.following");
  REQUIRE(bench.fixture.actions().size() == 1);
  CHECK(bench.fixture.actions().front().action == Action::OpenLesson);
  CHECK(bench.fixture.actions().front().path == "99.headlight");
}

TEST_CASE("lesson: behind the last lesson, and one's own, the way leads to the start screen") {
  LessonBench bench("39-a-rate-that-is-too-large");
  bench.robot().click("lesson.dot.2");
  bench.robot().frames(4);
  for (const bool of_course : {false, true}) {
    bench.state.lesson.entries.clear();
    const Session& open = bench.fixture.document().session();
    if (of_course)
      bench.state.lesson.entries = {{"39.headlight", "39", open.title, "", "", open.lesson->order}};
    bench.robot().frames(2);
    bench.fixture.clear();
    bench.robot().click("lesson.following");
    REQUIRE(bench.fixture.actions().size() == 1);
    CHECK(bench.fixture.actions().front().action == Action::ShowStart);
  }
}

TEST_CASE("lesson: lessons are counted, variations stand below theirs and are left out by Next") {
  std::vector<LessonEntry> entries = {{"a.headlight", "a", "First", "", "", 0},
                                      {"b.headlight", "b", "Second", "", "", 1},
                                      {"c.headlight", "c", "Again", "", "", 1, 0, 1},
                                      {"d.headlight", "d", "Third", "", "", 2}};
  CHECK(number_of(entries[1]) == "1");
  CHECK(number_of(entries[2]) == "1a");
  Lesson lesson;
  lesson.order = 1;
  CHECK(neighbour_of(lesson, entries, true)->stem == "d");
  CHECK(neighbour_of(lesson, entries, false)->stem == "a");
  lesson.variation_of = 1;
  CHECK(neighbour_of(lesson, entries, true)->stem == "d");
  CHECK(neighbour_of(lesson, entries, false)->stem == "b");
  lesson = Lesson{};
  CHECK_FALSE(neighbour_of(lesson, entries, false));
  lesson.order = 100;  // of a file of the user's own
  CHECK_FALSE(neighbour_of(lesson, entries, true));
}

TEST_CASE("lesson: keys lead on and back, and stop at the ends") {
  LessonBench bench("02-dividing-by-the-sum");
  bench.robot().key(Key::PageUp, kAlt);
  CHECK(bench.step() == "1 of 5");
  bench.robot().key(Key::PageDown, kAlt);
  CHECK(bench.step() == "2 of 5");
  for (int i = 0; i < 9; ++i)
    bench.robot().key(Key::PageDown, kAlt);
  CHECK(bench.step() == "5 of 5");
  bench.robot().key(Key::PageUp, kAlt);
  CHECK(bench.step() == "4 of 5");
}

TEST_CASE("lesson: the step's stage glows, and a click elsewhere puts it out") {
  LessonBench bench("01-one-query-dot-products");
  bench.next();
  bench.next();
  CHECK(bench.view().lesson.light == 1);
  CHECK(bench.robot().shows("spotlight.scores"));
  CHECK(bench.robot().shows("focus.scores.h0.lit"));
  const Rect all = bench.robot().widget("focus.scores.h0").rect;
  const Rect lit = bench.robot().widget("focus.scores.h0.lit").rect;
  CHECK(std::abs(lit.width - all.width / 6) < 2);  // one cell of six
  CHECK_FALSE(bench.view().lesson.fading);
  CHECK(coral_outside_cells(bench.robot()).empty());

  bench.robot().click("stage.embeddings");  // the click also opens the stage
  CHECK(bench.view().focused_stage == Stage::Embeddings);
  bench.robot().frames(20);
  CHECK(bench.view().lesson.light == 0);
  CHECK_FALSE(bench.robot().shows("spotlight.scores"));
  CHECK(bench.step() == "3 of 5");  // the lesson's step is unchanged
}

TEST_CASE("lesson: the light comes and goes by degrees, or at once without motion") {
  LessonBench bench("01-one-query-dot-products");
  bench.robot().click("stage.scores");
  CHECK(bench.view().lesson.light > 0);
  CHECK(bench.view().lesson.light < 1);
  CHECK(bench.view().lesson.fading);
  bench.robot().frames(20);
  bench.fixture.preferences().motion = false;
  bench.robot().click("lesson.next");
  CHECK(bench.view().lesson.light == 1);
  CHECK_FALSE(bench.view().lesson.fading);
}

TEST_CASE("lesson: a step sets what it needs, the next one sets it back, and undo goes back by steps") {
  LessonBench bench("03-naive-softmax");
  Document& document = bench.fixture.document();
  const auto shares = [&] { return bench.fixture.layer().attention.normalization; };
  bench.next();
  CHECK(bench.fixture.commands().empty());
  bench.next();
  CHECK(shares() == Normalization::Sum);
  CHECK(bench.fixture.commands().size() == 1);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  CHECK(bench.robot().value("lesson.text").find("0.2278") != std::string::npos);
  CHECK(only_guided(bench.state.lesson.guide, document));
  bench.next();
  CHECK(shares() == Normalization::NaiveSoftmax);
  CHECK(bench.robot().value("lesson.text").find("0.2379") != std::string::npos);
  AttentionSettings settings = bench.fixture.layer().attention;
  settings.normalization = Normalization::Sum;
  document.run(SetAttention{settings});
  bench.robot().frames(4);
  CHECK(bench.robot().value("lesson.departure") == "You changed the settings since this lesson began.");
  document.undo();
  bench.robot().frames(4);
  CHECK(shares() == Normalization::NaiveSoftmax);

  CHECK(document.undo_name() == "Settings of step 4");
  document.undo();
  bench.robot().frames(4);
  CHECK(bench.step().starts_with("3 of"));
  CHECK(shares() == Normalization::Sum);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  document.redo();
  bench.robot().frames(4);
  CHECK(bench.step().starts_with("4 of"));
  CHECK(shares() == Normalization::NaiveSoftmax);
}

TEST_CASE("lesson: undo reaches what was changed in a step before, in that step") {
  LessonBench bench("03-naive-softmax");
  Document& document = bench.fixture.document();
  bench.next();
  bench.edit_embedding(0.9f);
  bench.next();
  REQUIRE(bench.step().starts_with("3 of"));
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.9f);
  document.undo();
  bench.robot().frames(4);
  CHECK(bench.step().starts_with("2 of"));
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.9f);
  document.undo();
  bench.robot().frames(4);
  CHECK(bench.step().starts_with("2 of"));
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.55f);
}

TEST_CASE("lesson: what a step itself begins with is not undone") {
  Session session = lesson_session("03-naive-softmax");
  session.lesson->steps.erase(session.lesson->steps.begin(), session.lesson->steps.begin() + 2);
  WorkbenchState state;
  PanelFixture fixture(
      std::move(session), [&](UiContext& ui) { workbench(ui, state); }, ImVec2{1280, 800});
  state.lesson.guide = begin_guide(fixture.document().session());
  fixture.robot().frames(4);
  CHECK(fixture.layer().attention.normalization == Normalization::Sum);
  CHECK_FALSE(fixture.document().can_undo());
}

TEST_CASE("lesson: a step begins with the lesson's own wish, and says that one was taken back") {
  LessonBench bench("34-what-a-loss-is");
  Document& document = bench.fixture.document();
  const Goal own = *document.session().goal;
  Goal painted = own;
  painted.target.matrices[0](5, 0) = 1;
  document.run(SetGoal{std::make_shared<const Goal>(painted)});
  bench.robot().frames(4);
  CHECK_FALSE(only_guided(bench.state.lesson.guide, document));
  CHECK(bench.robot().value("lesson.departure") == "You changed what is wished since this lesson began.");
  bench.robot().click("lesson.restore");
  bench.robot().frames(4);
  CHECK(*document.session().goal == own);
  CHECK_FALSE(bench.robot().shows("lesson.restore"));
  document.undo();
  bench.robot().frames(4);
  CHECK(*document.session().goal == painted);
  bench.next();
  CHECK(*document.session().goal == own);
  CHECK(bench.robot().value("lesson.departure").starts_with("This step begins with the lesson's own wish"));
  CHECK_FALSE(bench.robot().shows("lesson.restore"));
  bench.next();
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  bench.robot().click("lesson.back");
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  document.undo();  // back to the step in which it was painted
  bench.robot().frames(4);
  CHECK(bench.step() == "1 of 5");
  CHECK(*document.session().goal == painted);
}

TEST_CASE("lesson: a wish is taken back beside numbers that were changed, which stay") {
  LessonBench bench("34-what-a-loss-is");
  Document& document = bench.fixture.document();
  const Goal own = *document.session().goal;
  Goal painted = own;
  painted.target.matrices[0](5, 0) = 1;
  document.run(SetGoal{std::make_shared<const Goal>(painted)});
  document.run(SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  bench.robot().frames(4);
  bench.next();
  CHECK(*document.session().goal == own);
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 3);
  CHECK(bench.robot().shows("lesson.restore"));
}

TEST_CASE("lesson: steps that need other shapes bring them and take them back") {
  LessonBench bench("21-two-heads-of-two");
  bench.robot().click("lesson.dot.5");
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().head_count() == 4);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  bench.robot().click("lesson.dot.0");
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().head_count() == 2);
  CHECK(only_guided(bench.state.lesson.guide, bench.fixture.document()));
}

TEST_CASE("lesson: what it shows by itself is in its own language") {
  Session session = lesson_session("16-causal-mask");
  session.lesson->language.labels = {{"inputs", "Eingaben"},  {"matrices", "Matrizen"},
                                     {"masked", "verdeckt"},  {"forbidden", "verboten"},
                                     {"dimension", "Stelle"}, {"stage_masked", "maskiert"}};
  session.lesson->steps.resize(1);
  LessonStep& step = session.lesson->steps[0];
  step.stage = Stage::Masked;
  step.selected = {{0, 1}};
  WorkbenchState state;
  const auto draw = [&](UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  };
  PanelFixture fixture(session, draw, ImVec2{1600, 1000});
  state.lesson.guide = begin_guide(fixture.document().session());
  headlight_test::PanelRobot& robot = fixture.robot();
  robot.frames(8);
  CHECK(robot.value("inspector.place") == "maskiert  ·  verboten");
  CHECK(robot.value("focus.legend.masked") == "verdeckt");
  const auto tip_of = [&](const std::string& widget) {
    robot.hover(widget);
    robot.frames(90);  // until the tooltip has waited
    return robot.value("tooltip");
  };
  CHECK(tip_of("inputs.fold.tokens").find("Eingaben") != std::string::npos);
  CHECK(tip_of("inputs.fold.weights").find("Matrizen") != std::string::npos);
  CHECK(tip_of("stage.masked").starts_with("maskiert: "));
}

TEST_CASE("lesson: Restore keeps the stage and the view that are shown, and ends painting") {
  LessonBench bench("16-causal-mask");
  bench.edit_embedding(0.9f);
  bench.view().picture.paints_mask = true;
  bench.robot().click("stage.weights");
  bench.view().focus_view = FocusView::Row;
  bench.robot().click("lesson.restore");
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.55f);
  CHECK(bench.view().focused_stage == Stage::Weights);
  CHECK(bench.view().focus_view == FocusView::Row);
  CHECK_FALSE(bench.view().picture.paints_mask);
  CHECK(bench.step() == "1 of 5");
}

TEST_CASE("lesson: a learner's change is kept, told, and can be taken back") {
  LessonBench bench("03-naive-softmax");
  bench.edit_embedding(0.9f);
  CHECK(bench.robot().value("lesson.departure") == "You changed numbers since this lesson began.");
  CHECK_FALSE(only_guided(bench.state.lesson.guide, bench.fixture.document()));
  CHECK(is_lesson_copy(bench.state.lesson.guide, bench.fixture.document()));  // closes without a question
  bench.robot().click("lesson.dot.2");                                        // its settings; the edit stays
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().attention.normalization == Normalization::Sum);
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.9f);

  bench.fixture.clear();
  bench.robot().click("lesson.restore");
  bench.robot().frames(4);
  CHECK(bench.fixture.commands().size() == 1);
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.55f);
  CHECK(bench.fixture.layer().attention.normalization == Normalization::Sum);  // the setting of the step
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  CHECK(bench.fixture.document().undo_name() == "Restore the lesson");
  bench.fixture.document().undo();
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 0.9f);
}

TEST_CASE(
    "lesson: another state that is kept where the text speaks of its own is told, and Restore brings that "
    "back") {
  LessonBench bench("26-what-a-mask-changes");
  bench.robot().click("lesson.dot.1");
  bench.robot().frames(4);
  const auto own = bench.fixture.view().baseline.layer;
  REQUIRE(own->attention.mask == MaskKind::None);
  REQUIRE(bench.robot().value("lesson.text").find("“kept” is without it") != std::string::npos);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
  bench.robot().key(Key::K, {.ctrl = true, .shift = true});
  bench.robot().frames(4);
  CHECK(bench.fixture.view().baseline.layer->attention.mask == MaskKind::Causal);
  CHECK(bench.robot().value("lesson.departure").find("not the one that the text speaks of") !=
        std::string::npos);
  bench.fixture.clear();
  bench.robot().click("lesson.restore");
  bench.robot().frames(4);
  CHECK(bench.fixture.view().baseline.layer == own);
  CHECK(bench.fixture.commands().empty());
  CHECK_FALSE(bench.robot().shows("lesson.departure"));

  bench.robot().key(Key::K, {.ctrl = true, .shift = true});  // and what is kept goes along to other steps
  const auto kept = bench.fixture.view().baseline.layer;
  bench.robot().click("lesson.dot.3");
  bench.robot().frames(4);
  CHECK(bench.fixture.view().baseline.layer == kept);
  CHECK_FALSE(bench.robot().shows("lesson.departure"));
}

TEST_CASE("lesson: settings that do not fit the learner's changes are told, not forced") {
  LessonBench bench("21-two-heads-of-two");
  bench.fixture.document().run(SetDOut{2});
  bench.robot().frames(4);
  bench.robot().click("lesson.dot.5");  // needs four heads
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().head_count() == 2);
  CHECK(bench.robot().value("lesson.departure").find("do not fit") != std::string::npos);
  bench.robot().click("lesson.restore");
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().head_count() == 4);
}

TEST_CASE("lesson: what held first and no longer does is told, and the sentence follows") {
  LessonBench bench("02-dividing-by-the-sum");
  bench.robot().click("lesson.dot.4");
  bench.robot().frames(4);
  CHECK(bench.robot().value("lesson.text").find("all scores are positive, down to 0.2935") !=
        std::string::npos);
  bench.fixture.document().run(
      SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 4, 0, Matrix::Constant(1, 1, -3), 0});
  const auto told = [&] { return bench.robot().value("lesson.text"); };
  headlight_test::frames_until(bench.robot(), [&] { return told().find("(at first") != std::string::npos; });
  const std::string text = told();
  INFO(text);
  CHECK(text.find("At first all scores were positive") != std::string::npos);
  CHECK(text.find("is 0.1050 (at first 0.2935)") != std::string::npos);
  CHECK(text.find("down to −1.4335") != std::string::npos);
}

TEST_CASE("lesson: a step brings the grid of the weights that it speaks of to the front") {
  LessonBench bench("12-draw-order-key-first");
  CHECK(bench.robot().value("inputs.tab") == "key");
}

TEST_CASE("lesson: the mean of many draws can be read where it is spoken of") {
  LessonBench bench("18-dropout-after-the-weights", {1280, 1200});
  bench.robot().click("lesson.dot.2");
  bench.robot().frames(4);
  CHECK(bench.robot().value("lesson.text").find("Press Many draws") != std::string::npos);
  CHECK(bench.robot().value("lesson.text").find("The mean of the draws") == std::string::npos);  // none yet
  bench.robot().click("focus.play");
  bench.robot().frames(60);
  const std::string text = bench.robot().value("lesson.text");
  INFO(text);
  CHECK(text.find("The mean of the draws for “step” on itself is 0.") != std::string::npos);
}

TEST_CASE("lesson: numbers follow the learner's change") {
  LessonBench bench("01-one-query-dot-products");
  bench.next();
  bench.next();
  bench.edit_embedding(0.0f);
  CHECK(bench.robot().value("lesson.text").find("= 0.7179") !=
        std::string::npos);  // 0.87 x 0.15 + 0.66 x 0.89
}

TEST_CASE("lesson: pointing at a quoted number shows its cell, a click keeps it") {
  LessonBench bench("01-one-query-dot-products");
  bench.robot().click("lesson.dot.3");
  bench.robot().frames(4);
  bench.robot().hover("lesson.quote.6");
  bench.robot().frames(2);
  REQUIRE(bench.view().selection.hovered.last);
  CHECK(bench.view().selection.hovered.last->stage == Stage::Scores);
  CHECK(bench.robot().value("inspector.value").substr(0, 5) ==
        bench.robot().value("lesson.quote.6").substr(0, 5));
  bench.robot().click("lesson.quote.6");
  CHECK(bench.view().selection.cell == bench.view().selection.hovered.last);
}

TEST_CASE("lesson: at the usual size every step stands in its column, its buttons in sight") {
  for (const char* stem : {"07-attention-mechanism-naive", "16-causal-mask", "22-two-heads-with-dropout"}) {
    INFO(stem);
    LessonBench bench(stem);
    const auto count = bench.fixture.document().session().lesson->steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      bench.robot().click("lesson.dot." + std::to_string(i));
      bench.robot().frames(3);
      const Rect text = bench.robot().widget("lesson.text").rect;
      const bool last = i + 1 == count;
      const Rect button = bench.robot().widget(last ? "lesson.following" : "lesson.next").rect;
      CHECK(bench.robot().shows("inspector.value") == bench.view().selection.cell.has_value());
      CHECK(text.right() <= 416);
      CHECK(text.y + bench.robot().theme().px(40) < button.y);  // at least two lines of text
      CHECK(button.bottom() < 800);
    }
  }
}

TEST_CASE("lesson: in a narrow window it is above the picture, and folded away it is behind a tab") {
  LessonBench narrow("16-causal-mask", {800, 600});
  CHECK(narrow.step() == "1 of 5");
  CHECK(narrow.robot().widget("lesson.text").rect.bottom() < narrow.robot().widget("focus.area").rect.y);
  narrow.next();
  CHECK(narrow.step() == "2 of 5");
  narrow.turn_text();
  narrow.robot().click("side.Lesson");
  CHECK_FALSE(narrow.robot().shows("lesson.text"));
  narrow.robot().click("notes.fold");
  narrow.robot().frames(3);
  CHECK(narrow.step() == "2 of 5");
}

TEST_CASE("lesson: folded away it leaves the room to the inspector") {
  LessonBench bench("16-causal-mask");
  bench.turn_text();
  CHECK_FALSE(bench.robot().shows("lesson.text"));
  bench.robot().key(Key::PageDown, kAlt);  // keys still change the step
  bench.robot().click("notes.fold");
  CHECK(bench.step() == "2 of 5");
}

TEST_CASE("lesson: a session without one has no panel, one with notes alone shows them") {
  Session session = lesson_session("16-causal-mask");
  session.lesson.reset();
  session.notes.clear();
  WorkbenchState state;
  PanelFixture plain(session, [&](UiContext& ui) { workbench(ui, state); });
  CHECK_FALSE(plain.robot().shows("notes.fold"));
  CHECK(plain.robot().shows("walk.start"));
}

TEST_CASE("spotlight: rows, columns and cells as blocks") {
  LessonStep step;
  CHECK(spotlight_blocks(step, 6, 6).empty());
  step.rows = {2, 1, 4};
  const auto rows = spotlight_blocks(step, 6, 3);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].row == 1);
  CHECK(rows[0].row_end == 3);
  CHECK(rows[0].column == 0);
  CHECK(rows[0].column_end == 3);
  CHECK(rows[1].row == 4);
  step.columns = {0, 1};
  CHECK(spotlight_blocks(step, 6, 3)[0].column_end == 2);
  step = {};
  step.cells = {{1, 2}, {9, 9}};  // the second cell no longer exists
  REQUIRE(spotlight_blocks(step, 6, 6).size() == 1);
}

TEST_CASE("step through: a pass for the selected query, forwards, backwards and out") {
  LessonBench bench("16-causal-mask");
  bench.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 4, 2};
  bench.start_walk();
  bench.robot().frames(20);
  CHECK(bench.step() == "1 of 10");
  CHECK(bench.robot().value("lesson.text").find("“one”") != std::string::npos);
  CHECK(bench.view().focused_stage == Stage::Embeddings);
  for (int i = 0; i < 4; ++i)
    bench.robot().key(Key::PageDown, kAlt);
  CHECK(bench.view().focused_stage == Stage::Scores);
  CHECK(bench.view().selection.cell == CellAddress{Stage::Scores, 0, 0, 4, 2});
  CHECK(bench.robot().value("lesson.text").find("“starts”") != std::string::npos);
  bench.robot().key(Key::Escape);  // ends the motion of the step
  bench.robot().frames(2);
  CHECK(bench.robot().shows("walk.leave"));
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("walk.leave"));
  CHECK(bench.step() == "1 of 5");  // the lesson is shown again
}

TEST_CASE("step through: follows the settings while it is under way") {
  LessonBench bench("16-causal-mask");
  bench.start_walk();
  bench.robot().click("lesson.dot.6");
  bench.robot().frames(3);
  CHECK(bench.view().focused_stage == Stage::Masked);
  AttentionSettings open = bench.fixture.layer().attention;
  open.mask = MaskKind::None;
  bench.fixture.document().run(SetAttention{open});
  bench.robot().frames(4);
  CHECK(bench.step() == "7 of 9");
  CHECK(bench.robot().value("lesson.title") == "The weights");
  while (bench.fixture.layer().token_count() > 1)
    bench.fixture.document().run(RemoveToken{0});
  bench.robot().frames(4);
  CHECK_FALSE(bench.robot().shows("walk.leave"));  // its query no longer exists
}

TEST_CASE("step through: plays by itself and stops at the end") {
  LessonBench bench("04-softmax-and-context");
  bench.start_walk();
  bench.robot().click("walk.play");
  CHECK(bench.robot().value("walk.play") == "Pause");
  CHECK(bench.fixture.wakes_within());
  bench.robot().frames(4);
  CHECK(bench.step() == "1 of 5");
  // Each step takes as long as its motion, and time to read.
  for (int i = 0; i < 24; ++i) {
    bench.robot().rest(1.0f);
    bench.robot().frames(3);
  }
  CHECK(bench.step() == "5 of 5");
  CHECK(bench.robot().value("walk.play") == "Play");
}

TEST_CASE("lesson panel: numbers of every input count as changes of the reader") {
  headlight_test::Dice dice(20242);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    const Layer before = headlight_test::random_cross_layer(dice);
    CHECK(departure_from(before, before) == Departure::None);
    const auto changed = [&](auto change) {
      Layer after = before;
      Matrix* matrix = change(after);
      if (!matrix || matrix->size() == 0) return;
      float& number = (*matrix)(0, 0);
      number = std::isfinite(number) ? number + 1 : 0;
      CHECK(departure_from(before, after) == Departure::Inputs);
      ++compared;
    };
    const auto last = [](std::vector<Matrix>& matrices) {
      return matrices.empty() ? nullptr : &matrices.back();
    };
    changed([&](Layer& m) { return last(m.embeddings); });
    changed([&](Layer& m) { return last(m.key_embeddings); });
    for (std::size_t i = 0; i < 3; ++i)
      changed([&](Layer& m) { return last(m.given[i]); });
    changed([&](Layer& m) { return last(m.given_weights.matrices); });
    changed([&](Layer& m) { return last(m.score_bias.matrices); });
  }
  CHECK(compared > 100);
}
