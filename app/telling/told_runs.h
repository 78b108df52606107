// A lesson's text as it is read in one state of the model: claims decided, numbers filled in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/telling/facts.h"
#include "engine/session/told_text.h"

namespace headlight {

// Waiting: an answer has not come. Unsure: a number is gone, or NaN, of which nothing is more or less.
enum class Verdict { No, Yes, Unsure, Waiting };
Verdict verdict(const Claim& claim, const ToldStates& states);

// A number of the weights, as they are stored.
struct ToldWeight {
  Parameter parameter = Parameter::Query;
  Index row = 0, column = 0;
  bool operator==(const ToldWeight&) const = default;
};

// A part of the text. A live one follows the numbers; `cell` or `weight` is what it can be pointed at.
struct ToldRun {
  std::string text;
  bool live = false;
  std::optional<CellAddress> cell;
  std::optional<ToldWeight> weight;
  std::optional<TextSlider> slider;  // what stands in the text's place, its text is the setting's value
};

// Where no branch can be chosen stands "–", or "…" while its claim waits for an answer: nothing is claimed.
std::vector<ToldRun> told_runs(const std::vector<TextPiece>& pieces, const ToldStates& states);

}  // namespace headlight
