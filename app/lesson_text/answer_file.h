// A reader's answers to the questions of a lesson as a file, so that those of a class can be compared: JSON,
// described in FORMAT.md.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/lesson.h"

namespace headlight {

// Numbers: a number for each label. Marks: 1 for each label that is marked, chosen or right, else 0.
enum class AnswerKind { Numbers, Marks };

struct SavedAnswer {
  int step = 0;  // of the lesson, counted from 1
  std::string question;
  AnswerKind kind = AnswerKind::Numbers;
  std::vector<std::string> labels;
  std::vector<double> guess, right;  // one for each label
  std::optional<bool> is_right;      // none: it was not judged
  std::string id = {};               // of the question, see question_id.h; "": unknown
  bool operator==(const SavedAnswer&) const = default;
};

struct AnswerFile {
  std::string name;    // of the reader; "" is not written, and read as the name of the file
  std::string lesson;  // its title
  std::vector<SavedAnswer> answers;
  LessonLanguage language = {};  // of the lesson, for what is written around the answers
  bool operator==(const AnswerFile&) const = default;
};

std::string answer_file_text(const AnswerFile& file);
// Throws Error that names the place if the text is no file of answers. `name` stands in for a missing name.
AnswerFile parse_answer_file(const std::string& text, const std::string& name);
// Throws Error if the file cannot be read or is larger than 1 MB.
AnswerFile load_answer_file(const std::filesystem::path& path);

}  // namespace headlight
