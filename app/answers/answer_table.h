// The answers of a class to one lesson, side by side.
#pragma once

#include <string>
#include <vector>

#include "app/answers/answer_file.h"

namespace headlight {

struct ReaderAnswer {
  std::string name;
  std::string guess;    // "0.40  0.60", or the marked labels
  std::string outcome;  // "right", "wrong", or "" if it was not judged
};

// One question, with what each reader answered.
struct AnsweredQuestion {
  std::string lesson, question;
  int step = 0;
  std::string labels;  // of numbers, in the columns of the guesses; "" of marks
  std::string right;   // "" if nobody's answer was judged
  std::vector<ReaderAnswer> readers;
  std::size_t right_count = 0;
  std::string summary() const;  // "2 of 3 right"
};

// The questions by lesson and step; readers in the order of the files. A file that holds a question twice
// counts once, with the first.
std::vector<AnsweredQuestion> compared_answers(const std::vector<AnswerFile>& files);

}  // namespace headlight
