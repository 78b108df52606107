// Guesses on the picture: bars are drawn, cells marked and words chosen by mouse and keyboard; what is right
// moves in over the guess, once, and nothing is lost or counted twice.
#include "app/ui/lesson/guess_box.h"

#include <chrono>
#include <set>
#include <thread>

#include <imgui_internal.h>

#include "app/lesson_text/answer_file.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/lesson/judging.h"
#include "app/ui/lesson/lesson_progress.h"
#include "app/ui/main_window/saved_answers.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/focus_ring.h"
#include "app/ui/widgets/marks.h"
#include "tests/support/catch.h"
#include "tests/ui/support/judged.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

// The causal mask goes: the second row, 2 open cells of 6, is shared among six tokens.
LessonQuestion asked() {
  LessonQuestion question;
  question.text = "Where will the bars be?";
  question.replies = {"Yes: {now weights[1,0]}.", "No: {now weights[1,0]}."};
  question.change.emplace();
  question.change->settings.mask = MaskKind::None;
  return question;
}

LessonQuestion bars() {
  LessonQuestion question = asked();
  question.bars = AskedBars{"{weights[1]}", {0, 1, 2, 3, 4, 5}, 0, 1, 0.05, {}};
  question.wrong = {"{if guess[0] > 0.9}1{else}0{end}"};
  question.replies.push_back("Not so much.");
  return question;
}

LessonQuestion cells() {
  LessonQuestion question = asked();
  question.marks = AskedMarks{Stage::Weights, 0, 0, {0, 1, 5}, {0, 1, 2, 3, 4, 5}, {RightIf::Changed, 0}};
  return question;
}

LessonQuestion word() {
  LessonQuestion question = asked();
  question.word = AskedWord{"{weights[1]}", {RightIf::Largest, 0}};
  return question;
}

Session asking(std::vector<LessonQuestion> questions) {
  Session session = lesson_session("16-causal-mask");
  session.lesson->steps.clear();
  for (LessonQuestion& question : questions) {
    LessonStep step;
    step.title = "Step " + std::to_string(session.lesson->steps.size() + 1);
    step.text = "Words.";
    step.stage = Stage::Weights;
    step.rows = {1};
    step.question = std::move(question);
    session.lesson->steps.push_back(std::move(step));
  }
  session.layer.attention.mask = MaskKind::Causal;
  return session;
}

struct GuessBench {
  WorkbenchState state;
  std::string answers;  // as they would be saved
  PanelFixture fixture;

  explicit GuessBench(const Session& session, WindowMemory memory = {})
      : fixture(session, [this](UiContext& ui) { draw(ui); }, {1600, 1000}) {
    state.memory = std::move(memory);
    state.lesson.entries = {{"16.headlight", "16", session.title, "", "", session.lesson->order}};
    state.lesson.guide = begin_guide(session);
    robot().frames(20);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());
    workbench(ui, state);
    follow_focus(ui, state.focus);
    answers = answers_text(ui, state);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  LessonGuide& guide() { return state.lesson.guide; }
  void click(const std::string& name) {
    robot().click(name);
    robot().frames(6);
  }
  std::string value(const std::string& name) { return robot().value(name); }
  bool shows(const std::string& name) { return robot().shows(name); }
  void settle() {
    headlight_test::frames_until_judged(robot(), state);
    for (int i = 0; i < 60; ++i)
      robot().frames(2);
  }
  // Drags a bar to a share of its height.
  void draw_bar(int bar, float share) {
    const Rect slot = robot().widget("lesson.bar." + std::to_string(bar)).rect;
    const auto x = static_cast<float>(slot.x + slot.width / 2);
    robot().stroke({x, static_cast<float>(slot.bottom()) - 3},
                   {x, static_cast<float>(slot.bottom() - double{share} * slot.height)});
    robot().frames(2);
  }
  // Moves the focus ring to the control.
  void tab_to(const std::string& name) {
    for (int i = 0; i < 400 && state.focus.at != name; ++i)
      robot().key(Key::Tab);
    REQUIRE(state.focus.at == name);
    robot().frames(2);
  }
};

}  // namespace

