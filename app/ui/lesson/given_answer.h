// What a reader has answered to the question of a step, and which reply fits it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/session/lesson.h"
#include "engine/views/query.h"

namespace headlight {

struct GivenAnswer {
  std::size_t choice = 0;           // of the answers to choose from
  std::optional<CellAddress> cell;  // that was clicked
  double number = 0;                // that was guessed
  std::uint64_t revision = 0;       // of the document when it was given
  bool tried = false;               // something was changed since
};
using GivenAnswers = std::map<std::size_t, GivenAnswer>;  // by the lesson's step

// Whether there is something to do before the reply is told.
bool waits_for_try(const LessonStep& step);

// Whether a clicked cell, or a guess, is the right one. `number`: what was to be guessed, as it is now.
bool is_right(const AskedCell& asked, const CellAddress& cell);
bool is_near(const AskedNumber& asked, double guess, double number);

// Which of the replies fits. `number`: of a guess, what it is now; none: not known yet, then there is none.
std::optional<std::size_t> reply_to(const LessonQuestion& question, const GivenAnswer& given,
                                    std::optional<double> number);

// As an answer is kept between starts: "1", "2,3" (row and column), "0.25". Reading what does not fit the
// question gives none.
std::string earlier_answer(const LessonQuestion& question, const GivenAnswer& given);
std::optional<GivenAnswer> answer_from(const LessonQuestion& question, const std::string& kept);

}  // namespace headlight
