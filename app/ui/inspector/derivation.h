// The derivation of a cell's value, as steps of text and numbers; derivation_plan.h lays it out, the
// inspector draws it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/core/counting.h"
#include "engine/layer/layer.h"
#include "engine/views/query.h"

namespace headlight {

// The other place where a number appears: a cell of a picture, a cell of an input, or none.
struct NumberSource {
  std::optional<CellAddress> cell;
  std::optional<InputCell> input;
  bool empty() const { return !cell && !input; }
};

struct DerivationNumber {
  std::string text;
  NumberSource source;
};

// One product of a sum, or a summand without `right`.
struct DerivationTerm {
  std::string label;  // a dimension's number or a token
  DerivationNumber left, right;
  float product = 0;
  bool own = false;  // the cell's own term in a sum over its row
};

struct DerivationLine {
  std::string label;  // "Σ over the row"
  DerivationNumber number;
};

// One step: its line, and what it shows unfolded.
struct DerivationStep {
  std::string id;  // of the probe: the stage's name; "output.heads" for the sum over heads
  Stage stage = Stage::Weights;
  std::string formula;                        // "q · k", "÷ √2", "allowed", "e^… ÷ Σ"
  DerivationNumber value;                     // the result of the step
  std::string result;                         // the value in words: "scaled score"
  std::vector<DerivationLine> before, after;  // before and after the terms
  std::vector<DerivationTerm> terms;          // in the order of the dimensions, or of the tokens
  std::string code;                           // lines of PyTorch that compute it; "" while hidden
  std::string note;                           // without terms: where the value comes from
  bool folds() const { return !before.empty() || !after.empty() || !terms.empty() || !note.empty(); }
};

struct Derivation {
  std::vector<DerivationStep> steps;  // the last one computes the cell's value
};

// The steps from the first sum to the cell's own stage. logits: the cell's row of `masked`, if known; without
// it the terms of the row's sum are shown without their exponents.
Derivation derivation(const Layer& layer, const CellTrace& trace, Counting counting,
                      const RowSummary* logits = nullptr);

// Of the terms of a step so many as there is room for, in their order: the cell's own, what is no number, and
// the largest by magnitude.
std::vector<std::size_t> shown_terms(const DerivationStep& step, std::size_t count);
// The term with the largest magnitude; nullopt if there is one alone, or if all are zero.
std::optional<std::size_t> largest_term(const DerivationStep& step);

// "0.2427"; "4.1e-06" for values that four decimals do not show.
std::string derivation_number(float value);

// "kv head 1" for a stage whose heads are shared, else "head 1".
std::string stage_head_name(const Layer& layer, Stage stage, Index head, Counting counting,
                            const std::string& word = "head");

}  // namespace headlight
