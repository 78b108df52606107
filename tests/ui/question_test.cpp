// The question of a lesson's step in the window: guesses, the change to try, replies, and the stored answers.
#include "app/ui/lesson/question_box.h"

#include <map>

#include <imgui_internal.h>

#include "app/lesson_text/answer_file.h"
#include "app/ui/main_window/saved_answers.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/focus_ring.h"
#include "tests/support/catch.h"
#include "tests/ui/support/judged.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

LessonQuestion choice() {
  LessonQuestion question;
  question.text = "What will {weights[1,0]} do when the mask goes?";
  question.answers = {"It grows", "It shrinks"};
  question.right = 1;
  question.replies = {"Grown it has not: {now weights[1,0]}.", "It shrank: {now weights[1,0]}."};
  question.change.emplace();
  question.change->settings.mask = MaskKind::None;
  return question;
}

Session asking(LessonQuestion question, const std::string& try_it = "Turn the mask off.") {
  Session session = lesson_session("16-causal-mask");
  LessonStep step;
  step.title = "A step";
  step.text = "Words.";
  step.try_it = try_it;
  step.question = std::move(question);
  session.lesson->steps = {step, step};
  session.layer.attention.mask = MaskKind::Causal;
  return session;
}

struct QuestionBench {
  WorkbenchState state;
  std::string answers;  // as they would be saved
  PanelFixture fixture;

  explicit QuestionBench(Session session, WindowMemory memory = {})
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
  LessonGuide& guide() { return state.lesson.guide; }
  SavedAnswer saved_answer() const { return parse_answer_file(answers, "me").answers.at(0); }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  void click(const std::string& name) {
    robot().click(name);
    robot().frames(6);
    headlight_test::frames_until_judged(robot(), state);
  }
  bool shows(const std::string& name) { return robot().shows(name); }
};

}  // namespace

TEST_CASE("question: first the question, then the try, then the reply that fits the answer") {
  for (const std::size_t answer : {0, 1}) {
    QuestionBench bench(asking(choice()));
    CHECK(bench.robot().value("lesson.question").find("do when the mask goes?") != std::string::npos);
    CHECK_FALSE(bench.shows("lesson.try"));
    CHECK_FALSE(bench.shows("lesson.do"));
    bench.click("lesson.answer." + std::to_string(answer));
    CHECK(bench.robot().value("lesson.answer." + std::to_string(answer)).starts_with("chosen: "));
    CHECK(bench.robot().value("lesson.try") == "Turn the mask off.");
    CHECK_FALSE(bench.shows("lesson.reply"));
    const int before = static_cast<int>(bench.fixture.document().revision());
    bench.click("lesson.do");
    CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
    CHECK(static_cast<int>(bench.fixture.document().revision()) == before + 1);
    const std::string reply = bench.robot().value("lesson.reply");
    CHECK(reply.find(answer == 0 ? "Grown it has not: 0." : "It shrank: 0.") == 0);
    CHECK(reply.find(" (at first 0.") != std::string::npos);
    CHECK_FALSE(bench.shows("lesson.do"));
    bench.fixture.document().undo();
    bench.robot().frames(4);
    CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
  }
}

TEST_CASE("question: a reply about the mean of many draws waits for them") {
  Session session = lesson_session("27-what-dropout-does-to-the-mean");
  session.lesson->steps = {session.lesson->steps.back()};
  QuestionBench bench(std::move(session));
  bench.click("lesson.answer.1");
  bench.click("lesson.do");
  CHECK(bench.robot().value("lesson.try").starts_with("Done: training is on now, p is 0.8 now. Then press"));
  CHECK_FALSE(bench.shows("lesson.reply"));
  CHECK_FALSE(bench.shows("lesson.do"));
  bench.click("focus.play");
  CHECK_FALSE(bench.shows("lesson.reply"));  // a few draws say nothing
  for (int i = 0; i < 600 && !bench.shows("lesson.reply"); ++i)
    bench.robot().frames(1);
  CHECK(bench.robot().value("lesson.reply").starts_with("Yes: "));
}

namespace {

// Of the lesson on the loss, which asks what 20 steps of training do.
Session asking_of_training() {
  Session session = lesson_session("34-what-a-loss-is");
  LessonStep step = session.lesson->steps[1];
  session.lesson->steps = {step, step};
  return session;
}

Index steps_trained(QuestionBench& bench) {
  const auto& training = bench.fixture.document().session().training;
  return training ? training->steps : 0;
}

void until_trained(QuestionBench& bench, Index steps) {
  headlight_test::frames_until(bench.robot(), [&] { return steps_trained(bench) >= steps; });
}

void until_replied(QuestionBench& bench) {
  const auto replied = [&] {
    return bench.shows("lesson.reply") &&
           bench.robot().value("lesson.reply").starts_with("So it is: it fell from 1.3695");
  };
  headlight_test::frames_until(bench.robot(), replied);
  CHECK(replied());
}

}  // namespace

