#include "app/ui/lesson/lesson_progress.h"

#include <algorithm>

#include "app/ui/lesson/question_box.h"

namespace headlight {

int steps_read(const WindowMemory& memory, const LessonEntry& lesson) {
  const auto found = memory.lessons.find(lesson.stem);
  return found == memory.lessons.end() ? 0 : found->second;
}

bool is_read(const WindowMemory& memory, const LessonEntry& lesson) {
  return lesson.steps > 0 && steps_read(memory, lesson) >= static_cast<int>(lesson.steps);
}

std::string guessed_words(const WindowMemory& memory, const LessonEntry& lesson) {
  const std::string begin = lesson.stem + "/";
  int right = 0, judged = 0;
  for (auto at = memory.answers.lower_bound(begin); at != memory.answers.end() && at->first.starts_with(begin);
       ++at)
    if (const auto outcome = outcome_of(at->second)) {
      right += *outcome ? 1 : 0;
      ++judged;
    }
  if (judged == 0) return {};
  const auto asked = std::max(lesson.questions, static_cast<std::size_t>(judged));
  return std::to_string(right) + " of " + std::to_string(asked) + (asked == 1 ? " question" : " questions") +
         " answered rightly at the first try";
}

void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory) {
  const Session& session = ui.document.session();
  if (!guide.opened || !session.lesson || session.lesson->steps.empty()) return;
  const LessonEntry* entry = entry_of(session, lessons);
  if (!entry) return;
  int& read = memory.lessons[entry->stem];
  read = std::max(read, static_cast<int>(guide.step) + 1);
  sync_answers(ui, guide, entry->stem, memory);
}

}  // namespace headlight
