// A lesson of a session file: the cell that it opens at, and the steps that explain the numbers.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/layer/stage.h"
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

// What makes a number of a question right: its place among the others, whether the change moves it by the
// digits that a text shows, or a comparison with `threshold`.
enum class RightIf { Largest, Smallest, Changed, Unchanged, Less, Greater, Equal, NotEqual };
struct RightRule {
  RightIf kind = RightIf::Largest;
  double threshold = 0;  // Less to NotEqual
  bool operator==(const RightRule&) const = default;
};

// A row or a column of numbers that the reader draws as bars.
struct AskedBars {
  LessonText list;           // a text of one reference: "{weights[1]}" or "{weights[,1]}"
  std::vector<Index> drawn;  // the bars that the reader moves; the others show the present numbers
  double low = 0, high = 1;  // both ends of a bar
  double near = 0.05;        // each drawn bar that is off by at most this is right
  LessonText right;          // "{if guess[1] > 0.5}right{else}wrong{end}": decides instead; empty: none
  bool operator==(const AskedBars&) const = default;
};

// Cells that the reader marks: of the offered rows and columns those that the rule makes right.
struct AskedMarks {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0;
  std::vector<Index> rows, columns;
  RightRule right;
  bool operator==(const AskedMarks&) const = default;
};

// A token that the reader chooses: one of those that the numbers of a row of pairs, "{weights[1]}", or of a
// column, "{output[,0]}", belong to.
struct AskedWord {
  LessonText list;
  RightRule right;
  bool operator==(const AskedWord&) const = default;
};

// A question that a step asks before something is tried, of one kind: answers to choose from, a cell to
// click, a number to guess, bars to draw, cells to mark or a word to choose. The reply to the answer appears
// once the try is done, or at once where there is nothing to do. The text and the replies may hold
// references; see lesson_text.h.
struct LessonQuestion {
  LessonText text;
  std::vector<std::string> answers;  // two or three, without references
  Index right = 0;                   // index of the right answer
  std::optional<AskedCell> cell;
  std::optional<AskedNumber> number;
  std::optional<AskedBars> bars;
  std::optional<AskedMarks> marks;
  std::optional<AskedWord> word;
  // One per answer; of the other kinds one if right and one if wrong, and then one for each of `wrong`.
  std::vector<LessonText> replies;
  // Conditions on a wrong guess, as texts "{if guess[1] > 0.5}wrong{else}other{end}". The first that holds
  // selects its reply.
  std::vector<LessonText> wrong;
  std::optional<LessonChange> change;  // carried out by a button
  bool operator==(const LessonQuestion&) const = default;

  // Whether the guess has a shape: it is a matrix of numbers, which conditions call `guess`.
  bool has_shape() const { return bars || marks || word; }
};

// The rows and columns of a guess: the bars, the cells (1: marked), the words (1: chosen), the number.
struct GuessShape {
  Index rows = 0, columns = 0;
  bool operator==(const GuessShape&) const = default;
};
// Precondition: the question fits the layer and is of the kinds bars, marks, word or number.
GuessShape guess_shape(const LessonQuestion& question, const Layer& layer);
// The condition in a text "{if CONDITION}...".
const Condition& guess_condition(const LessonText& text);

inline constexpr Index kMostBars = 16, kMostMarkedLines = 12;

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
  bool gradients = false;                      // pictures and grids show the gradients of the session's goal
  bool learning = false;                       // the controls of a training are open
  // Compare: A is the opened lesson with these settings; none: the state that the reader has stored as A.
  std::optional<LessonSettings> against;
  LessonSettings settings;
  std::optional<LessonQuestion> question;
  // The JSON of a step that cannot be read, unchanged; `text` is then the error. "": the step was read.
  std::string unread;

  bool points_at_cells() const { return !rows.empty() || !columns.empty() || !cells.empty(); }
  bool points_at(Index row, Index column) const;
  Index first_head() const { return head.value_or(0); }
  // All texts that may hold references: the text, the try, the question, its number or list, and its replies.
  std::vector<LessonText> texts() const;
};

// The language of a lesson: what the window writes around its texts, and how numbers are written.
struct LessonLanguage {
  std::map<std::string, std::string> labels;  // by key; see app/lesson_text/lesson_labels.h
  bool decimal_comma = false;
  std::map<std::string, std::string> glossary = {};  // the meaning of each term
  bool is_english() const { return *this == LessonLanguage{}; }
  bool operator==(const LessonLanguage&) const = default;
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
  LessonLanguage language;
  std::vector<LessonStep> steps;
};

}  // namespace headlight
