// The right guess of a question, and how guesses are judged.
#include "app/lesson_text/question_truth.h"

#include "engine/session/session.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A row of six weights under a causal mask that is taken away.
struct Asked {
  Layer before = lesson_session("16-causal-mask").layer;
  Evaluator first = evaluate(before), after = evaluate(unmasked());
  PassValues of_first{first}, of_after{after};
  ReferencedStates states{&of_after, &of_first, &of_first};

  Layer unmasked() const {
    Layer layer = before;
    layer.attention.mask = MaskKind::None;
    return layer;
  }
};

LessonQuestion bars() {
  LessonQuestion question;
  question.bars = AskedBars{"{weights[1]}", {0, 1}, 0, 1, 0.05, {}};
  question.replies = {"Yes.", "No.", "Too much."};
  question.wrong = {"{if guess[0] > 0.9}1{else}0{end}"};
  return question;
}

}  // namespace

TEST_CASE("question truth: bars are right near the engine's numbers, or by a condition") {
  Asked asked;
  LessonQuestion question = bars();
  const Matrix truth = *right_guess(question, asked.states);
  CHECK(truth == asked.after.matrix(Stage::Weights, 0, 0).row(1));
  Matrix guess = truth;
  CHECK(judge(question, guess, truth, asked.states).right);
  guess(0, 5) = 7;  // not drawn
  guess(0, 0) += 0.04f;
  CHECK(judge(question, guess, truth, asked.states).right);
  guess(0, 0) += 0.04f;
  CHECK_FALSE(judge(question, guess, truth, asked.states).right);
  CHECK(judge(question, guess, truth, asked.states).reply == 1);
  guess(0, 0) = 0.95f;
  CHECK(judge(question, guess, truth, asked.states).reply == 2);
  question.bars->right = "{if guess[0] > weights[1,0]}1{else}0{end}";
  CHECK(judge(question, guess, truth, asked.states).right);
  CHECK_FALSE(judge(question, truth, truth, asked.states).right);
}

TEST_CASE("question truth: cells and words are right by their rule") {
  Asked asked;
  LessonQuestion question;
  question.marks = AskedMarks{Stage::Weights, 0, 0, {0, 5}, {0, 5}, {RightIf::Changed, 0}};
  // The last row saw all tokens before, the first saw itself alone.
  Matrix expected(2, 2);
  expected << 1, 1, 0, 0;
  CHECK(*right_guess(question, asked.states) == expected);
  question.marks->right = {RightIf::Unchanged, 0};
  CHECK(*right_guess(question, asked.states) == Matrix(Matrix::Ones(2, 2) - expected));
  question.marks->right = {RightIf::Equal, 0};
  CHECK(right_guess(question, {&asked.of_first, &asked.of_first, &asked.of_first})->sum() == 1);
  question.marks->right = {RightIf::Largest, 0};
  CHECK(right_guess(question, asked.states)->rowwise().sum() == Matrix(Matrix::Ones(2, 1)));

  LessonQuestion word;
  word.word = AskedWord{"{weights[1]}", {RightIf::Largest, 0}};
  word.replies = {"Yes.", "No."};
  const Matrix right = *right_guess(word, asked.states);
  Index largest = 0;
  asked.after.matrix(Stage::Weights, 0, 0).row(1).maxCoeff(&largest);
  CHECK(right(0, largest) == 1);
  CHECK(right.sum() == 1);
  Matrix chosen = Matrix::Zero(1, 6);
  chosen(0, largest) = 1;
  CHECK(judge(word, chosen, right, asked.states).right);
  chosen.setZero();
  chosen(0, (largest + 1) % 6) = 1;
  CHECK(judge(word, chosen, right, asked.states).reply == 1);
}

TEST_CASE("question truth: what the model lacks has no right guess, and guesses are told in words") {
  Asked asked;
  LessonQuestion question = bars();
  question.bars->list = "{weights[99]}";
  CHECK_FALSE(guess_exists(question, asked.before));
  CHECK_FALSE(right_guess(question, asked.states));
  question = bars();
  const GuessNames names = guess_names(question, asked.before, {});
  CHECK(names.columns.size() == 6);
  Matrix guess = Matrix::Zero(1, 6);
  guess(0, 1) = 0.5f;
  CHECK(guess_words(question, guess, names) == "Your: 0.00, journey: 0.50");
  LessonQuestion marks;
  marks.marks = AskedMarks{Stage::Weights, 0, 0, {1}, {0, 1}, {}};
  CHECK(guess_words(marks, Matrix::Ones(1, 2), guess_names(marks, asked.before, {})) ==
        "journey → Your, journey → journey");
  CHECK(guess_words(marks, Matrix::Zero(1, 2), guess_names(marks, asked.before, {})) == "none");
  Layer twice = asked.before;
  twice.tokens[1] = twice.tokens[0];
  CHECK(guess_names(question, twice, {1}).columns[1] == "Your (2)");
}

TEST_CASE("question truth: bars of tokens that were removed are neither right nor wrong") {
  Asked asked;
  const LessonQuestion question = [] {
    LessonQuestion all = bars();
    all.bars->drawn = {0, 1, 9};
    return all;
  }();
  const Matrix truth = *right_guess(question, asked.states);
  CHECK(judge(question, truth, truth, asked.states).right);
  CHECK(guess_words(question, Matrix::Zero(1, 2), guess_names(question, asked.before, {})) ==
        "Your: 0.00, journey: 0.00");
}
