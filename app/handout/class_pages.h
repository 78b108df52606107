// The answers of a class as a page to print.
#pragma once

#include <string>
#include <vector>

#include "app/answers/answer_table.h"

namespace headlight {

// The bytes of a PDF: for each question one picture of all answers beside the right one, and who was right;
// without names if `anonymous`. `program`: recorded as the creator.
std::string class_pages_bytes(const std::vector<AnsweredQuestion>& questions, bool anonymous,
                              const std::string& program);

}  // namespace headlight