TEST_CASE("guess: a cell is chosen in the picture, as often as wanted, and given with See it") {
  LessonQuestion question = asked();
  question.cell = AskedCell{Stage::Weights, 0, {3, 4}};
  Session session = asking({question});
  session.lesson->steps[0].selected = {0, 0};
  GuessBench bench(session);
  CHECK_FALSE(bench.fixture.view().selection.cell);  // the cell of the step could not be chosen else
  const auto click_cell = [&](double row, double column) {
    const Rect picture = bench.robot().widget("focus.weights.h0").rect;
    bench.robot().click_at({static_cast<float>(picture.x + picture.width * (column + 0.5) / 6),
                            static_cast<float>(picture.y + picture.height * (row + 0.5) / 6)});
    bench.robot().frames(6);
  };
  CHECK_FALSE(bench.shows("lesson.guess.give"));
  click_cell(0, 0);
  CHECK(bench.value("lesson.note") == "You chose Your (0), Your (0).");
  click_cell(3, 4);
  CHECK(bench.value("lesson.note") == "You chose with (3), one (4).");
  CHECK(bench.guide().answers.empty());
  CHECK(bench.fixture.commands().empty());
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
  CHECK(bench.value("lesson.note") == "You clicked with (3), one (4).");
  CHECK(bench.guide().outcomes.at(0) == true);
  CHECK(bench.value("lesson.legend.right") == "1 right");
  CHECK_FALSE(bench.shows("lesson.legend.missed"));
  click_cell(1, 1);
  CHECK(bench.value("lesson.note") == "You clicked with (3), one (4).");  // given is given
}

TEST_CASE("guess: of a wrong cell the legend says that it is, and that the right one was missed") {
  LessonQuestion question = asked();
  question.cell = AskedCell{Stage::Weights, 0, {3, 4}};
  GuessBench bench(asking({question}));
  const Rect picture = bench.robot().widget("focus.weights.h0").rect;
  bench.robot().click_at({static_cast<float>(picture.x + 5), static_cast<float>(picture.y + 5)});
  bench.robot().frames(4);
  CHECK_FALSE(bench.shows("lesson.legend.wrong"));
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.value("lesson.legend.wrong") == "1 wrong");
  CHECK(bench.value("lesson.legend.missed") == "1 missed");
}

TEST_CASE("guess: right, wrong and missed cells have forms of their own, and the legend counts them") {
  GuessBench bench(asking({cells()}));
  bench.click("lesson.mark.0.1");  // the mask goes: that moves
  bench.click("lesson.mark.0.2");
  bench.click("lesson.mark.2.3");  // of the last row nothing does
  CHECK_FALSE(bench.shows("lesson.legend.right"));
  CHECK(bench.guide().answers.empty());
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.value("lesson.mark.0.1") == "marked, right");
  CHECK(bench.value("lesson.mark.2.3") == "marked, wrong");
  CHECK(bench.value("lesson.mark.1.0") == "missed");
  CHECK(bench.value("lesson.mark.2.0").empty());
  CHECK(bench.value("lesson.legend.right") == "2 right");
  CHECK(bench.value("lesson.legend.wrong") == "1 wrong");
  CHECK(bench.value("lesson.legend.missed") == "10 missed");
  CHECK_FALSE(outcome_mark(false, false));
  std::set<Mark> marks;
  for (const auto& [guessed, right] : {std::pair{true, true}, {true, false}, {false, true}})
    marks.insert(*outcome_mark(guessed, right));
  CHECK(marks.size() == 3);
}

TEST_CASE("guess: bars of a row stand on that row in the large picture, as wide as its cells") {
  GuessBench bench(asking({bars()}));
  CHECK_FALSE(bench.shows("lesson.guess.picture"));  // not in a small field as well
  const Rect picture = bench.robot().widget("focus.weights.h0").rect;
  const Rect row = bench.robot().widget("lesson.guess.row").rect;
  CHECK(row.bottom() <= picture.bottom() + 2);
  CHECK_THAT(row.height, headlight_test::WithinAbs(picture.height / 6, 2));
  for (int bar = 0; bar < 6; ++bar) {
    const Rect slot = bench.robot().widget("lesson.bar." + std::to_string(bar)).rect;
    CHECK(slot.height >= 240);
    CHECK(slot.bottom() <= row.y);
    CHECK(slot.bottom() >= row.y - 16);
    const double middle = picture.x + picture.width * (bar + 0.5) / 6;
    CHECK_THAT(slot.x + slot.width / 2, headlight_test::WithinAbs(middle, 2));
  }
  bench.click("lesson.guess.give");
  bench.settle();
  bench.click("lesson.guess.whole");  // the picture can be seen again, and the guess is not lost
  CHECK_FALSE(bench.shows("lesson.guess.row"));
  CHECK(bench.shows("lesson.guess.picture"));
  CHECK(bench.shows("lesson.bar.0"));
}