TEST_CASE("question: steps of training that the program has taken are the try") {
  QuestionBench bench(asking_of_training());
  bench.click("lesson.answer.0");
  CHECK_FALSE(bench.shows("lesson.reply"));
  bench.click("lesson.do");
  until_replied(bench);
}

TEST_CASE("question: Learn waits for the answer; skipped, it stops at the step that is asked about") {
  QuestionBench bench(asking_of_training());
  CHECK_FALSE(bench.robot().widget("learning.learn").enabled);
  bench.click("lesson.guess.skip");
  bench.click("learning.learn");
  until_trained(bench, 20);
  bench.robot().frames(30);
  CHECK(steps_trained(bench) == 20);
  bench.click("learning.learn");
  until_trained(bench, 25);
  bench.click("learning.learn");  // pause
  bench.robot().frames(10);
  // The verdict is of as many steps as the question, from where it was asked.
  bench.click("lesson.answer.0");
  bench.click("lesson.do");
  until_replied(bench);
  Layer asked = lesson_session("34-what-a-loss-is").layer;
  apply_change(*asking_of_training().lesson->steps[0].question->change, asked);
  CHECK(bench.fixture.layer().weights.matrix(Parameter::Query) == asked.weights.matrix(Parameter::Query));
}

TEST_CASE("question: training that it asks for is taken back with the step, by hand as by Do it") {
  for (const bool by_hand : {false, true}) {
    QuestionBench bench(asking_of_training());
    const Layer own = bench.fixture.layer();
    bench.click("lesson.answer.0");
    bench.click(by_hand ? "learning.learn" : "lesson.do");
    until_replied(bench);
    CHECK(departure_from(own, bench.fixture.layer()) == Departure::Inputs);
    bench.click("lesson.next");
    CHECK(departure_from(own, bench.fixture.layer()) == Departure::None);
    CHECK(steps_trained(bench) == 0);
    CHECK(bench.robot().value("lesson.departure").starts_with("This step begins with the lesson's own"));
  }
}

TEST_CASE("question: Restore, undo and redo to another state ask it again, and drop the guess") {
  for (const bool restores : {false, true}) {
    QuestionBench bench(asking_of_training());
    const std::string own = bench.robot().value("lesson.question");
    CHECK(own.find("the loss 1.3695.") != std::string::npos);
    Document& document = bench.fixture.document();
    document.run(
        SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 3, 0, Matrix::Constant(1, 1, 3.0f), 0});
    bench.robot().frames(6);
    CHECK(bench.robot().value("lesson.question") == own);  // what is changed by hand does not ask it again
    bench.click("lesson.next");
    const std::string other = bench.robot().value("lesson.question");
    CHECK(other != own);
    bench.click("lesson.answer.1");
    if (restores)
      bench.click("lesson.restore");
    else
      document.undo();
    bench.robot().frames(10);
    CHECK(bench.robot().value("lesson.question").find("the loss 1.3695") != std::string::npos);
    CHECK_FALSE(bench.robot().value("lesson.answer.1").starts_with("chosen"));
    CHECK(bench.guide().answers.empty());
    if (restores)
      document.undo();
    else
      document.redo();
    bench.robot().frames(10);
    CHECK(bench.robot().value("lesson.question") == other);
  }
}

TEST_CASE("question: training that plays stops at the step that is asked about, and goes on when asked to") {
  QuestionBench bench(asking_of_training());
  bench.click("lesson.answer.0");
  bench.click("learning.learn");
  until_trained(bench, 20);
  bench.robot().frames(30);
  CHECK(steps_trained(bench) == 20);
  until_replied(bench);
  bench.click("learning.learn");
  until_trained(bench, 25);
  CHECK(steps_trained(bench) >= 25);
}

TEST_CASE("question: what it supposes counts as the try, done by hand too; another answer may be given") {
  QuestionBench bench(asking(choice()));
  bench.click("lesson.answer.0");
  bench.click("lesson.answer.1");
  bench.fixture.document().run(
      SetCells{{InputKind::Embeddings, 0, Parameter::Query}, 1, 0, Matrix::Constant(1, 1, 3.0f), 0});
  bench.robot().frames(6);
  CHECK_FALSE(bench.shows("lesson.reply"));  // another change than the one that is asked about
  AttentionSettings open = bench.fixture.layer().attention;
  open.mask = MaskKind::None;
  bench.fixture.document().run(SetAttention{open});
  bench.robot().frames(6);
  CHECK(bench.robot().value("lesson.reply").starts_with("It shrank: 0."));
  CHECK(bench.saved_answer().is_right == true);
  // Asked again and answered otherwise: what is saved is of the guess that is saved.
  bench.click("lesson.ask_again");
  bench.click("lesson.answer.0");
  bench.click("lesson.do");
  bench.robot().frames(6);
  CHECK(bench.saved_answer().is_right == false);
}

