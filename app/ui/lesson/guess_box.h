// The picture of a guess below a question: the reader draws bars, marks cells or chooses a word, with the
// mouse or with the keyboard; then the right answer moves in over the guess, which stays as an outline.
//
// Probe names: "lesson.bar.<n>" ("0.21"; answered "0.21, right 0.24"), "lesson.mark.<row>.<column>" ("marked"
// or ""; answered also "right"), "lesson.mark.row.<n>", "lesson.mark.column.<n>", "lesson.word.<n>".
#pragma once

#include "app/figure/plan/guess_plan.h"
#include "app/ui/lesson/lesson_guide.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// The guess of the shown step as it is drawn: the reader's, or what the bars begin with. `editable`: the
// answer is not given yet. Empty matrix: the model lacks what is guessed, or its numbers are pending.
struct ShownGuess {
  Matrix guess;
  Matrix truth;        // once it is shown; else empty
  float moved_in = 1;  // how far the right answer has moved in over the guess, 0 to 1
  bool editable = false;
  GuessNames names;
};
ShownGuess shown_guess(UiContext& ui, LessonGuide& guide, const LessonQuestion& question);

GuessPlan plan_guess(const UiContext& ui, const LessonQuestion& question, const ShownGuess& shown,
                     float width);

// The places of the cells and their names over a large picture of the asked stage, in window pixels. No
// slots: it shows another stage or head, or not all of the matrix.
GuessPlan plan_over(const UiContext& ui, const AskedMarks& marks, const LargePicture& picture);

// What the reader did: nothing, changed the guess, or chose a word, which is the answer.
enum class GuessDone { Nothing, Changed, Chosen };
// Draws the guess with its top left corner at `at`, and changes it by mouse and keyboard.
GuessDone guess_box(UiContext& ui, const LessonQuestion& question, ShownGuess& shown, const GuessPlan& plan,
                    ImVec2 at);
// The same over the large picture, which has the colours and the names: white marks, dashed where they are
// guessed, solid where they are right.
GuessDone marks_over(UiContext& ui, ShownGuess& shown, const GuessPlan& plan);

// The words above or below the guess: what to do, or what was guessed.
std::string guess_note(const LessonQuestion& question, const ShownGuess& shown);

}  // namespace headlight
