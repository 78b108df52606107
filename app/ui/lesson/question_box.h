// The box below a step's text: the try, and if the step has a question, the question and its answers, or the
// picture of a guess. Once the reply to the answer is due, it stands where the question stood, and the
// question below it.
//
// Probe names: "lesson.question", "lesson.answer.<n>", "lesson.note", "lesson.guess" (its slider),
// "lesson.guess.typed", "lesson.guess.give", "lesson.guess.skip", "lesson.guess.whole",
// "lesson.legend.right" etc., "lesson.reply.more", "lesson.do", "lesson.try", "lesson.reply",
// "lesson.guess.picture" and those of guess_box.h; live numbers: "lesson.try.quote.<n>" etc.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/done_text.h"
#include "app/settings/preferences.h"
#include "app/ui/lesson/guess_box.h"
#include "app/ui/lesson/panel_text.h"

namespace headlight {

inline constexpr float kBoxGap = 10;  // planned pixels between the text and the box

// How many cells of a guess were guessed rightly, wrongly, and not although they are right.
struct GuessOutcomes {
  Index right = 0, wrong = 0, missed = 0;
};

struct QuestionPlan {
  std::string heading;
  PanelText question, note, try_it, reply;
  std::vector<PanelText> answers;
  float y = 0, height = 0;                   // of the box; height 0: no box
  float slider_y = 0, do_y = 0, more_y = 0;  // 0: none; more: the link to the rest of the reply
  ShownGuess shown;                          // of a question with a shape
  GuessPlan guess;
  float guess_y = 0, give_y = 0;          // of the picture of the guess and of its button; 0: none
  std::optional<GuessOutcomes> outcomes;  // of cells, once they are shown
  float legend_y = 0, whole_y = 0;        // 0: none; whole: the link to the whole picture
  bool in_picture = false;                // the guess is in the large picture, not here
  bool made = false;                      // what is asked about is made: the answer stays
  bool replies = false;                   // the reply is above the question, which is quiet
  std::optional<std::size_t> given;       // index of the chosen answer
  std::optional<std::size_t> right;       // index of the right answer, once the reply is shown
};

// Lays out the box of the shown step at `y` and adds its height to `y`.
QuestionPlan plan_question(UiContext& ui, LessonGuide& guide, float width, float& y);

// All texts of the box, from top to bottom.
std::vector<const PanelText*> texts_of(const QuestionPlan& plan);

// Draws the box with its top at at.y + plan.y.
void question_box(UiContext& ui, LessonGuide& guide, const QuestionPlan& plan, ImVec2 at, float width);

// Whether the shown step asks what training will do, and the reader has neither answered nor gone on without:
// until then nothing is trained.
bool waits_for_guess(const UiContext& ui, const LessonGuide& guide);

// Call once per frame before the panels: takes a clicked cell as the guess of a question about a cell, as a
// mark or as a word, until the guess is given, and a change of the document after an answer as its try.
void follow_question(UiContext& ui, LessonGuide& guide);

// Reads the stored answers from `memory` at the first call, and stores the present ones there, by the ids of
// what is asked (LessonGuide::answer_keys).
void sync_answers(const UiContext& ui, LessonGuide& guide, WindowMemory& memory);

}  // namespace headlight