TEST_CASE("question: the number that it asks to change is selected, and Do it is in sight") {
  Session session = lesson_session("26-what-a-mask-changes");
  session.lesson->steps = {session.lesson->steps.back()};
  QuestionBench bench(std::move(session));
  CHECK(bench.robot().value("lesson.question").find("of “roof” in column 1 becomes 3") != std::string::npos);
  bench.click("lesson.answer.1");
  bench.robot().frames(10);
  CHECK(bench.robot().value("lesson.try") == "Type 3 in column 1 of “roof”.");
  CHECK(bench.robot().widget("lesson.do").in_sight);
  CHECK(bench.state.inputs.tokens.grid.selection.row == 4);
  CHECK(bench.state.inputs.tokens.grid.selection.column == 1);
}

TEST_CASE("question: a cell is answered by a click in the large picture") {
  LessonQuestion question;
  question.text = "Which weight of this row is the largest?";
  question.cell = AskedCell{Stage::Weights, 0, {3, 1}};
  question.replies = {"Yes.", "No."};
  for (const bool right : {true, false}) {
    QuestionBench bench(asking(question, ""));
    bench.fixture.view().focused_stage = Stage::Weights;
    bench.robot().frames(4);
    CHECK(bench.robot().value("lesson.note") == "Click the cell in the large picture.");
    const Rect cells = bench.robot().widget("focus.weights.h0").rect;
    const double column = right ? 1.5 : 0.5;
    bench.robot().click_at({static_cast<float>(cells.x + cells.width * column / 6),
                            static_cast<float>(cells.y + cells.height * 3.5 / 6)});
    bench.robot().frames(6);
    bench.click("lesson.guess.give");
    CHECK(bench.robot().value("lesson.note") ==
          (right ? "You clicked with (3), journey (1)." : "You clicked with (3), Your (0)."));
    CHECK(bench.robot().value("lesson.reply") == (right ? "Yes." : "No."));
  }
}

TEST_CASE("question: a chosen answer is saved beside the right one") {
  QuestionBench bench(asking(choice()));
  CHECK(bench.answers.empty());
  bench.click("lesson.answer.0");
  const SavedAnswer saved = bench.saved_answer();
  CHECK(saved.step == 1);
  CHECK_THAT(saved.question, headlight_test::ContainsSubstring("do when the mask goes?"));
  CHECK(saved.kind == AnswerKind::Marks);
  CHECK(saved.labels == std::vector<std::string>{"It grows", "It shrinks"});
  CHECK(saved.guess == std::vector<double>{1, 0});
  CHECK(saved.right == std::vector<double>{0, 1});
}

TEST_CASE("question: a guessed number is saved beside the right one") {
  LessonQuestion number;
  number.text = "How large is it?";
  number.number = AskedNumber{"{weights[0,0]}", 0, 1};
  number.replies = {"Near.", "It is {weights[0,0]}."};
  QuestionBench bench(asking(number, ""));
  bench.click("lesson.guess.give");
  const SavedAnswer saved = bench.saved_answer();
  CHECK(saved.kind == AnswerKind::Numbers);
  CHECK(saved.guess == std::vector<double>{0.5});
  CHECK(saved.right == std::vector<double>{1});
  CHECK(saved.is_right == false);
}

