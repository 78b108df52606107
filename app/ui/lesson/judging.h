// Judges the answer to the question of the shown step, once, and moves the right answer in over the guess.
#pragma once

#include "app/figure/motion/answer_run.h"
#include "app/ui/lesson/lesson_guide.h"

namespace headlight {

// Whether all numbers of the document's present state are computed.
bool is_settled(const UiContext& ui);

// Call once per frame: computes the right answer on another thread and judges the reader's, if it is computed
// from the model; then records the outcome of the first answer.
void judge_answer(UiContext& ui, LessonGuide& guide);

// Whether the shown step's question is answered, tried and judged, so that its right answer is shown.
bool is_revealed(const UiContext& ui, const LessonGuide& guide);
// The shown answer on its way: at its end without motion, and on return to a step. Its stages are those of
// ui.view.lesson.answer_run, which judge_answer() sets.
AnswerMoment answer_moment(const UiContext& ui, const LessonGuide& guide);

}  // namespace headlight