TEST_CASE("guess: what See it does runs along the strip, after the number and before the cells") {
  LessonQuestion question = cells();
  question.change = LessonChange{};
  question.change->numbers = {{std::nullopt, 5, 0, 3.0f}};
  GuessBench bench(asking({question}));
  CHECK(bench.value("lesson.change") == "step · 0.05 → 3");
  bench.robot().click("lesson.guess.give");
  std::set<std::string> lit, numbers;
  for (int i = 0; i < 400 && (lit.empty() || bench.fixture.view().lesson.answer_run); ++i) {
    headlight_test::frames_until_judged(bench.robot(), bench.state);
    bench.robot().frames(1);
    numbers.insert(bench.value("lesson.change"));
    for (const char* const stage : {"embeddings", "queries", "scores", "masked", "weights"})
      if (bench.shows(std::string("strip.light.") + stage)) lit.insert(stage);
  }
  CHECK(lit.contains("embeddings"));
  CHECK(lit.contains("weights"));
  CHECK(numbers.size() > 3);  // it counts
  CHECK(bench.value("lesson.change") == "step · 0.05 → 3");
  CHECK_FALSE(bench.shows("strip.light.weights"));
}

namespace {

// The first number of “step” becomes 3.
LessonQuestion of_one_number() {
  LessonQuestion question = cells();
  question.change = LessonChange{};
  question.change->numbers = {{std::nullopt, 5, 0, 3.0f}};
  return question;
}

float first_of_step(const GuessBench& bench) {
  return bench.fixture.layer().embeddings[0](5, 0);
}

}  // namespace

TEST_CASE("chip: what a question supposes is on the line of words, and its word is underlined") {
  GuessBench bench(asking({of_one_number()}));
  const Rect chip = bench.robot().widget("lesson.change").rect;
  const Rect word = bench.robot().widget("line.word.5").rect;
  CHECK(chip.y >= word.y - 1);
  CHECK(chip.bottom() <= word.bottom() + 1);
  CHECK(chip.x > word.right());
  CHECK(bench.robot().widget("lesson.change").in_sight);
  CHECK_THAT(bench.robot().widget("line.supposed.5").rect.width, headlight_test::WithinAbs(word.width, 1));
  CHECK_FALSE(bench.shows("line.supposed.4"));
  CHECK_FALSE(bench.shows("lesson.change.number"));  // the guess is about this number
  bench.state.presenting = true;                     // without a line of words it is above the picture
  bench.robot().frames(3);
  CHECK(bench.robot().widget("lesson.change").in_sight);
  CHECK(bench.robot().widget("lesson.change").rect.bottom() <= bench.robot().widget("focus.area").rect.y);
}

TEST_CASE("chip: once the guess is given its number is dragged and typed, and left with the step") {
  GuessBench bench(asking({of_one_number(), cells()}));
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(first_of_step(bench) == 3);
  bench.robot().drag("lesson.change.number", -50);
  bench.settle();
  CHECK_THAT(double{first_of_step(bench)}, headlight_test::WithinAbs(3 - 50 * 2.95 / 100, 0.02));
  const std::string dragged = bench.value("lesson.change");
  CHECK(dragged.starts_with("step · 0.05 → 1.5"));
  bench.fixture.document().undo();  // the whole drag
  bench.settle();
  CHECK(first_of_step(bench) == 3);
  bench.click("lesson.change.number");
  bench.robot().type("0,5");
  bench.robot().key(Key::Enter);
  bench.settle();
  CHECK(first_of_step(bench) == 0.5f);
  CHECK(bench.value("lesson.change") == "step · 0.05 → 0.5");
  bench.click("lesson.next");
  CHECK(first_of_step(bench) == 0.05f);
  CHECK(bench.value("lesson.change") == "mask · causal → none");
  bench.fixture.document().undo();  // back to the step, as it was left
  bench.settle();
  CHECK(first_of_step(bench) == 0.5f);
  CHECK(bench.value("lesson.change") == "step · 0.05 → 0.5");
  CHECK(bench.shows("lesson.change.number"));
}