TEST_CASE("question: a clicked cell is saved beside the right one, also the same cell of another head") {
  const auto clicked = [](Index head, Index column) {
    Session session = lesson_session("20-two-heads");
    session.lesson->steps.resize(1);
    LessonQuestion cell;
    cell.text = "Which weight of this row is the largest?";
    cell.cell = AskedCell{Stage::Weights, 0, {3, 1}};
    cell.replies = {"Yes.", "No."};
    session.lesson->steps[0].question = cell;
    session.lesson->steps[0].stage = Stage::Weights;
    QuestionBench bench(session);
    bench.fixture.view().focused_stage = Stage::Weights;
    bench.robot().frames(4);
    const Rect cells = bench.robot().widget("focus.weights.h" + std::to_string(head)).rect;
    const double across = cells.x + cells.width * (static_cast<double>(column) + 0.5) / 6;
    bench.robot().click_at(
        {static_cast<float>(across), static_cast<float>(cells.y + cells.height * 3.5 / 6)});
    bench.robot().frames(6);
    bench.click("lesson.guess.give");
    return bench.saved_answer();
  };
  SavedAnswer saved = clicked(0, 1);
  CHECK(saved.labels == std::vector<std::string>{"weights[3, 1]"});
  CHECK((saved.guess == std::vector<double>{1} && saved.right == std::vector<double>{1}));
  saved = clicked(0, 0);
  CHECK(saved.labels == std::vector<std::string>{"weights[3, 1]", "weights[3, 0]"});
  CHECK((saved.guess == std::vector<double>{0, 1} && saved.right == std::vector<double>{1, 0}));
  saved = clicked(1, 1);
  CHECK(saved.labels == std::vector<std::string>{"weights[3, 1]", "weights[3, 1], head 1"});
  CHECK((saved.guess == std::vector<double>{0, 1} && saved.right == std::vector<double>{1, 0}));
}

TEST_CASE("question: a guess is told beside the number, near or far from it") {
  LessonQuestion question;
  question.text = "How large is it?";
  question.number = AskedNumber{"{weights[0,0]}", 0, 1};  // the first token sees itself alone
  question.replies = {"Near.", "It is {weights[0,0]}."};
  for (const bool near : {true, false}) {
    QuestionBench bench(asking(question, ""));
    CHECK(bench.robot().value("lesson.guess") == "0.50");
    if (near) {
      const Rect slider = bench.robot().widget("lesson.guess").rect;
      bench.robot().click_at({static_cast<float>(slider.right() - 3), static_cast<float>(slider.y + 5)});
      bench.robot().frames(2);
    }
    bench.click("lesson.guess.give");
    CHECK(bench.robot().value("lesson.reply") == (near ? "Near." : "It is 1.0000."));
  }
}

TEST_CASE("question: answers are kept, and taken over at the next start") {
  WindowMemory memory;
  {
    QuestionBench bench(asking(choice()));
    bench.click("lesson.answer.1");
    memory = bench.state.memory;
  }
  CHECK(memory.answers == std::map<std::string, std::string>{{"16/0", "1"}});
  {
    QuestionBench later(asking(choice()), memory);
    CHECK(later.robot().value("lesson.answer.1") == "chosen: It shrinks");
    CHECK(later.shows("lesson.try"));
    CHECK_FALSE(later.shows("lesson.reply"));
  }

  WindowMemory foreign;
  foreign.answers = {{"16/0", "7"}, {"16/1", "a"}, {"99/0", "0"}};
  QuestionBench fresh(asking(choice()), foreign);
  CHECK(fresh.robot().value("lesson.answer.1") == "It shrinks");
}

TEST_CASE("question: answers are written and read as they were, and others are not taken") {
  LessonQuestion chosen = choice(), cell, number;
  cell.cell = AskedCell{Stage::Scores, 1, {2, 3}};
  number.number = AskedNumber{"{scale}", -1, 1};
  const Layer layer = lesson_session("16-causal-mask").layer;
  GivenAnswer clicked, guessed;
  clicked.cell = CellAddress{Stage::Scores, 0, 1, 4, 5};
  guessed.number = -0.25;
  CHECK(earlier_answer(cell, clicked) == "4,5");
  CHECK(answer_from(cell, "4,5", layer)->cell == clicked.cell);
  CHECK(earlier_answer(number, guessed) == "-0.25");
  CHECK(answer_from(number, "-0.25", layer)->number == -0.25);
  for (const char* text : {"", "2", "-1", "x", "0,1", "0x", "nan"})
    CHECK_FALSE(answer_from(chosen, text, layer));
  for (const char* text : {"", "1", "1,2,3", "-1,0", "1,inf"})
    CHECK_FALSE(answer_from(cell, text, layer));
  CHECK(reply_to(cell, clicked, {}) == 1);
  clicked.cell = CellAddress{Stage::Scores, 0, 1, 2, 3};
  CHECK(reply_to(cell, clicked, {}) == 0);
  CHECK_FALSE(reply_to(number, guessed, {}));
  CHECK(reply_to(number, guessed, -0.3) == 0);
  CHECK(reply_to(number, guessed, 0.3) == 1);

  LessonQuestion bars, cells, word;
  bars.bars = AskedBars{"{weights[1]}", {0}, 0, 1, 0.05, {}};
  cells.marks = AskedMarks{Stage::Weights, 0, 0, {0, 1}, {0, 1}, {}};
  word.word = AskedWord{"{weights[1]}", {}};
  GivenAnswer drawn, marked, spoken;
  drawn.guess = Matrix::Constant(1, 6, 0.25f);
  marked.guess = Matrix::Zero(2, 2);
  marked.guess(1, 0) = 1;
  spoken.guess = Matrix::Zero(1, 6);
  spoken.guess(0, 4) = 1;
  CHECK(earlier_answer(bars, drawn) == "0.25,0.25,0.25,0.25,0.25,0.25");
  CHECK(earlier_answer(cells, marked) == "0,0,1,0");
  CHECK(earlier_answer(word, spoken) == "4");
  CHECK(answer_from(bars, "0.25,0.25,0.25,0.25,0.25,0.25 right", layer)->guess == drawn.guess);
  CHECK(answer_from(cells, "0,0,1,0", layer)->guess == marked.guess);
  CHECK(answer_from(word, "4 wrong", layer)->guess == spoken.guess);
  for (const char* text : {"", "1", "0,0,0,0,0,0,0", "x", "6", "-1"}) {
    CHECK_FALSE(answer_from(bars, text, layer));
    if (std::string(text) != "1") CHECK_FALSE(answer_from(word, text, layer));
  }
  CHECK(outcome_of("4 wrong") == false);
  CHECK(outcome_of("0.25,0.3 right") == true);
  CHECK_FALSE(outcome_of("4"));
  CHECK(with_outcome("4", true) == "4 right");
  CHECK(with_outcome("4", {}) == "4");
}

