// A reader's answer to the question of a step, and the reply to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/lesson_text/question_truth.h"
#include "engine/session/lesson.h"
#include "engine/views/query.h"

namespace headlight {

struct GivenAnswer {
  std::size_t choice = 0;           // index of the chosen answer
  std::optional<CellAddress> cell;  // the clicked cell
  double number = 0;                // the guess
  Matrix guess;                     // of a question with a shape; see question_truth.h
  std::uint64_t revision = 0;  // of the document when the answer was given, or its try was last looked for
  bool tried = false;          // the document was changed since, or there is nothing to try
  bool made = false;           // the change is made, and its draws of dropout may still be to come
  // Of a question whose right answer is computed: it is judged once, by the layer that it was given in, so
  // that later changes of the layer change neither. `unjudged`: the question's change does not fit that
  // layer.
  std::shared_ptr<const Layer> asked_of;
  std::optional<Matrix> truth;
  std::optional<Judgement> judged;
  bool unjudged = false;
  bool earlier = false;  // given before this start: its right answer does not move in
};
using GivenAnswers = std::map<std::size_t, GivenAnswer>;  // by index of the lesson's step

// The index of the first number that is not zero: of the guess of a word, the word.
Index chosen_word(const Matrix& guess);

// Whether the reply appears only after the reader has tried something.
bool waits_for_try(const LessonStep& step);

// Whether the right answer is computed from the layer: of a guess with a shape, and of a number that the
// question's change or nothing at all makes.
bool is_computed(const LessonStep& step);

// Whether a clicked cell is the right one.
bool is_right(const AskedCell& asked, const CellAddress& cell);

// The guess as a matrix. Precondition: the question has a shape or asks for a number.
Matrix guess_of(const LessonQuestion& question, const GivenAnswer& given);

// The index of the reply. `number`: the present value of a guessed number, for a guess that is not judged;
// none: unknown, then such a guess has no reply.
std::optional<std::size_t> reply_to(const LessonQuestion& question, const GivenAnswer& given,
                                    std::optional<double> number);
// Whether the answer is right; none while that is not known.
std::optional<bool> is_right(const LessonQuestion& question, const GivenAnswer& given);

// The text of an answer as it is stored between starts: "1", "2,3" (row and column; the chosen word), "0.25",
// "0.1,0.4" (bars; cells row by row, 1 if marked); and its inverse, which returns none for a text that does
// not fit the question.
std::string earlier_answer(const LessonQuestion& question, const GivenAnswer& given);
std::optional<GivenAnswer> answer_from(const LessonQuestion& question, const std::string& kept,
                                       const Layer& layer);

// The stored text with the outcome of the first answer, "0.25 right" or "0.25 wrong"; without one it is not
// known. And the outcome of a stored text.
std::string with_outcome(const std::string& answer, std::optional<bool> right);
std::optional<bool> outcome_of(const std::string& kept);

}  // namespace headlight
