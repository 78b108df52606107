// A lesson's text as it is read in one state of the model: conditions decided, numbers filled in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/model/edit.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// Waiting: an answer has not come. Unsure: a number is gone, or NaN, of which nothing is more or less.
enum class Verdict { No, Yes, Unsure, Waiting };
Verdict verdict(const Condition& condition, const ReferencedStates& states);

// A run of the text, until it is placed in lines.
struct TextRun {
  std::string text;
  bool live = false;                      // the text depends on the model's numbers
  std::optional<CellAddress> cell = {};   // the matrix cell that the text refers to
  std::optional<InputCell> input = {};    // the input cell that it refers to
  std::optional<TextSlider> slider = {};  // drawn instead of the text, which is the setting's value
  std::string_view meaning = {};          // meaning of a technical term, shown on a click; "": not a term
  std::size_t part = 0;                   // index of its piece of the source text, used in widget names
};

// Where no branch can be chosen stands "–", or "…" while its condition waits for an answer: nothing is
// claimed.
std::vector<TextRun> evaluated_runs(const std::vector<TextPiece>& pieces, const ReferencedStates& states);

}  // namespace headlight