TEST_CASE("sliders: a setting is dragged where the text speaks of it, in one undo step") {
  const auto drag = [](Session session, const std::string& name, float to) {
    QuestionBench bench(std::move(session));
    const Layer before = bench.fixture.layer();
    const Rect slider = bench.robot().widget(name).rect;
    const auto y = static_cast<float>(slider.y + slider.height / 2);
    bench.robot().stroke(
        {static_cast<float>(slider.x + 4), y},
        {static_cast<float>(slider.x + 7 + (slider.width - 14) * to), y});  // without the knob
    bench.robot().frames(6);
    Layer after = bench.fixture.layer();
    bench.fixture.document().undo();
    CHECK_FALSE(bench.fixture.document().can_undo());
    CHECK(before.attention == bench.fixture.layer().attention);
    return after;
  };
  const auto sliding = [](const std::string& text) {
    Session session = lesson_session("20-two-heads");
    session.lesson->steps.resize(1);
    session.lesson->steps[0].text = text;
    session.lesson->steps[0].settings = {};
    return session;
  };
  const Layer scaled = drag(sliding("The scale: {slide scale 0 2}."), "lesson.slider.scale", 0.5f);
  CHECK_THAT(scaled.attention.scale.number, headlight_test::WithinAbs(1, 0.05));
  const Layer dropping = drag(sliding("Drop {slide dropout 0 1}."), "lesson.slider.dropout", 0.25f);
  CHECK_THAT(dropping.attention.dropout.probability, headlight_test::WithinAbs(0.25, 0.02));
  const Layer wide = drag(sliding("Wide {slide d_out 2 16}."), "lesson.slider.d_out", 0.99f);
  CHECK(wide.d_out() == 16);
  CHECK(drag(sliding("Heads {slide heads 1 2}."), "lesson.slider.heads", 0.05f).head_count() == 1);
}

TEST_CASE("sliders: the knob at either end is dragged by all of it") {
  for (const bool high : {false, true}) {
    Session session = lesson_session("20-two-heads");
    session.lesson->steps.resize(1);
    session.lesson->steps[0].text = "The scale {slide scale 0 2}.";
    session.lesson->steps[0].settings = {};
    session.layer.attention.scale = {ScaleKind::Number, high ? 2.0 : 0.0};
    QuestionBench bench(session);
    const Rect slider = bench.robot().widget("lesson.slider.scale").rect;
    const auto y = static_cast<float>(slider.y + slider.height / 2);
    const double outer = high ? slider.right() - 2 : slider.x + 2, inner = slider.x + slider.width / 2;
    bench.robot().stroke({static_cast<float>(outer), y}, {static_cast<float>(inner), y});
    bench.robot().frames(4);
    CHECK_THAT(bench.fixture.layer().attention.scale.number, headlight_test::WithinAbs(1, 0.05));
    CHECK(slider.width >= 92 + 13);  // the knob reaches over both ends of the track
  }
}

