// A lesson's text as it is read in one state of the model: conditions decided, numbers filled in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// Waiting: an answer has not come. Unsure: a number is gone, or NaN, of which nothing is more or less.
enum class Verdict { No, Yes, Unsure, Waiting };
Verdict verdict(const Condition& condition, const ReferencedStates& states);

// A number of the weights, as they are stored.
struct ReferencedWeight {
  Parameter parameter = Parameter::Query;
  Index row = 0, column = 0;
  bool operator==(const ReferencedWeight&) const = default;
};

// A part of the text. A live one follows the numbers; `cell` or `weight` is what it can be pointed at.
struct EvaluatedRun {
  std::string text;
  bool live = false;
  std::optional<CellAddress> cell;
  std::optional<ReferencedWeight> weight;
  std::optional<TextSlider> slider;  // what stands in the text's place, its text is the setting's value
};

// Where no branch can be chosen stands "–", or "…" while its condition waits for an answer: nothing is
// claimed.
std::vector<EvaluatedRun> evaluated_runs(const std::vector<TextPiece>& pieces,
                                         const ReferencedStates& states);

}  // namespace headlight
