// The answers of a class as a page to print.
#pragma once

#include <string>
#include <vector>

#include "app/answers/answer_table.h"

namespace headlight {

// The bytes of a PDF: each question with its right answer and the answer of each reader. `program`: recorded
// as the creator.
std::string class_pages_bytes(const std::vector<AnsweredQuestion>& questions, const std::string& program);

}  // namespace headlight
