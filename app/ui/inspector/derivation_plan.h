// Selects and places the lines of a derivation in the inspector's height: a line for each step always, below
// it the unfolded lines, of the terms the largest in their order, and one line with the number and the sum of
// the others.
//
// If space is short, it leaves out in this order: the bars of the row, smaller terms, steps that the user has
// not unfolded. What the user has unfolded is always shown; the panel then scrolls.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/ui/inspector/derivation.h"

namespace headlight {

// Whole: with all terms.
enum class Fold { ByRoom, Closed, Open, Whole };
using Folds = std::map<std::string, Fold>;  // by the step's id, and "row"; others are ByRoom

inline constexpr const char* kRowId = "row";

// Heights in pixels.
struct DerivationSizes {
  float step = 0;                                      // of a step's own line, with its gap
  float line = 0;                                      // of each line below it
  float gap = 0;                                       // gap below an unfolded step
  float row = 0;                                       // of the bars of the whole row; 0: no row
  std::function<float(const std::string& note)> note;  // of a note, wrapped
  std::function<float(const std::string& code)> code;  // of lines of code, wrapped
};

struct StepLine {
  // Code: shown even if the step is folded. More: sums up the terms that do not fit. Row: the line of the
  // whole row; Bars: its unfolded part.
  enum class Kind { Step, Code, Before, Term, More, After, Note, Row, Bars };
  Kind kind = Kind::Step;
  std::size_t step = 0, item = 0;  // item: index in before, terms or after; More: the number of terms
  float y = 0, height = 0;
  float sum = 0;  // More: the sum of those terms
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
