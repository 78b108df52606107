// A reader's answer to the question of a step, and the reply to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/session/lesson.h"
#include "engine/views/query.h"

namespace headlight {

struct GivenAnswer {
  std::size_t choice = 0;           // index of the chosen answer
  std::optional<CellAddress> cell;  // the clicked cell
  double number = 0;                // the guess
  std::uint64_t revision = 0;       // of the document when the answer was given
  bool tried = false;               // the document was changed since, or there is nothing to try
};
using GivenAnswers = std::map<std::size_t, GivenAnswer>;  // by index of the lesson's step

// Whether the reply appears only after the reader has tried something.
bool waits_for_try(const LessonStep& step);

// Whether a clicked cell is the right one, or a guess is near. `number`: the present value of what is
// guessed.
bool is_right(const AskedCell& asked, const CellAddress& cell);
bool is_near(const AskedNumber& asked, double guess, double number);

// The index of the reply. `number`: as for is_near(); none: unknown, then a guess has no reply.
std::optional<std::size_t> reply_to(const LessonQuestion& question, const GivenAnswer& given,
                                    std::optional<double> number);

// The text of an answer as it is stored between starts: "1", "2,3" (row and column), "0.25"; and its inverse,
// which returns none for a text that does not fit the question.
std::string earlier_answer(const LessonQuestion& question, const GivenAnswer& given);
std::optional<GivenAnswer> answer_from(const LessonQuestion& question, const std::string& kept);

}  // namespace headlight
