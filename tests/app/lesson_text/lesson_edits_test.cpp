// Texts that a lesson must and must not show after unforeseen edits: a case for each kind of statement that
// was once false.
#include <functional>
#include <string>
#include <vector>

#include "tests/app/lesson_text/edited_lesson.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct EditCase {
  std::string stem;
  int step;  // from 1, as the window counts
  std::vector<Command> edits;
  std::string not_told, told;  // "": not checked
};

Command number(Index row, Index column, float value) {
  return SetCells{
      {InputKind::Embeddings, 0, Parameter::Query}, row, column, Matrix::Constant(1, 1, value), 0};
}

Command numbers(Index row, std::vector<float> values) {
  const Matrix cells = Eigen::Map<const Matrix>(values.data(), 1, static_cast<Index>(values.size()));
  return SetCells{{InputKind::Embeddings, 0, Parameter::Query}, row, 0, cells, 0};
}

std::string told_after(const EditCase& edited) {
  Session session = lesson_session(edited.stem);
  const LessonStep step = session.lesson->steps[static_cast<std::size_t>(edited.step - 1)];
  const Evaluator first = pass_of(session, step), opened = evaluate(session.layer);
  session.layer = step_model(session, step);
  EditedLesson lesson(session);
  for (const Command& command : edited.edits)
    lesson.run(command);
  const Evaluator now = evaluate(lesson.layer());
  const Goal* const goal = session.goal.get();
  const PassValues of_now(now, goal), of_first(first, goal), of_opened(opened, goal);
  std::string all;
  for (const LessonText& text : step.texts())
    all += told(text.pieces(), {&of_now, &of_first, &of_opened}) + "\n";
  return all;
}

void check_all(const std::vector<EditCase>& cases) {
  for (const EditCase& edited : cases) {
    const std::string text = told_after(edited);
    INFO(edited.stem << ", step " << edited.step << ":\n" << text);
    if (!edited.not_told.empty()) CHECK(text.find(edited.not_told) == std::string::npos);
    if (!edited.told.empty()) CHECK(text.find(edited.told) != std::string::npos);
  }
}

Command settings_of(const std::string& stem, const std::function<void(AttentionSettings&)>& change) {
  AttentionSettings settings = lesson_session(stem).layer.attention;
  change(settings);
  return SetAttention{settings, 0};
}

}  // namespace

TEST_CASE("lesson edits: a claim about now compares with the state that its sentence names") {
  check_all({
      {"24-why-the-square-root",
       3,
       {SetDOut{4}},
       ": such a softmax is called saturated",
       "; where the differences"},
      {"24-why-the-square-root", 3, {SetDOut{4}}, "these are large now", ""},
      {"27-what-dropout-does-to-the-mean",
       4,
       {number(1, 0, 2)},
       "The picture “kept” is the context without dropout",
       "The picture “kept” has the lesson's own numbers"},
      {"11-scaled-scores", 5, {SetDOut{4}}, "has grown", "its largest share is"},
      {"11-scaled-scores", 5, {number(1, 0, 0.1f)}, "has grown", "its largest share is"},
      {"28-one-head-or-two", 5, {number(2, 0, 9)}, "each head brought what it had asked for", ""},
      {"22-two-heads-with-dropout", 5, {SetQkvBias{true}}, "other cells are dropped", "is left with"},
  });
}

TEST_CASE("lesson edits: nothing is put down to a token or a setting that nobody touched") {
  check_all({
      {"05-all-queries-at-once",
       5,
       {number(2, 0, 0.9f)},
       "Every row divides by a sum with the score of “step” in it",
       "it began as"},
      {"05-all-queries-at-once",
       5,
       {number(5, 0, 0.9f)},
       "",
       "Every row divides by a sum with the score of “step” in it"},
      {"00-why-attention", 5, {number(3, 1, 4)}, "The money has come from “river”", "As it stands"},
      {"04-softmax-and-context", 4, {number(3, 2, 9)}, "brings its third number", "it began as"},
      {"08-attention-mechanism-all", 5, {number(0, 0, 5)}, "So they do.", "it began as"},
      {"11-scaled-scores", 7, {number(1, 0, 3)}, "Multiplied by", "the entropy is"},
      {"13-five-tokens-one-inferred", 5, {number(1, 0, 3)}, "So it is.", "The scores are"},
      {"16-causal-mask", 3, {number(4, 0, 3)}, "To all others “step” is the future", "it began as"},
      {"20-two-heads",
       7,
       {SetOutputProjection{false}},
       "none moves into those of another",
       "The row of concat is"},
      {"29-grouped-queries", 3, {number(1, 0, 3)}, "moves with head 0", "As it stands:"},
      {"31-sliding-window", 2, {number(3, 0, 3)}, "So it is, the next few", "As it stands now."},
  });
}

