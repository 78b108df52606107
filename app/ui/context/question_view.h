// The page *Questions* of the open model as the panels see it: what is asked, and what was found.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/interpretation/open_model.h"
#include "engine/questions/question.h"

namespace headlight {

// What is asked of the open model, and what it found.
struct QuestionResult {
  std::shared_ptr<const OpenModel> of, from;  // B, and A where the question has one
  std::string texts_file;                     // a text a line; empty: the open text
  Question question;                          // with its texts, once it is answered
  Finding finding;
  std::optional<Error> failure;

  bool same_question(const QuestionResult& other) const {
    return of == other.of && from == other.from && texts_file == other.texts_file &&
           question == other.question;
  }
};

struct QuestionView {
  // Set by the page. Without its texts: those are the open one, or the lines of the file.
  Question asked;
  std::optional<Index> layer, head;  // none: those that are shown
  std::string texts_file;
  bool compute = false, stop = false;  // requests of this frame
  std::size_t table = 0;               // which of the finding's tables is shown

  // Written by the program.
  std::shared_ptr<const QuestionResult> result;  // the newest; null before the first
  bool fresh = false;                            // whether it answers what is asked
  std::optional<double> progress;                // 0 to 1, while it is computed
};

}  // namespace headlight