TEST_CASE("guess: bars begin at the present numbers, are dragged, and the right ones move in over them") {
  GuessBench bench(asking({bars()}));
  CHECK(bench.value("lesson.bar.2") == "0.00");  // masked as the step opens
  bench.draw_bar(2, 0.5f);
  CHECK_THAT(std::stod(bench.value("lesson.bar.2")), headlight_test::WithinAbs(0.5, 0.03));
  CHECK(bench.fixture.commands().empty());
  const float drawn = std::stof(bench.value("lesson.bar.2"));
  bench.robot().click("lesson.guess.give");
  bench.robot().frames(3);
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);  // what is asked for is done at once
  CHECK(bench.fixture.commands().size() == 1);
  bench.settle();
  CHECK(bench.value("lesson.bar.2").starts_with(std::to_string(drawn).substr(0, 4) + ", right 0."));
  CHECK(bench.value("lesson.reply").starts_with("No: 0."));
  CHECK_FALSE(bench.shows("lesson.guess.give"));
  const auto& given = bench.guide().answers.at(0);
  REQUIRE(given.truth);
  CHECK_FALSE(given.judged->right);
  // The reply stands above the question, in sight.
  CHECK(bench.robot().widget("lesson.reply").rect.y < bench.robot().widget("lesson.question").rect.y);
  CHECK(bench.robot().widget("lesson.reply").in_sight);
}

TEST_CASE("guess: an answer of an earlier start is judged by the model of its own step") {
  Session session = asking({cells(), cells()});
  LessonStep& before = session.lesson->steps.front();
  before.question.reset();
  before.settings.mask = MaskKind::None;  // what the question of the second step asks about is done already
  const LessonQuestion question = *session.lesson->steps[1].question;
  GivenAnswer right;
  right.guess = Matrix::Zero(3, 6);
  right.guess.topRows(2).setOnes();
  WindowMemory memory;
  memory.answers["16/1"] = with_outcome(earlier_answer(question, right), true);
  GuessBench bench(session, std::move(memory));
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
  bench.click("lesson.next");
  bench.settle();
  REQUIRE(bench.guide().answers.contains(1));
  REQUIRE(bench.guide().answers.at(1).judged);
  CHECK(bench.guide().answers.at(1).judged->right);
}

TEST_CASE("guess: the right answer moves in within half a second, or at once without motion") {
  for (const bool motion : {true, false}) {
    GuessBench bench(asking({bars()}));
    bench.fixture.preferences().motion = motion;
    bench.robot().frames(2);
    bench.click("lesson.guess.give");
    headlight_test::frames_until(bench.robot(), [&] {
      return bench.guide().revealed_at || bench.value("lesson.bar.0").find("right") != std::string::npos;
    });
    bench.robot().frames(2);
    if (motion) {
      REQUIRE(bench.guide().revealed_at);
      CHECK(bench.fixture.wakes_within());
      CHECK(bench.fixture.view().lesson.fading);
    }
    bench.settle();
    CHECK_FALSE(bench.fixture.view().lesson.fading);
    CHECK(bench.value("lesson.bar.0").find("right") != std::string::npos);
  }
}

TEST_CASE("guess: the first Tab leads to the bars that are asked for, and the arrow keys reach zero") {
  GuessBench bench(asking({bars()}));
  bench.robot().frames(4);
  bench.robot().key(Key::Tab);
  bench.robot().frames(2);
  CHECK(bench.state.focus.at == "lesson.bar.0");
  bench.robot().key(Key::Home);
  bench.robot().key(Key::Up);
  bench.robot().key(Key::Down);
  bench.robot().frames(2);
  CHECK(bench.value("lesson.bar.0") == "0.00");
}

TEST_CASE("guess: the arrow keys change a bar, and lead from bar to bar") {
  GuessBench bench(asking({bars()}));
  bench.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 1};
  bench.robot().frames(4);
  bench.tab_to("lesson.bar.0");
  const double before = std::stod(bench.value("lesson.bar.0"));
  bench.robot().key(Key::Up);
  bench.robot().frames(2);
  CHECK_THAT(std::stod(bench.value("lesson.bar.0")), headlight_test::WithinAbs(before + 0.02, 0.011));
  bench.robot().key(Key::Right);
  bench.robot().frames(2);
  CHECK(bench.state.focus.at == "lesson.bar.1");
  bench.robot().key(Key::End);
  bench.robot().frames(2);
  CHECK(bench.value("lesson.bar.1") == "1.00");
  CHECK(bench.fixture.view().selection.cell ==
        CellAddress{Stage::Weights, 0, 0, 1, 1});  // pictures do not follow
  bench.tab_to("lesson.guess.give");
  bench.robot().key(Key::Space);
  bench.robot().frames(6);
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
}

