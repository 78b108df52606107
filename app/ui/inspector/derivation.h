// A cell's derivation in words and numbers: planned here, laid out by derivation_plan.h, drawn by the
// inspector, checked by tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"
#include "engine/core/counting.h"
#include "engine/model/model.h"
#include "engine/views/query.h"

namespace headlight {

// Where a number stands as well: in a picture, among the inputs, or nowhere.
struct NumberSource {
  std::optional<CellAddress> cell;
  std::optional<InputCell> input;
  bool empty() const { return !cell && !input; }
};

struct DerivationNumber {
  std::string text;
  NumberSource source;
};

// One product of a sum, or one of its summands: then there is no `right`.
struct DerivationTerm {
  std::string label;  // a dimension's number or a token
  DerivationNumber left, right;
  float product = 0;
  bool own = false;  // of the cell itself, in a sum over its row: told first
};

struct DerivationLine {
  std::string label;  // "Σ over the row"
  DerivationNumber number;
};

// One step of the way to the value: a line, and what it folds out.
struct DerivationStep {
  std::string id;  // of the probe: the stage's name; "output.heads" for the sum over heads
  Stage stage = Stage::Weights;
  std::string formula;                        // "q · k", "÷ √2", "allowed", "e^… ÷ Σ"
  DerivationNumber value;                     // what the step yields
  std::string result;                         // the value in words: "scaled score"
  std::vector<DerivationLine> before, after;  // around the terms
  std::vector<DerivationTerm> terms;          // the largest product first
  std::string code;                           // lines of PyTorch that make it; "" while they are not shown
  std::string note;                           // where there is nothing to add up: where the value comes from
  bool folds() const { return !before.empty() || !after.empty() || !terms.empty() || !note.empty(); }
};

struct Derivation {
  std::vector<DerivationStep> steps;  // the last one yields the cell's value
};

// The way to the cell, from its first sum to its own stage. logits: the row of `masked` that the cell is in,
// where it is at hand; without it the terms of the row's sum are shown without their exponents.
Derivation derivation(const Model& model, const CellTrace& trace, Counting counting,
                      const RowSummary* logits = nullptr);

// "0.2427", and "4.1e-06" for what four decimals would not show.
std::string derivation_number(float value);

// "kv head 1" of a stage whose heads are shared, else "head 1".
std::string stage_head_name(const Model& model, Stage stage, Index head, Counting counting);

}  // namespace headlight