TEST_CASE("sliders: the arrow keys go on by a step, Home and End to the ends") {
  struct Slid {
    const char *text, *name;
    double (*value)(const Layer& layer);
    double start, right, back, end;
  };
  const auto width = [](const Layer& layer) { return static_cast<double>(layer.d_out()); };
  const auto heads = [](const Layer& layer) { return static_cast<double>(layer.head_count()); };
  const auto scale = [](const Layer& layer) { return double{layer.scale_factor()}; };
  for (const Slid& slid :
       {Slid{"The scale: {slide scale 0 2}.", "lesson.slider.scale", scale, 0.5, 0.55, 0.5, 2},
        Slid{"Wide {slide d_out 2 16}.", "lesson.slider.d_out", width, 2, 4, 2, 16},
        Slid{"Heads {slide heads 1 2}.", "lesson.slider.heads", heads, 2, 2, 1, 2}}) {
    INFO(slid.name);
    Session session = lesson_session("20-two-heads");
    session.lesson->steps.resize(1);
    session.lesson->steps[0].text = slid.text;
    session.lesson->steps[0].settings = {};
    session.layer.attention.scale = {ScaleKind::Number, 0.5};
    QuestionBench bench(session);
    const auto press = [&](Key key) {
      bench.robot().key(key);
      bench.robot().frames(4);
      return slid.value(bench.fixture.layer());
    };
    REQUIRE_THAT(slid.value(bench.fixture.layer()), headlight_test::WithinAbs(slid.start, 1e-6));
    const auto selected = bench.fixture.view().selection.cell;
    bench.state.focus = {slid.name, true};  // as after some Tabs
    bench.robot().frames(2);
    REQUIRE(bench.fixture.view().keyboard.at == slid.name);
    CHECK_THAT(press(Key::Right), headlight_test::WithinAbs(slid.right, 1e-6));
    CHECK_THAT(press(Key::Left), headlight_test::WithinAbs(slid.back, 1e-6));
    CHECK_THAT(press(Key::End), headlight_test::WithinAbs(slid.end, 1e-6));
    CHECK_THAT(press(Key::Right), headlight_test::WithinAbs(slid.end, 1e-6));  // it goes no farther
    CHECK(bench.fixture.view().selection.cell == selected);  // no arrow moves the selected cell
  }
}

TEST_CASE("sliders: the line of a slider stands still while it is dragged, whatever the words above do") {
  for (const std::string longer : {"scale > 1", "scale < 1"}) {
    INFO(longer);
    Session session = lesson_session("20-two-heads");
    session.lesson->steps.resize(1);
    session.lesson->steps[0].text = "The first line. {if " + longer +
                                    "}Many more words than there were before, which take one line and then a "
                                    "second line of the column.{else}Few words.{end} The scale "
                                    "{slide scale 0 2}, and more.";
    session.lesson->steps[0].settings = {};
    session.layer.attention.scale = {ScaleKind::Number, 0.5};
    QuestionBench bench(session);
    headlight_test::PanelRobot& robot = bench.robot();
    const auto place = [&] { return robot.widget("lesson.slider.scale").rect; };
    const Rect before = place();
    const auto at = [&](double part) {
      return ImVec2{static_cast<float>(before.x + part * before.width),
                    static_cast<float>(before.y + before.height / 2)};
    };
    robot.move_to(at(0.25));
    robot.press(true);
    for (const double part : {0.3, 0.6, 0.9}) {
      robot.move_to(at(part));
      robot.frames(3);
      CHECK(place() == before);
    }
    CHECK(bench.fixture.layer().attention.scale.number > 1.5);
    robot.press(false);
    robot.frames(3);
    CHECK(place().x == before.x);
    // More words need more lines; fewer leave the slider where it is.
    if (longer == "scale > 1")
      CHECK(place().y > before.y);
    else
      CHECK(place().y == before.y);
  }
}

TEST_CASE("glossary: a term is explained by a click, and quotes keep their names beside it") {
  Session session = lesson_session("16-causal-mask");
  session.lesson->steps.resize(1);
  session.lesson->steps[0].text = "A softmax of scores: {weights[1,0]}; another softmax.";
  session.lesson->steps[0].settings = {};
  QuestionBench bench(session);
  CHECK(bench.shows("lesson.quote.1"));
  CHECK(bench.shows("lesson.term.softmax"));
  CHECK(bench.robot().value("lesson.text").find("A softmax of scores: ") == 0);
  bench.click("lesson.term.softmax");
  CHECK(bench.robot().value("lesson.meaning").find("Makes shares of scores") == 0);
}

