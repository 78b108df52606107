// Evaluates a lesson's text for given states of the model: decides conditions and fills in numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/layer/edit.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// Waiting: a result is pending. Undecidable: a number does not exist, or is NaN and cannot be compared.
enum class Verdict { No, Yes, Undecidable, Waiting };
Verdict verdict(const Condition& condition, const ReferencedStates& states);

// A run of the text, until it is placed in lines.
struct EvaluatedRun {
  std::string text;
  bool live = false;                      // the text depends on the model's numbers
  std::optional<CellAddress> cell = {};   // the matrix cell that the text refers to
  std::optional<InputCell> input = {};    // the input cell that it refers to
  std::optional<TextSlider> slider = {};  // drawn instead of the text, which is the setting's value
  std::string meaning = {};               // meaning of a technical term, shown on a click; "": not a term
  std::string_view control = {};          // probe name of the control that the text names; "": none
  std::size_t part = 0;                   // index of its piece of the source text, used in widget names
};

// If no branch can be chosen, the run is "–", or "…" while the result that its condition needs is pending.
std::vector<EvaluatedRun> evaluated_runs(const std::vector<TextPiece>& pieces,
                                         const ReferencedStates& states);

}  // namespace headlight