TEST_CASE("lesson edits: what a number was at first is that of the same token") {
  check_all({
      // The score of “starts” and “with” is unchanged: the cell of the pair moves with its tokens.
      {"01-one-query-dot-products", 4, {RemoveToken{0}}, "at first", "The score of “starts” and “with” is"},
      {"01-one-query-dot-products", 4, {MoveToken{0, 5}}, "at first", ""},
      {"01-one-query-dot-products",
       4,
       {InsertToken{0, "new", false}, number(1, 0, 2)},
       "at first –",
       "at first"},
      {"05-all-queries-at-once", 5, {RemoveToken{0}}, "that the last lesson found alone", ""},
      {"05-all-queries-at-once", 5, {MoveToken{1, 2}}, "that the last lesson found alone", ""},
      {"13-five-tokens-one-inferred", 1, {RemoveToken{0}}, "is inferred: it is the only row", ""},
      {"13-five-tokens-one-inferred",
       1,
       {MoveToken{3, 4}},
       "is inferred: it is the only row",
       "stands in its place"},
      {"13-five-tokens-one-inferred", 2, {RemoveToken{4}}, "the one that speaks about the missing token", ""},
      {"12-draw-order-key-first", 3, {MoveToken{0, 5}}, "the transpose of that one", ""},
      {"00-why-attention",
       2,
       {ChangeLines{{LineKind::Input, LineChange::Move, 0, 1, 1}}},
       "Here column 0 stands for water",
       ""},
      {"10-queries-keys-values",
       3,
       {ChangeLines{{LineKind::Input, LineChange::Move, 0, 1, 1}}},
       "gives first after the seed 123. The next",
       "At first they were"},
  });
}

TEST_CASE("lesson edits: of numbers that are alike none is the largest") {
  check_all({
      {"00-why-attention",
       3,
       {numbers(0, {3, 0}), numbers(1, {3, 0})},
       "has the largest score of the row",
       "is that of “the” and equally “river”"},
      {"01-one-query-dot-products",
       5,
       {numbers(1, {0, 0, 0})},
       "",
       "“Your”, “journey”, “starts”, “with”, “one” and equally “step”"},
      {"11-scaled-scores", 4, {numbers(1, {0, 0, 0})}, "attends to itself most", ""},
  });
}

TEST_CASE("lesson edits: with one head nothing is said of a second one") {
  check_all({
      {"20-two-heads", 1, {SetNumHeads{1}}, "each of the", "A single head has all"},
      {"20-two-heads", 4, {SetNumHeads{1}}, "In the second, head 1", "There is no second head now"},
      {"20-two-heads", 5, {SetNumHeads{1}}, "head 1", "the only head"},
      {"20-two-heads", 7, {SetNumHeads{1}}, "beside head 1", ""},
      {"21-two-heads-of-two", 4, {SetNumHeads{1}}, "those of the second head", "the one head that is left"},
      {"22-two-heads-with-dropout", 3, {SetNumHeads{1}}, "In the second head", "There is no second head now"},
      {"22-two-heads-with-dropout", 4, {SetNumHeads{1}}, "then what the", "what the only head has found"},
      {"28-one-head-or-two", 4, {SetNumHeads{1}}, "the second to", "The only head that there is"},
      {"28-one-head-or-two", 6, {SetNumHeads{1}}, "the second –", "The only head that there is"},
  });
}

TEST_CASE("lesson edits: where a number is none, nothing is claimed of it") {
  const Command overflow = number(1, 0, 15);
  check_all({
      {"03-naive-softmax",
       3,
       {settings_of("03-naive-softmax", [](AttentionSettings&) {}), overflow},
       "NaN to one",
       "no numbers now"},
      {"03-naive-softmax", 4, {overflow}, "NaN to one", "weights that are no numbers now"},
      {"03-naive-softmax", 4, {overflow}, "largest share is NaN", ""},
      {"07-attention-mechanism-naive", 4, {numbers(0, {20, 20, 20})}, "NaN bits", "– bits"},
  });
}

TEST_CASE("lesson edits: a dropout that drops nothing, or everything, is told as that") {
  const auto dropping = [](const std::string& stem, double p) {
    return settings_of(stem, [p](AttentionSettings& settings) { settings.dropout.probability = p; });
  };
  const std::string eighteen = "18-dropout-after-the-weights", mean = "27-what-dropout-does-to-the-mean";
  const std::string changes = "Which cells are dropped changes with every draw";
  check_all({
      {eighteen, 1, {dropping(eighteen, 0)}, changes, "Dropout is off at the moment"},
      {eighteen, 1, {dropping(eighteen, 1)}, changes, ""},
      {eighteen, 1, {}, "", changes},
      {eighteen, 2, {dropping(eighteen, 1)}, "which is 0 here", "Here no weight stays"},
      {eighteen, 5, {dropping(eighteen, 0)}, "dropout goes on after them", "At present it draws nothing"},
      {mean, 1, {dropping(mean, 0)}, "this draw leaves", "stay as they are"},
      {mean, 3, {dropping(mean, 1)}, "what it was", "Here nothing stays"},
      {"22-two-heads-with-dropout",
       1,
       {dropping("22-two-heads-with-dropout", 0)},
       "That makes",
       "it draws nothing"},
  });
}

TEST_CASE("lesson edits: without the projection that a sentence speaks of, it is another sentence") {
  check_all({
      {"15-linear-layers", 1, {SetProjection{Projection::None}}, "W_query is 3 × 3", "no linear layer"},
      {"15-linear-layers", 1, {SetDOut{4}}, "with the rows", "W_query is 4 × 3 here, and its first row is"},
      {"15-linear-layers",
       7,
       {SetProjection{Projection::None}},
       "a sum of products alone",
       "No linear layer"},
      {"15-linear-layers", 3, {SetProjection{Projection::None}}, "That makes", "by the root of d_in"},
      {"04-softmax-and-context",
       5,
       {SetProjection{Projection::Linear}},
       "a mixture lies close",
       "pulls the context towards itself"},
      {"00-why-attention",
       3,
       {SetProjection{Projection::Linear}},
       "the numbers of both are multiplied",
       "of a query and of a key"},
      {"01-one-query-dot-products", 2, {SetProjection{Projection::Given}}, "Projections make both", "given"},
      {"23-why-the-dot-product",
       1,
       {SetProjection{Projection::Linear}},
       "for “east” and “north-east” that is",
       "the query of “east”"},
  });
}