TEST_CASE("presenter: the step and the picture alone, keys go on, Escape leaves") {
  QuestionBench bench(asking(choice()));
  bench.robot().key(Key::F5);
  bench.robot().frames(4);
  CHECK(bench.state.presenting);
  for (const char* gone : {"toolbar.menu", "inputs.embeddings.row[0]", "status.saved"})
    CHECK_FALSE(bench.shows(gone));
  CHECK(bench.shows("lesson.title"));
  CHECK(bench.shows("focus.weights.h0"));
  CHECK(bench.robot().widget("focus.weights.h0").rect.x > 600);
  bench.robot().key(Key::PageDown);
  bench.robot().frames(4);
  CHECK(bench.robot().value("lesson.step") == "2 of 2");
  bench.robot().key(Key::PageUp);
  bench.robot().frames(4);
  CHECK(bench.robot().value("lesson.step") == "1 of 2");
  bench.robot().key(Key::Escape);
  bench.robot().frames(4);
  CHECK_FALSE(bench.state.presenting);
  CHECK(bench.shows("toolbar.menu"));
}

TEST_CASE("presenter: the ends stay, one press is one step, and there are keys for Play and a dark screen") {
  QuestionBench bench(asking(choice()));
  headlight_test::PanelRobot& robot = bench.robot();
  const auto press = [&](Key key) {
    robot.key(key);
    robot.frames(4);
  };
  press(Key::F5);
  const Stage stage = bench.fixture.view().focused_stage;
  press(Key::PageUp);  // the first step
  CHECK(bench.fixture.view().focused_stage == stage);
  CHECK(robot.value("lesson.step") == "1 of 2");
  press(Key::Space);
  CHECK(robot.value("lesson.step") == "2 of 2");
  const Stage last = bench.fixture.view().focused_stage;
  press(Key::PageDown);
  press(Key::Space);
  CHECK(bench.fixture.view().focused_stage == last);
  CHECK(robot.value("lesson.step") == "2 of 2");
  for (const Key key : {Key::P, Key::Enter}) {
    bench.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 1, 0};
    bench.fixture.view().focused_stage = Stage::Weights;
    press(key);
    CHECK(bench.state.stages.motion.shown());
    press(Key::Escape);  // ends the motion, not the view
    CHECK_FALSE(bench.state.stages.motion.shown());
    CHECK(bench.state.presenting);
  }
  for (const Key key : {Key::B, Key::Period}) {
    press(key);
    CHECK(bench.shows("presenter.dark"));
    CHECK_FALSE(bench.shows("lesson.title"));
    press(Key::PageUp);  // only ends the darkness
    CHECK_FALSE(bench.shows("presenter.dark"));
    CHECK(robot.value("lesson.step") == "2 of 2");
  }
  press(Key::B);
  press(Key::F5);
  CHECK_FALSE(bench.state.presenting);
  CHECK_FALSE(bench.shows("presenter.dark"));
}

TEST_CASE("presenter: an answered step opens at its top, with what its text names") {
  Session session = lesson_session("16-causal-mask");
  QuestionBench bench(session);
  bench.guide().wanted = 2;
  bench.robot().frames(8);
  bench.click("lesson.guess.give");
  bench.robot().frames(60);
  bench.robot().key(Key::F5);
  bench.robot().frames(8);
  REQUIRE(bench.state.presenting);
  CHECK(bench.robot().widget("lesson.title").in_sight);
  CHECK(bench.shows("inputs.embeddings[5,0]"));  // "Type 3 as the first number": what was typed is seen
  bench.guide().wanted = 4;
  bench.robot().frames(8);
  bench.fixture.view().focused_stage = Stage::Weights;
  bench.robot().frames(4);
  const double elsewhere = bench.robot().widget("focus.paint").rect.width;  // its text names it "Paint"
  bench.fixture.view().focused_stage = Stage::Masked;
  bench.robot().frames(4);
  CHECK(bench.robot().widget("focus.paint").rect.width == elsewhere);
  bench.guide().wanted = 0;
  bench.robot().frames(6);
  CHECK_FALSE(bench.shows("inputs.embeddings[5,0]"));
}

TEST_CASE("question: it is asked again, from the step's own numbers and without the guess") {
  QuestionBench bench(asking(choice()));
  bench.click("lesson.answer.0");
  CHECK_FALSE(bench.shows("lesson.ask_again"));
  bench.click("lesson.do");
  REQUIRE(bench.shows("lesson.reply"));
  bench.click("lesson.ask_again");
  CHECK_FALSE(bench.shows("lesson.reply"));
  CHECK_FALSE(bench.robot().value("lesson.answer.0").starts_with("chosen"));
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
  bench.click("lesson.answer.1");
  bench.click("lesson.do");
  CHECK(bench.robot().value("lesson.reply").starts_with("It shrank: 0."));
}

