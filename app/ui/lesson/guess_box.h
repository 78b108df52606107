// The picture of a guess: the reader draws bars, marks cells or chooses a word, with the mouse or with the
// keyboard, as often as wanted; once it is given, the right answer moves in over it.
//
// Probe names: "lesson.bar.<n>" ("0.21"; answered "0.21, right 0.24"), "lesson.mark.<row>.<column>" ("marked"
// or ""; answered also "right"), "lesson.mark.row.<n>", "lesson.mark.column.<n>", "lesson.word.<n>".
#pragma once

#include <optional>
#include <string>

#include "app/figure/plan/guess_plan.h"
#include "app/ui/lesson/lesson_guide.h"

namespace headlight {

// The guess of the shown step as it is drawn: the reader's, or what the bars begin with. `editable`: the
// answer is not given yet. Empty matrix: the model lacks what is guessed, or its numbers are pending.
struct ShownGuess {
  Matrix guess;
  Matrix truth;       // once it is shown; else empty
  double filled = 1;  // how far the right answer has moved in over the guess, 0 to 1
  bool editable = false;
  GuessNames names;
};
ShownGuess shown_guess(UiContext& ui, LessonGuide& guide, const LessonQuestion& question);

// The picture of the guess in the box below the question.
GuessPlan plan_guess(const UiContext& ui, const LessonQuestion& question, const ShownGuess& shown,
                     float width);

// Of a question for a word: whether the words are rows of the picture, whose columns may be dimensions.
bool chooses_row(const LessonQuestion& question);

// Whether the guess is drawn in the box, or over the large picture, which has the names and the colours.
enum class GuessPlace { Box, Picture };
// Draws the guess with its top left corner at `at`, and changes it by mouse and keyboard. Returns whether it
// was changed.
bool draw_guess(UiContext& ui, const LessonQuestion& question, ShownGuess& shown, const GuessPlan& plan,
                ImVec2 at, GuessPlace place);

// What is guessed of a cell from `low` to `high`: dashed, and once it is known what is right, what became of
// it. `filled`: how far that is shown.
void draw_guessed_mark(const UiContext& ui, bool guessed, std::optional<bool> right, double filled,
                       ImVec2 low, ImVec2 high);

// The words above or below the guess: what to do, or what was guessed.
std::string guess_note(const UiContext& ui, const LessonQuestion& question, const ShownGuess& shown);

}  // namespace headlight
