// A cell's derivation as lines of text: planned here, drawn by the inspector, checked by tests.
#pragma once

#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/model/model.h"
#include "engine/views/query.h"

namespace headlight {

struct DerivationLine {
  std::string label;    // "scale", "1/√dₖ"
  std::string number;   // "0.7071"; columns of numbers line up on the right
  bool result = false;  // the sum or quotient a step ends in
};

struct DerivationStep {
  Stage stage;        // the step that yields this stage's value
  std::string title;  // "scores = q · k"
  std::vector<DerivationLine> lines;
};

// Products are listed apart from the lines: there may be hundreds, and they are drawn in columns.
struct TermTable {
  std::string left, right;          // headings: "q", "k"
  std::vector<std::string> labels;  // one for each term: a dimension's number or a token
  std::vector<Term> terms;
  bool has_bias = false;
  float bias = 0;
  float sum = 0;          // with the bias
  std::string sum_label;  // "Σ = score"
};

struct Derivation {
  TermTable table;                    // empty terms: a copy
  std::string note;                   // when there is nothing to add up: where the value comes from
  std::vector<DerivationStep> steps;  // of the chain from score to dropped
};

Derivation derivation(const Model& model, const CellTrace& trace, Counting counting);

}  // namespace headlight
