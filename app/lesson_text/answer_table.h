// The answers of a class to one lesson, side by side.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/answer_file.h"

namespace headlight {

// Open: it was not judged, as a change that the question asks for was never made.
enum class AnswerOutcome { Right, Wrong, Open };
// "right", "wrong", "not tried", or as the lesson's language has it.
std::string outcome_text(const LessonLanguage& language, AnswerOutcome outcome);

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
  std::vector<std::string> missing;  // readers of the lesson without an answer to this step
  LessonLanguage language = {};

  std::string place() const;  // "step 2", "step 2, another version"
  // "2 of 3 right, 1 not tried, 4 no answer": those who did not try or answer are not of the three.
  std::string summary() const;
  std::vector<double> tally()
      const;  // numbers: the mean guess for each label; marks: by how many it was marked
  std::string number(double value) const;  // with two decimals, as the language writes it
};

// A reader: a name in the files of one lesson, and how many of the judged answers are right.
struct ClassReader {
  std::string name;
  int right = 0, judged = 0;
};

struct ClassAnswers {
  std::vector<AnsweredQuestion> questions;  // by lesson, step and version
  std::vector<ClassReader> readers;         // in the order of the files, those who answered nothing too
  std::vector<std::string> same_names;      // "2 files have the name “Ann”: ..."
  const LessonLanguage& language() const;   // of the first question
};

// A question is the same in two files if it has the same id (question_id.h) and the same right answer; of
// files without ids, if it is the same step of a lesson of the same title and asks for the same labels. The
// version with the most readers is the first. Lessons that have an id in common are one, whatever their
// titles; it has the title of most files. A file that holds a question twice counts once, with the first.
// Files of the same name are told apart: "ann", "ann (2)".
ClassAnswers compared_answers(const std::vector<AnswerFile>& files);

// The question's labels, and numbers below them, in columns of the same widths; of marks, the labels that are
// marked: "sat, mat".
std::string label_line(const AnsweredQuestion& question);  // "" of marks
std::string guess_line(const AnsweredQuestion& question, const std::vector<double>& numbers);
std::string tally_line(const AnsweredQuestion& question);                       // of marks: "sat 3, mat 1"
std::string total_text(int right, int judged, const LessonLanguage& language);  // "2 of 3"
// guess_line(), but of more than eight marks only how many are right, wrong and missed: "7 right, 1 wrong, 2
// missed".
std::string brief_guess(const AnsweredQuestion& question, const std::vector<double>& numbers);

// A table for grading, as CSV: a line for each reader; for each question 1, 0 or nothing (not tried or not
// answered) and the answer; how many are right, and of how many. With a decimal comma the fields are
// separated by semicolons, as spreadsheets of such languages read them.
std::string grades_csv(const ClassAnswers& answers);

}  // namespace headlight
