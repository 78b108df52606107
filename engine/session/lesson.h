// A lesson of a session file: where the gaze rests, and the steps that lead through the numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/stage.h"
#include "engine/session/lesson_settings.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// How a step draws its stage at large.
enum class LessonView { Heatmap, Flow, Row, Vectors, Compare, Model };

// A part of a matrix, half open.
struct LessonPart {
  Index row = 0, row_end = 0, column = 0, column_end = 0;
  bool operator==(const LessonPart&) const = default;
};

// A cell that the reader is asked to click.
struct AskedCell {
  Stage stage = Stage::Weights;
  Index head = 0;
  std::array<Index, 2> at = {0, 0};  // row and column
  bool operator==(const AskedCell&) const = default;
};

// A number that the reader is asked to guess.
struct AskedNumber {
  LessonText number;  // a text of one reference: "{weights[1,2]}"
  double low = 0, high = 1;
  bool operator==(const AskedNumber&) const = default;
};

// What a step asks before something is tried. One of three kinds: answers to choose from, a cell to click, or
// a number to guess; the reply that fits the answer is told once the try was done, or at once where there is
// nothing to do. Texts are told, with references of live numbers.
struct LessonQuestion {
  LessonText text;
  std::vector<std::string> answers;  // two or three, without references
  Index right = 0;                   // of the answers
  std::optional<AskedCell> cell;
  std::optional<AskedNumber> number;
  std::vector<LessonText> replies;  // one for each answer; of the other kinds to the right one and to others
  std::optional<LessonChange> change;  // what is to be done, carried out by a button
  bool operator==(const LessonQuestion&) const = default;
};

// Within how much of its range a guess counts as near.
inline constexpr double kNearGuess = 0.05;

// A step: what it says and what it points at. All indices count from 0.
struct LessonStep {
  std::string title;
  LessonText text;    // with references of live numbers; see text_reference.h
  LessonText try_it;  // something to try; may be empty; references too
  Stage stage = Stage::Weights;
  std::optional<Index> head;  // none: all heads
  Index sequence = 0;
  // What glows: whole rows, whole columns, or where both are named their crossings; and single cells. With
  // none of them the stage as a whole is pointed at.
  std::vector<Index> rows, columns;
  std::vector<std::array<Index, 2>> cells;       // row and column of each
  std::optional<std::array<Index, 2>> selected;  // the cell that the inspector takes apart
  std::optional<Parameter> weight;               // whose grid comes to the front
  LessonView view = LessonView::Heatmap;
  std::optional<std::array<double, 2>> range;  // of the stage's colours, low and high
  std::optional<LessonPart> part;              // of the stage that is in sight; none: all of it
  // Of Compare: what A is, the lesson as it opens with these settings; none: what the reader has kept.
  std::optional<LessonSettings> against;
  LessonSettings settings;
  std::optional<LessonQuestion> question;
  // The JSON of a step that cannot be understood, kept as it was; its text then says why. "": it can.
  std::string unread;

  bool points_at_cells() const { return !rows.empty() || !columns.empty() || !cells.empty(); }
  bool points_at(Index row, Index column) const;
  Index first_head() const { return head.value_or(0); }
  // All that is told with numbers in it: the text, the try, the question and its replies.
  std::vector<LessonText> texts() const;
};

// Optional in a session file, as "lesson". The first address is where the gaze rests when it opens and has no
// steps.
struct Lesson {
  int order = 0;        // position in the list of lessons
  std::string chapter;  // heading it stands under
  std::string source;   // where its numbers come from
  // The order of the lesson whose mechanism it shows once more, on other numbers: it can be skipped.
  std::optional<int> variation_of;
  Stage stage = Stage::Weights;
  Index head = 0, row = 0, column = 0;
  // What its text counts heads, tokens and dimensions from, 0 or 1: so does the window while it is open.
  // None: as the person has chosen. The fields of the file count from 0 all the same.
  std::optional<Index> count_from;
  std::vector<LessonStep> steps;
};

}  // namespace headlight
