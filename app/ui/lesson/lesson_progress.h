// How far each lesson was read, as the window remembers it.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/answer_file.h"
#include "app/settings/preferences.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/lesson/lesson_list.h"

namespace headlight {

int steps_read(const WindowMemory& memory, const LessonEntry& lesson);
bool is_read(const WindowMemory& memory, const LessonEntry& lesson);  // to its last step

// The step at which a lesson of the course opens: where an unfinished one was left, else the first. And that
// in words, "Continue at step 3"; "" where it opens at the first.
std::size_t step_to_open(const WindowMemory& memory, const LessonEntry& lesson);
std::string continue_words(const WindowMemory& memory, const LessonEntry& lesson);

// What was guessed well: "1 of 2 questions answered rightly"; "" before the first answer.
std::string guessed_words(const WindowMemory& memory, const LessonEntry& lesson);

// The answers to the open lesson's questions, without the reader's name.
AnswerFile given_answers(const UiContext& ui, const LessonGuide& guide);

// Call once per frame: stores in `memory` how far the open lesson was read and the answers to its questions,
// and reads the answers of earlier starts from there.
void note_lesson(const UiContext& ui, const std::vector<LessonEntry>& lessons, LessonGuide& guide,
                 WindowMemory& memory);

}  // namespace headlight