TEST_CASE("guess: a wrong guess is answered by its own reply, a right one by the first") {
  {
    GuessBench wrong(asking({bars()}));
    wrong.draw_bar(0, 0.99f);
    wrong.click("lesson.guess.give");
    wrong.settle();
    CHECK(wrong.value("lesson.reply") == "Not so much.");
    CHECK(wrong.guide().outcomes.at(0) == false);
  }
  GuessBench right(asking({bars()}));
  Layer open = right.fixture.layer();
  open.attention.mask = MaskKind::None;
  right.guide().drafts[0] = evaluate(open).matrix(Stage::Weights, 0, 0).row(1);
  right.robot().frames(2);
  right.click("lesson.guess.give");
  right.settle();
  CHECK(right.value("lesson.reply").starts_with("Yes: 0."));
  CHECK(right.guide().outcomes.at(0) == true);
}

TEST_CASE("guess: cells are marked in the grid, by whole lines, and in the picture") {
  GuessBench bench(asking({cells()}));
  bench.click("lesson.mark.0.1");
  CHECK(bench.value("lesson.mark.0.1") == "marked");
  bench.click("lesson.mark.0.1");
  CHECK(bench.value("lesson.mark.0.1").empty());
  bench.click("lesson.mark.row.1");
  CHECK(bench.value("lesson.mark.1.5") == "marked");
  const Rect picture = bench.robot().widget("focus.weights.h0").rect;
  bench.robot().click_at({static_cast<float>(picture.x + picture.width * 2.5 / 6),
                          static_cast<float>(picture.y + picture.height * 0.5 / 6)});
  bench.robot().frames(6);
  CHECK(bench.value("lesson.mark.0.2") == "marked");
  CHECK_FALSE(bench.fixture.view().selection.cell);
  bench.click("lesson.mark.row.0");
  CHECK(bench.value("lesson.mark.0.5") == "marked");
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.value("lesson.mark.0.5") == "marked, right");
  CHECK_FALSE(bench.shows("lesson.mark.3.0"));  // the grid counts the rows that are offered
}

TEST_CASE("guess: a word is chosen by its button or by its cell in the picture, and given with See it") {
  for (const bool in_picture : {false, true}) {
    GuessBench bench(asking({word()}));
    CHECK_FALSE(bench.shows("lesson.guess.give"));  // there is nothing to give yet
    bench.click("lesson.word.0");
    CHECK(bench.value("lesson.word.0").starts_with("chosen: "));
    if (in_picture) {
      const Rect picture = bench.robot().widget("focus.weights.h0").rect;
      bench.robot().click_at({static_cast<float>(picture.x + picture.width * 1.5 / 6),
                              static_cast<float>(picture.y + picture.height * 1.5 / 6)});
      bench.robot().frames(6);
    } else {
      bench.click("lesson.word.1");
    }
    bench.settle();
    CHECK(bench.guide().answers.empty());  // what is chosen can be changed
    CHECK(bench.fixture.commands().empty());
    CHECK_FALSE(bench.value("lesson.word.0").starts_with("chosen: "));
    CHECK(bench.value("lesson.word.1").starts_with("chosen: journey"));
    bench.click("lesson.guess.give");
    bench.settle();
    CHECK(bench.value("lesson.word.1").starts_with("chosen: journey"));
    CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
    CHECK(bench.shows("lesson.reply"));
  }
}

TEST_CASE("guess: a word whose numbers stand down a column is chosen by its row, which is marked") {
  GuessBench bench(lesson_session("26-what-a-mask-changes"));
  CHECK(bench.value("lesson.note") == "Choose a word, here or by its row in the picture, then press See it.");
  const Rect picture = bench.robot().widget("focus.output.h0").rect;
  bench.robot().click_at({static_cast<float>(picture.x + picture.width * 2.5 / 3),
                          static_cast<float>(picture.y + picture.height * 4.5 / 5)});
  bench.robot().frames(6);
  CHECK(bench.value("lesson.word.4").starts_with("chosen: roof"));
  CHECK(bench.fixture.view().lesson.spotlight->rows == std::vector<Index>{4});
}

