// The steps of the program's lessons: their numbers are the engine's, and the cells that they point at exist.
#include <algorithm>
#include <cmath>
#include <regex>

#include "app/figure/plan/heatmap_figure.h"
#include "app/lesson_text/reference_text.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string all_text(const std::string& stem) {
  const Session session = lesson_session(stem);
  std::string text = session.notes;
  for (const LessonStep& step : session.lesson->steps)
    text += "\n" + told_step(session, step);
  return text;
}

}  // namespace

TEST_CASE("lesson steps: each lesson has some, and something to answer or to try") {
  REQUIRE(lesson_stems().size() == 46);  // five are examples of a trained layer
  for (const std::string& stem : lesson_stems()) {
    INFO(stem);
    const std::vector<LessonStep> steps = lesson_session(stem).lesson->steps;
    CHECK(steps.size() >= 3);
    CHECK(steps.size() <= 7);
    CHECK(std::any_of(steps.begin(), steps.end(), [](const LessonStep& step) {
      return step.question.has_value() || !step.try_it.empty();
    }));
    CHECK(steps.front().settings.empty());  // the first step shows the lesson's own settings
    for (const LessonStep& step : steps) {
      INFO(step.title);
      CHECK(step.selected);  // so that the inspector takes something apart
      CHECK(step.text.written().size() > 70);
    }
  }
}

TEST_CASE("lesson steps: the colours that a lesson opens with show its numbers, whatever comes later") {
  for (const std::string& stem : lesson_stems()) {
    INFO(stem);
    const Session session = lesson_session(stem);
    const LessonStep& step = session.lesson->steps.front();
    if (!step.range || step.stage == Stage::Weights) continue;
    const Matrix numbers = pass_of(session, step).matrix(step.stage, step.sequence, step.head.value_or(0));
    const double bound = std::max(std::abs((*step.range)[0]), std::abs((*step.range)[1]));
    CHECK(static_cast<double>(numbers.array().isFinite().select(numbers.array().abs(), 0).maxCoeff()) >=
          bound / 3);
  }
}

TEST_CASE("lesson steps: a head that is named by a number is named as the window names it") {
  const std::regex quote("\\{[^}]*\\}"),
      numbered("\\b(head|token|dimension|column|row|sequence|layer)s? [0-9]");
  for (const std::string& stem : lesson_stems()) {
    INFO(stem);
    const Lesson lesson = *lesson_session(stem).lesson;
    // One counting everywhere, the reader's: only a text that names by numbers holds the window to its own.
    CHECK((!lesson.count_from || *lesson.count_from == 0));
    for (const LessonStep& step : lesson.steps)
      for (const LessonText& text : step.texts()) {
        INFO(text.written());
        const std::string words = std::regex_replace(text.written(), quote, "_");
        CHECK((lesson.count_from || !std::regex_search(words, numbered)));
        for (Index head = 0; head < 8; ++head)
          if (step.head && contains(words, "head " + std::to_string(head))) CHECK(*step.head == head);
      }
  }
}

TEST_CASE("lesson steps: every quote is filled in, with a number that is there") {
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      INFO(stem << ": " << step.title);
      const std::string text = told_step(session, step);
      INFO(text);
      CHECK_FALSE(contains(text, "{"));
      CHECK_FALSE(contains(text, "}"));
      CHECK_FALSE(contains(text, "…"));
      CHECK_FALSE(contains(text, "–"));
    }
  }
}

TEST_CASE("lesson steps: what glows and what is selected exists, and is not a forbidden cell by mistake") {
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      INFO(stem << ": " << step.title);
      const Evaluator pass = pass_of(session, step);
      const Matrix& whole = pass.matrix(step.stage, step.sequence, step.first_head());
      Index glowing = 0;
      for (Index row = 0; row < whole.rows(); ++row)
        for (Index column = 0; column < whole.cols(); ++column)
          glowing += step.points_at(row, column) ? 1 : 0;
      CHECK((glowing > 0) == step.points_at_cells());
      const auto [row, column] = *step.selected;
      REQUIRE(row < whole.rows());
      REQUIRE(column < whole.cols());
      if (step.points_at_cells()) CHECK(step.points_at(row, column));
      if (step.stage == Stage::Weights || step.stage == Stage::Dropped)
        CHECK(pass.layer().may_attend(row, column));
    }
  }
}

TEST_CASE("lesson steps: a quoted cell has the digits of the stage") {
  std::size_t compared = 0;
  for (const std::string& stem : lesson_stems()) {
    const Session session = lesson_session(stem);
    for (const LessonStep& step : session.lesson->steps) {
      const Evaluator pass = pass_of(session, step);
      for (const TextReference& q : references_of(step.text.pieces())) {
        if (q.kind != ReferenceKind::Value || !q.is_cell() || q.parameter || q.gradient ||
            q.moment != ReferencedState::Now)
          continue;
        if (q.stage == Stage::Embeddings) continue;  // printed as typed, not with the stage's digits
        const Index head = stage_info(q.stage).per_head ? q.head : 0;
        const float value = pass.matrix(q.stage, q.sequence, head)(q.row, *q.column);
        CHECK(reference_text(q, PassValues(pass)) == number_text(value, q.decimals));
        ++compared;
      }
    }
  }
  CHECK(compared > 80);
}

TEST_CASE("lesson steps: the figures that the notebooks print come out of the engine") {
  const auto says = [](const std::string& stem, const std::vector<std::string>& figures) {
    const std::string text = all_text(stem);
    for (const std::string& figure : figures) {
      INFO(stem << ": " << figure);
      CHECK(contains(text, figure));
    }
  };
  says("01-one-query-dot-products", {"0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865"});
  says("02-dividing-by-the-sum",
       {"0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656", "0.4355, 0.6451, 0.5680"});
  says("03-naive-softmax", {"0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581"});
  says("04-softmax-and-context",
       {"0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581", "0.4419, 0.6515, 0.5683"});
  says("05-all-queries-at-once", {"0.2006", "0.1385", "0.4421, 0.5931, 0.5790"});
  says("06-attention-mechanism-sum",
       {"0.6658, 0.8154, 0.8938, 0.7887, 0.3466", "0.1897, 0.2323, 0.2546, 0.2247, 0.0987"});
  says("07-attention-mechanism-naive", {"0.1378", "0.2381"});
  says("08-attention-mechanism-all",
       {"1.5545", "0.3185", "0.3897, 0.5495, 0.6587", "0.4455, 0.5898, 0.6267"});
  says("09-hello-shiny-sun", {"0.2153, 0.1381, 0.3981", "0.1057, 0.1969, 0.3391", "0.3990, 0.3854, 0.8610"});
  says("10-queries-keys-values", {"0.4306, 1.4551", "1.8524"});
  says("11-scaled-scores", {"1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440",
                            "0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820", "0.3061, 0.8210"});
  says("12-draw-order-key-first", {"0.3015, 0.8132"});
  says("13-five-tokens-one-inferred", {"1.2705, 1.8524, 1.8111, 1.0795, 1.5150",
                                       "0.1656, 0.2500, 0.2428, 0.1447, 0.1969", "0.3212, 0.8646"});
}

TEST_CASE("lesson steps: what a source prints wrongly, and what was inferred, is said") {
  CHECK(contains(lesson_session("09-hello-shiny-sun").notes, "seven wrong figures"));
  CHECK(contains(all_text("09-hello-shiny-sun"), "seven figures are wrong"));
  CHECK(lesson_session("13-five-tokens-one-inferred").layer.tokens.back() == "(inferred)");
  CHECK(contains(all_text("13-five-tokens-one-inferred"), "is inferred"));
}
