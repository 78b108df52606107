// The answers of a class to one lesson, side by side.
#pragma once

#include <string>
#include <vector>

#include "app/answers/answer_file.h"

namespace headlight {

// Open: it was not judged, as a change that the question asks for was never made.
enum class AnswerOutcome { Right, Wrong, Open };
const char* outcome_text(AnswerOutcome outcome);  // "right", "wrong", "not tried"

struct ReaderAnswer {
  std::string name;
  std::vector<double> guess;  // one for each label of the question
  AnswerOutcome outcome = AnswerOutcome::Open;
};

// One question, with what each reader answered.
struct AnsweredQuestion {
  std::string lesson, question;
  int step = 0;
  int version = 1;  // above 1: the same step of another version of the lesson asked for something else
  AnswerKind kind = AnswerKind::Numbers;
  std::vector<std::string> labels;
  std::vector<double> right;  // one for each label; empty if nobody's answer was judged
  std::vector<ReaderAnswer> readers;

  std::string place() const;    // "step 2", "step 2 of another version"
  std::string summary() const;  // "2 of 3 right, 1 not tried": those who did not try are not of the three
  std::vector<double> tally()
      const;  // numbers: the mean guess for each label; marks: by how many it was marked
};

// The questions by lesson and step; readers in the order of the files. A file that holds a question twice
// counts once, with the first. Files of the same name are told apart: "ann", "ann (2)".
std::vector<AnsweredQuestion> compared_answers(const std::vector<AnswerFile>& files);

// The question's labels, and numbers below them, in columns of the same widths; of marks, the labels that are
// marked: "sat, mat".
std::string label_line(const AnsweredQuestion& question);  // "" of marks
std::string guess_line(const AnsweredQuestion& question, const std::vector<double>& numbers);
std::string tally_line(const AnsweredQuestion& question);  // of marks: "sat 3, mat 1"

// A table for grading, as CSV: a line for each reader; for each question 1, 0 or nothing (not tried) and the
// answer; how many are right, and of how many.
std::string grades_csv(const std::vector<AnsweredQuestion>& questions);

}  // namespace headlight
