#include "app/ui/lesson/lesson_progress.h"

#include <algorithm>

#include "app/figure/plan/names.h"
#include "app/lesson_text/question_id.h"
#include "app/ui/lesson/question_box.h"

namespace headlight {
namespace {

std::vector<double> numbers_of_guess(const Matrix& guess) {
  return {guess.data(), guess.data() + guess.size()};
}

// The drawn bars alone, each cell as "row → column", each word.
void save_shape(const LessonQuestion& question, const GivenAnswer& given, const GuessNames& names,
                SavedAnswer& saved) {
  std::vector<std::string> labels = names.columns;
  if (question.marks) {
    labels.clear();
    for (const std::string& row : names.rows)
      for (const std::string& column : names.columns)
        labels.push_back(pair_name(row, column));
  }
  const std::vector<double> guess = numbers_of_guess(given.guess),
                            right = given.truth ? numbers_of_guess(*given.truth) : std::vector<double>{};
  saved.kind = question.bars ? AnswerKind::Numbers : AnswerKind::Marks;
  for (std::size_t i = 0; i < guess.size() && i < labels.size(); ++i) {
    if (question.bars) {
      const std::vector<Index>& drawn = question.bars->drawn;
      if (std::find(drawn.begin(), drawn.end(), static_cast<Index>(i)) == drawn.end()) continue;
    }
    saved.labels.push_back(labels[i]);
    saved.guess.push_back(guess[i]);
    if (i < right.size()) saved.right.push_back(right[i]);
  }
  if (saved.right.size() != saved.labels.size()) saved.right.clear();
}

std::string cell_name(const CellAddress& cell, Counting counting) {
  return std::string(stage_info(cell.stage).name) + "[" + counting.number(cell.row) + ", " +
         counting.number(cell.column) + "]";
}

void save_choice(const LessonQuestion& question, const GivenAnswer& given, Counting counting,
                 SavedAnswer& saved) {
  saved.kind = AnswerKind::Marks;
  if (question.cell && given.cell) {
    const AskedCell& asked = *question.cell;
    saved.labels = {
        cell_name({asked.stage, given.cell->sequence, asked.head, asked.at[0], asked.at[1]}, counting)};
    saved.right = {1};
    saved.guess = {is_right(asked, *given.cell) ? 1.0 : 0.0};
    if (saved.guess[0] > 0) return;
    const bool of_head =
        given.cell->head == asked.head;  // else the label alone could be that of the right cell
    saved.labels.push_back(cell_name(*given.cell, counting) +
                           (of_head ? "" : ", " + head_name(given.cell->head, counting)));
    saved.right.push_back(0);
    saved.guess.push_back(1);
    return;
  }
  saved.labels = question.answers;
  for (std::size_t i = 0; i < question.answers.size(); ++i) {
    saved.guess.push_back(i == given.choice ? 1 : 0);
    saved.right.push_back(static_cast<Index>(i) == question.right ? 1 : 0);
  }
}

// By its place in the course, which keeps the progress of earlier versions. A lesson of one's own is written
// while it is open: its answers belong to what is asked, whatever becomes of titles, texts and other steps.
std::vector<std::string> answer_keys(const Session& session, const Layer& opened, const LessonEntry* entry) {
  std::vector<std::string> keys;
  if (!entry) {
    for (const std::string& id : question_ids(session, opened))
      keys.push_back(kOwnLesson + id);
    return keys;
  }
  for (std::size_t step = 0; step < session.lesson->steps.size(); ++step)
    keys.push_back(entry->stem + "/" + std::to_string(step));
  return keys;
}

}  // namespace

int steps_read(const WindowMemory& memory, const LessonEntry& lesson) {
  const auto found = memory.lessons.find(lesson.stem);
  return found == memory.lessons.end() ? 0 : found->second;
}

bool is_read(const WindowMemory& memory, const LessonEntry& lesson) {
  return lesson.steps > 0 && steps_read(memory, lesson) >= static_cast<int>(lesson.steps);
}

std::size_t step_to_open(const WindowMemory& memory, const LessonEntry& lesson) {
  if (is_read(memory, lesson)) return 0;
  return static_cast<std::size_t>(std::max(0, steps_read(memory, lesson) - 1));
}

std::string continue_words(const WindowMemory& memory, const LessonEntry& lesson) {
  const std::size_t step = step_to_open(memory, lesson);
  return step == 0 ? "" : "Continue at step " + std::to_string(step + 1);
}

AnswerFile given_answers(const UiContext& ui, const LessonGuide& guide) {
  AnswerFile file;
  const Session& session = ui.document.session();
  if (!session.lesson) return file;
  file.lesson = session.title;
  file.language = session.lesson->language;
  file.language.glossary.clear();  // no page of answers explains terms
  const std::vector<std::string> ids = guide.opened ? question_ids(session, *guide.opened)
                                                    : std::vector<std::string>(session.lesson->steps.size());
  for (const auto& [step, given] : guide.answers) {
    if (step >= session.lesson->steps.size() || !session.lesson->steps[step].question) continue;
    const LessonQuestion& question = *session.lesson->steps[step].question;
    SavedAnswer saved;
    saved.step = static_cast<int>(step) + 1;
    saved.id = ids[step];
    const auto asked = guide.asked.find(step);
    saved.question = asked == guide.asked.end() ? question.text.written() : plain_text(asked->second);
    if (question.has_shape()) {
      if (!guess_exists(question, ui.layer())) continue;
      save_shape(question, given, guess_names(question, ui.layer(), ui.counting()), saved);
    } else if (question.number) {
      saved.labels = {""};
      saved.guess = {given.number};
      if (given.truth) saved.right = numbers_of_guess(*given.truth);
    } else {
      save_choice(question, given, ui.counting(), saved);
    }
    const auto outcome = guide.outcomes.find(step);
    const auto right = is_right(question, given);
    if (right)
      saved.is_right = *right;
    else if (outcome != guide.outcomes.end())
      saved.is_right = outcome->second;
    file.answers.push_back(std::move(saved));
  }
  return file;
}

std::string guessed_words(const WindowMemory& memory, const LessonEntry& lesson) {
  const std::string begin = lesson.stem + "/";
  int right = 0, judged = 0;
  for (auto at = memory.answers.lower_bound(begin);
       at != memory.answers.end() && at->first.starts_with(begin); ++at)
    if (const auto outcome = outcome_of(at->second)) {
      right += *outcome ? 1 : 0;
      ++judged;
    }
  if (judged == 0) return {};
  const auto asked = std::max(lesson.questions, static_cast<std::size_t>(judged));
  return std::to_string(right) + " of " + std::to_string(asked) + (asked == 1 ? " question" : " questions") +
         " answered rightly";
}

void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory) {
  const Session& session = ui.document.session();
  if (!guide.opened || !session.lesson || session.lesson->steps.empty()) return;
  const LessonEntry* entry = entry_of(session, lessons);
  if (guide.answer_keys.empty()) guide.answer_keys = answer_keys(session, *guide.opened, entry);
  if (entry) {
    int& read = memory.lessons[entry->stem];
    read = std::max(read, static_cast<int>(guide.step) + 1);
  }
  sync_answers(ui, guide, memory);
}

}  // namespace headlight