TEST_CASE("guess: a word's question has a legend as the others have") {
  GuessBench bench(asking({word()}));
  bench.click("lesson.word.5");  // the first word has most
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.value("lesson.legend.wrong") == "1 wrong");
  CHECK(bench.value("lesson.legend.missed") == "1 missed");
  CHECK_FALSE(bench.shows("lesson.legend.right"));
}

TEST_CASE("guess: an answer of an earlier start that was tried has its reply, its picture and its question") {
  LessonQuestion choice = asked();
  choice.text = "It is {weights[1,0]}. What will it do?";
  choice.answers = {"Grow", "Shrink"};
  choice.right = 1;
  for (LessonQuestion question : {cells(), choice}) {
    question.text = "It is {weights[1,0]}. What will it do?";
    WindowMemory memory;
    GivenAnswer answer;
    answer.choice = 1;
    answer.guess = Matrix::Ones(3, 6);
    memory.answers["16/0"] = with_outcome(earlier_answer(question, answer), !question.has_shape());
    Session session = asking({question, cells()});
    if (!question.has_shape()) session.lesson->steps[0].try_it = "Turn the mask off.";
    GuessBench bench(session, std::move(memory));
    bench.settle();
    CHECK(bench.value("lesson.question").starts_with("It is 0."));
    CHECK_FALSE(bench.shows("lesson.do"));
    CHECK(bench.value("lesson.reply").starts_with("No: 0."));
    CHECK(bench.fixture.layer().attention.mask == MaskKind::None);  // what the reply speaks of
    CHECK_FALSE(bench.fixture.view().lesson.fading);                // it does not move in again
    CHECK_FALSE(bench.fixture.document().can_undo());
    // The question is about the layer without the change.
    const float before = evaluate(session.layer).matrix(Stage::Weights, 0, 0)(1, 0);
    CHECK_THAT(std::stod(bench.value("lesson.question").substr(6)),
               headlight_test::WithinAbs(double{before}, 1e-4));
    bench.click("lesson.next");
    CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
  }
}

TEST_CASE("guess: a question is asked of its step's settings, whatever was set by hand before") {
  Session session = asking({cells(), cells()});
  session.lesson->steps[0].question.reset();
  GuessBench bench(session);
  AttentionSettings own = bench.fixture.layer().attention;
  own.dropout.probability = 0.3;
  own.scale = {ScaleKind::Number, 4};
  bench.fixture.document().run(SetAttention{own});
  bench.fixture.document().run(
      SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  bench.robot().frames(6);
  bench.click("lesson.next");
  CHECK(bench.fixture.layer().attention == session.layer.attention);
  CHECK(bench.fixture.layer().embeddings[0](1, 0) == 3);  // numbers are the reader's
}

TEST_CASE("guess: nothing is lost when a step is left, nothing is counted twice") {
  WindowMemory memory;
  std::string drawn;
  {
    GuessBench bench(asking({bars(), word()}));
    bench.draw_bar(2, 0.5f);
    drawn = bench.value("lesson.bar.2");
    bench.click("lesson.next");
    CHECK(bench.shows("lesson.word.0"));
    bench.click("lesson.back");
    CHECK(bench.value("lesson.bar.2") == drawn);
    bench.click("lesson.guess.give");
    bench.settle();
    const std::string answered = bench.value("lesson.bar.2");
    bench.fixture.document().undo();
    bench.settle();
    CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
    CHECK(bench.value("lesson.bar.2") == answered);
    bench.fixture.document().redo();
    bench.settle();
    CHECK(bench.value("lesson.bar.2") == answered);
    bench.click("lesson.next");
    CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);  // the change belongs to its step
    bench.click("lesson.back");
    CHECK(bench.value("lesson.bar.2") == answered);
    CHECK_FALSE(bench.fixture.view().lesson.fading);
    CHECK(bench.guide().outcomes.size() == 1);
    CHECK(bench.state.memory.answers.at("16/0").ends_with(" wrong"));
    bench.click("lesson.next");
    bench.click("lesson.word.1");
    bench.click("lesson.guess.give");
    bench.settle();
    CHECK(bench.guide().outcomes.size() == 2);
    const LessonEntry& entry = bench.state.lesson.entries[0];
    CHECK(guessed_words(bench.state.memory, entry).ends_with("of 2 questions answered rightly"));
    memory = bench.state.memory;
  }
  GuessBench later(asking({bars(), word()}), memory);
  CHECK(later.value("lesson.bar.2").starts_with(drawn + ", right 0."));  // with its verdict
  CHECK(later.guide().outcomes.size() == 2);
}