TEST_CASE("question: back at a question that was tried, the picture is the one that the reply tells of") {
  QuestionBench bench(asking(choice()));
  bench.click("lesson.answer.1");
  bench.click("lesson.do");
  const std::string reply = bench.robot().value("lesson.reply");
  bench.click("lesson.next");
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
  bench.click("lesson.back");
  headlight_test::frames_until(bench.robot(), [&] {
    return bench.shows("lesson.reply") && bench.robot().value("lesson.reply") == reply;
  });
  CHECK(bench.fixture.layer().attention.mask == MaskKind::None);
  CHECK(bench.robot().value("lesson.reply") == reply);
  bench.click("lesson.next");
  CHECK(bench.fixture.layer().attention.mask == MaskKind::Causal);
}

TEST_CASE("question: the words around it are the lesson's own, and numbers have its decimal comma") {
  LessonQuestion question = choice();
  question.answers.clear();
  question.number = AskedNumber{"{weights[1,0]}", 0, 1};
  question.replies = {"Ja: {weights[1,0]}.", "Nein: {weights[1,0]}."};
  Session session = asking(question, "");
  session.lesson->language = {{{"question", "Eine Frage"},
                               {"answer", "Antworten"},
                               {"do", "Mach es"},
                               {"you_guessed", "Du hast geraten"},
                               {"next", "Weiter"}},
                              true};
  QuestionBench bench(session);
  bench.robot().double_click("lesson.guess.typed");
  bench.robot().key(Key::A, {true});
  bench.robot().type("0,25");
  bench.robot().key(Key::Enter);
  bench.click("lesson.guess.give");
  CHECK(bench.robot().value("lesson.note") == "Du hast geraten 0,25.");
  bench.click("lesson.do");
  CHECK(bench.robot().value("lesson.reply").find("0,") != std::string::npos);
  CHECK(bench.robot().value("lesson.reply").find("0.") == std::string::npos);
}

TEST_CASE("question: answers to a lesson of one's own are owed until they are saved as a file") {
  QuestionBench bench(asking(choice()));
  LessonGuide& guide = bench.state.lesson.guide;
  CHECK_FALSE(owes_answers(guide));
  bench.click("lesson.answer.0");
  CHECK_FALSE(owes_answers(guide));  // of the course
  bench.state.lesson.entries.clear();
  guide.answer_keys.clear();
  bench.robot().frames(4);
  CHECK(owes_answers(guide));
  guide.answers_unsaved = false;
  CHECK_FALSE(owes_answers(guide));
}

TEST_CASE("question: an answer to one's own lesson stays while its titles and texts are edited") {
  WindowMemory memory;
  const auto read_anew = [&memory](const Session& session, bool answers) {
    QuestionBench bench(session, memory);
    bench.state.lesson.entries.clear();
    bench.guide().answer_keys.clear();
    bench.guide().answers_taken = false;
    bench.robot().frames(4);
    if (answers) bench.click("lesson.answer.1");
    memory = bench.state.memory;
    std::map<std::size_t, std::size_t> choices;
    for (const auto& [step, given] : bench.guide().answers)
      choices[step] = given.choice;
    return choices;
  };
  Session session = asking(choice());
  session.lesson->steps.pop_back();
  CHECK(read_anew(session, true).size() == 1);
  session.title = "Another title";
  LessonStep& step = session.lesson->steps[0];
  step.title = "Another step";
  step.question->text = "And what will {weights[1,0]} do without the mask?";
  session.lesson->steps.insert(session.lesson->steps.begin(), LessonStep{});
  CHECK(read_anew(session, false) == std::map<std::size_t, std::size_t>{{1, 1}});
  session.lesson->steps[1].question->answers[1] = "It stays";
  CHECK(read_anew(session, false).empty());
}

TEST_CASE("question: behind the last step of one's own lesson stand the answers to save, until they are") {
  Session session = asking(choice(), "");
  session.lesson->steps.pop_back();
  QuestionBench bench(session);
  bench.state.lesson.entries.clear();
  bench.guide().answer_keys.clear();
  bench.robot().frames(4);
  CHECK(bench.shows("lesson.following"));
  bench.click("lesson.answer.1");
  CHECK_FALSE(bench.shows("lesson.following"));
  CHECK(bench.shows("lesson.save_answers"));
  bench.robot().click("lesson.save_answers");
  CHECK(bench.state.lesson.guide.answers_unsaved);
  bench.guide().answers_saved = true;
  bench.robot().frames(4);
  CHECK(bench.shows("lesson.following"));
  CHECK_FALSE(bench.shows("lesson.save_answers"));
}

TEST_CASE("lesson: what another lesson learnt is closed where there is nothing to learn") {
  QuestionBench bench(lesson_session("20-two-heads"));
  bench.state.learning.shown = true;
  bench.fixture.view().learning.gradients = true;
  bench.click("lesson.next");
  CHECK_FALSE(bench.state.learning.shown);
  CHECK_FALSE(bench.fixture.view().learning.gradients);
}
