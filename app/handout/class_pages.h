// The answers of a class as a page to print.
#pragma once

#include <string>

#include "app/lesson_text/answer_table.h"

namespace headlight {

// The bytes of a PDF: for each question one picture of all answers beside the right one, and who was right,
// and at the end how many answers of each reader are; without names if `anonymous`. `program`: recorded as
// the creator.
std::string class_pages_bytes(const ClassAnswers& answers, bool anonymous, const std::string& program);

}  // namespace headlight