TEST_CASE("guess: answers are saved as a file that can be compared") {
  GuessBench bench(asking({bars(), word()}));
  CHECK(bench.answers.empty());
  bench.click("lesson.guess.give");
  bench.settle();
  const AnswerFile file = parse_answer_file(bench.answers, "Ann");
  CHECK(file.name == "Ann");
  REQUIRE(file.answers.size() == 1);
  CHECK(file.answers[0].question == "Where will the bars be?");
  CHECK(file.answers[0].labels.size() == 6);
  CHECK(file.answers[0].right.size() == 6);
  CHECK(file.answers[0].is_right == false);
}

TEST_CASE("guess: what was guessed and is gone is not shown, and the answer is kept") {
  GuessBench bench(asking({bars()}));
  bench.draw_bar(2, 0.5f);
  bench.fixture.document().run(RemoveToken{5});
  bench.robot().frames(8);
  CHECK_FALSE(bench.shows("lesson.bar.5"));
  bench.fixture.document().undo();
  bench.robot().frames(8);
  CHECK_THAT(std::stod(bench.value("lesson.bar.2")), headlight_test::WithinAbs(0.5, 0.03));
  bench.fixture.document().run(RemoveToken{5});
  bench.robot().frames(8);
  bench.click("lesson.guess.give");  // with a bar fewer than the question names
  bench.settle();
  CHECK(bench.shows("lesson.reply"));
}

TEST_CASE("guess plan: slots stay within their room, and numbers meet their heights") {
  for (const float width : {1.0f, 40.0f, 200.0f, 336.0f, 4000.0f})
    for (const float px : {0.5f, 1.0f, 3.0f}) {
      const GuessRoom room = {width, 14 * px, px};
      const GuessPlan drawn = plan_bars(16, -1, 3, room);
      REQUIRE(drawn.slots.size() == 16);
      for (const Rect& slot : drawn.slots)
        CHECK(slot.right() <= std::max(double{width}, 17.0) + 0.5);
      for (const double number : {-1.0, 0.0, 2.5, 3.0})
        CHECK_THAT(drawn.number_at(drawn.y_of(number)), headlight_test::WithinAbs(number, 1e-6));
      CHECK(drawn.y_of(99) == drawn.y_of(3));
      const GuessPlan grid = plan_cells(12, 12, std::vector<float>(12, 90 * px), room);
      REQUIRE(grid.slots.size() == 144);
      CHECK(grid.slots.back().bottom() <= double{grid.height});
      const GuessPlan words = plan_words({30, 500, 60}, room);
      for (const Rect& slot : words.slots) {
        CHECK(slot.right() <= double{width} + 0.5);
        CHECK(slot.bottom() <= double{words.height} + 0.5);
      }
    }
}

TEST_CASE("guess: neither the guess nor what it is compared with follows what happens to the model") {
  GuessBench bench(asking({bars()}));
  const std::string asked = bench.value("lesson.bar.1");
  Layer changed = bench.fixture.layer();
  changed.attention.mask = MaskKind::None;
  bench.fixture.document().run(ReplaceLayer{std::make_shared<Layer>(changed), "Something else"});
  bench.robot().frames(10);
  CHECK(bench.value("lesson.bar.1") == asked);
  bench.click("lesson.guess.give");
  bench.settle();
  REQUIRE(bench.guide().answers.at(0).truth);
  // The change takes the mask away: of the layer that was asked about it shares the row among six tokens.
  CHECK(bench.value("lesson.bar.1").starts_with(asked + ", right "));
  CHECK(bench.guide().answers.at(0).truth->row(0).minCoeff() > 0.1f);
}

TEST_CASE("guess: cells are marked over the picture of the asked stage, whatever stage the step shows") {
  Session session = asking({cells()});
  session.lesson->steps[0].stage = Stage::Masked;
  GuessBench bench(session);
  CHECK(bench.fixture.view().focused_stage == Stage::Weights);
  const Rect picture = bench.robot().widget("focus.weights.h0").rect;
  const Rect cell = bench.robot().widget("lesson.mark.1.2").rect;
  CHECK(cell.x >= picture.x + picture.width * 2 / 6 - 2);
  CHECK(cell.right() <= picture.x + picture.width * 3 / 6 + 2);
  CHECK_FALSE(bench.shows("lesson.guess.picture"));
}

