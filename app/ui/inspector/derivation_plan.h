// Where the lines of a derivation go in the room that the inspector has, and which of them there are: a line
// for each step always, what is folded out below it, the largest terms first, and of the rest their number
// and their sum.
//
// In this order less is shown where room is short: the bars of the row, then the smaller terms, then all that
// nobody has folded out by hand. What is folded out by hand is shown, and scrolled where it has to be.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/ui/inspector/derivation.h"

namespace headlight {

// Whole: with all of its terms, however many there are.
enum class Fold { ByRoom, Closed, Open, Whole };
using Folds = std::map<std::string, Fold>;  // by the step's id, and "row"; those not named are ByRoom

inline constexpr const char* kRowId = "row";

// In pixels.
struct DerivationSizes {
  float step = 0;                                      // height of a step's own line, with the gap behind it
  float line = 0;                                      // of a line below one
  float gap = 0;                                       // below what a step folds out
  float row = 0;                                       // of the bars of the whole row; 0: the cell has none
  std::function<float(const std::string& note)> note;  // of a note, wrapped
  std::function<float(const std::string& code)> code;  // of lines of code, wrapped
};

struct StepLine {
  // Code: of the step, whether it is folded out or not. More: the terms that there was no room for. Row: the
  // line of the whole row; Bars: what it folds out.
  enum class Kind { Step, Code, Before, Term, More, After, Note, Row, Bars };
  Kind kind = Kind::Step;
  std::size_t step = 0, item = 0;  // of the derivation; item: in before, terms or after. Of More: how many
  float y = 0, height = 0;
  float sum = 0;  // of More: what they add up to
};

struct DerivationPlan {
  std::vector<StepLine> lines;
  std::vector<bool> open;  // by step
  bool row_open = false;
  float height = 0;
};

DerivationPlan plan_derivation(const Derivation& derivation, const Folds& folds, const DerivationSizes& sizes,
                               float room);

}  // namespace headlight
