// A lesson of a session file: the cell that it opens at, and the steps that explain the numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/stage.h"
#include "engine/session/lesson_settings.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// The view in which a step shows its stage.
enum class LessonView { Heatmap, Flow, Row, Vectors, Compare, Model };

// A block of a matrix, as half-open ranges.
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
  LessonText number;         // a text of one reference: "{weights[1,2]}"
  double low = 0, high = 1;  // ends of the slider
  bool operator==(const AskedNumber&) const = default;
};

// A question that a step asks before something is tried. One of three kinds: answers to choose from, a cell
// to click, or a number to guess. The reply to the answer appears once the try is done, or at once where
// there is nothing to do. The text and the replies may hold references; see lesson_text.h.
struct LessonQuestion {
  LessonText text;
  std::vector<std::string> answers;  // two or three, without references
  Index right = 0;                   // index of the right answer
  std::optional<AskedCell> cell;
  std::optional<AskedNumber> number;
  std::vector<LessonText> replies;     // one per answer; of the other kinds one if right and one if wrong
  std::optional<LessonChange> change;  // carried out by a button
  bool operator==(const LessonQuestion&) const = default;
};

// A guess within this share of its range is near.
inline constexpr double kNearGuess = 0.05;

// A step: its texts and what it points at. All indices count from 0.
struct LessonStep {
  std::string title;
  LessonText text;    // with references; see lesson_text.h
  LessonText try_it;  // something to try, with references; may be empty
  Stage stage = Stage::Weights;
  std::optional<Index> head;  // none: all heads
  Index sequence = 0;
  // Highlighted: whole rows, whole columns, or their crossings where both are named; and single cells. With
  // none of them the step points at the whole stage.
  std::vector<Index> rows, columns;
  std::vector<std::array<Index, 2>> cells;       // row and column of each
  std::optional<std::array<Index, 2>> selected;  // the cell that the inspector shows
  std::optional<Parameter> weight;               // the parameter whose grid is shown
  LessonView view = LessonView::Heatmap;
  std::optional<std::array<double, 2>> range;  // of the stage's colours, low and high
  std::optional<LessonPart> part;              // the visible part of the stage; none: all of it
  // Compare: A is the opened lesson with these settings; none: the state that the reader has stored as A.
  std::optional<LessonSettings> against;
  LessonSettings settings;
  std::optional<LessonQuestion> question;
  // The JSON of a step that cannot be read, unchanged; `text` is then the error. "": the step was read.
  std::string unread;

  bool points_at_cells() const { return !rows.empty() || !columns.empty() || !cells.empty(); }
  bool points_at(Index row, Index column) const;
  Index first_head() const { return head.value_or(0); }
  // All texts that may hold references: the text, the try, the question, its number and its replies.
  std::vector<LessonText> texts() const;
};

// Optional in a session file. `stage`, `head`, `row` and `column`: the selection if there are no steps.
struct Lesson {
  int order = 0;        // position in the list of lessons
  std::string chapter;  // the heading in the list of lessons
  std::string source;   // where its numbers come from
  // The order of the lesson whose mechanism this one repeats on other numbers: it can be skipped.
  std::optional<int> variation_of;
  Stage stage = Stage::Weights;
  Index head = 0, row = 0, column = 0;
  // The text, and the window while the lesson is open, count heads, tokens and dimensions from 0 or 1. None:
  // as the user has chosen. The fields of the file count from 0 in any case.
  std::optional<Index> count_from;
  std::vector<LessonStep> steps;
};

}  // namespace headlight