TEST_CASE("guess: a number is typed, and kept between its ends") {
  LessonQuestion question;
  question.text = "How much?";
  question.number = AskedNumber{"{weights[1,0]}", 0, 1};
  question.replies = {"Yes.", "No."};
  GuessBench bench(asking({question}));
  bench.robot().click("lesson.guess.typed");
  bench.robot().type("0.3");
  bench.robot().key(Key::Enter);
  bench.robot().frames(3);
  CHECK(bench.value("lesson.guess") == "0.30");
  bench.robot().click("lesson.guess.typed");
  bench.robot().type("7");
  bench.robot().key(Key::Enter);
  bench.robot().frames(3);
  CHECK(bench.value("lesson.guess") == "1.00");
  bench.click("lesson.guess.give");
  CHECK(bench.guide().answers.at(0).number == 1);
}

TEST_CASE("guess: Learn waits for the guess about what it does, or for Skip") {
  Session session = lesson_session("36-a-head-learns-to-look-back");
  GuessBench bench(session);
  bench.guide().wanted = 1;
  bench.robot().frames(10);
  REQUIRE(bench.shows("learning.learn"));
  CHECK_FALSE(bench.robot().widget("learning.learn").enabled);
  CHECK_FALSE(bench.robot().widget("learning.step").enabled);
  CHECK(bench.robot().value("learning.state") == "first your guess, or skip the question");
  bench.robot().wheel("lesson.text", -20);
  bench.robot().frames(3);
  bench.click("lesson.guess.skip");
  CHECK(bench.robot().widget("learning.step").enabled);
  CHECK_FALSE(bench.robot().shows("learning.state"));
  CHECK(bench.guide().answers.empty());
}

TEST_CASE("guess: after Restore training counts from 0 again, whatever was changed before it") {
  GuessBench bench(lesson_session("36-a-head-learns-to-look-back"));
  bench.guide().wanted = 1;
  bench.robot().frames(10);
  bench.guide().skips = true;
  const LearningRun& run = bench.state.learning.training.run;
  const auto step_until = [&](Index count) {
    for (int i = 0; i < 2000 && !(run.report() && run.report()->step == count); ++i) {
      bench.robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(run.report());
    CHECK(run.report()->step == count);
  };
  bench.fixture.document().run(
      SetCells{{InputKind::Weight, 0, Parameter::Query}, 0, 0, Matrix::Constant(1, 1, 0.5f), 0});
  bench.robot().frames(4);
  for (Index step = 1; step <= 3; ++step) {
    bench.click("learning.step");
    step_until(step);
  }
  bench.robot().frames(4);
  REQUIRE(bench.fixture.document().session().training);
  CHECK(bench.fixture.document().session().training->steps == 3);
  bench.click("lesson.restore");
  bench.robot().frames(4);
  CHECK_FALSE(run.report());
  CHECK(bench.fixture.document().session().training == bench.guide().opened_training);
  bench.click("learning.step");
  step_until(1);
}

TEST_CASE("guess: undo takes back what See it did, then what the step has set up, with the step") {
  Session session = asking({cells(), cells()});
  session.lesson->steps[1].settings.mask = MaskKind::Causal;
  session.lesson->steps[1].settings.scale = Scale{ScaleKind::None, 1};
  GuessBench bench(session);
  Document& document = bench.fixture.document();
  bench.click("lesson.next");
  REQUIRE(bench.fixture.layer().attention.scale.kind == ScaleKind::None);
  CHECK(document.undo_name() == "Settings of step 2");
  document.undo();
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().attention.scale.kind != ScaleKind::None);
  CHECK(bench.value("lesson.step").starts_with("1 of"));
  document.redo();
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().attention.scale.kind == ScaleKind::None);
  CHECK(bench.value("lesson.step").starts_with("2 of"));
  bench.click("lesson.guess.give");
  bench.settle();
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
  REQUIRE(document.can_undo());
  document.undo();
  bench.robot().frames(4);
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
  CHECK(document.undo_name() == "Settings of step 2");
  CHECK(document.can_redo());
}
