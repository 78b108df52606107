#include "app/ui/main_window/saved_answers.h"

#include "app/lesson_text/answer_file.h"
#include "app/ui/lesson/lesson_progress.h"

namespace headlight {

std::string answers_text(const UiContext& ui, const WorkbenchState& state) {
  const AnswerFile file = given_answers(ui, state.lesson.guide);
  return file.answers.empty() ? std::string() : answer_file_text(file);
}

}  // namespace headlight
