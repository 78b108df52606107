#include "app/ui/inspector/gradient_steps.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/number_cell.h"

namespace headlight {
namespace {

DerivationNumber shown_number(float value, NumberSource source = {}) {
  return {derivation_number(value), source};
}

std::string stage_name(Stage stage) {
  return std::string(stage_info(stage).name);
}

NumberSource factor_source(const GradientTerm& term) {
  return {term.cell, term.input};
}

// What a summand is about: the key or query that it comes through, or the dimension.
std::string term_label(const Layer& layer, const GradientStep& step, const GradientTerm& term,
                       Counting counting) {
  const CellAddress& of = term.of;
  if (step.rule == GradientRule::Added) return "through " + stage_name(of.stage);
  if (step.rule == GradientRule::Softmax || step.rule == GradientRule::DividedBySum)
    return token_name(layer.key_labels(), of.column, counting);
  const bool by_head =
      step.stage == Stage::Values || step.stage == Stage::Keys || step.stage == Stage::RotatedKeys;
  const std::string head = by_head && layer.head_count() != layer.kv_head_count()
                               ? ", " + head_name(of.head, counting)
                               : std::string();
  if (of.stage == Stage::Scores) {
    const bool by_key = step.stage == Stage::Queries || step.stage == Stage::RotatedQueries;
    return by_key ? token_name(layer.key_labels(), of.column, counting)
                  : token_name(layer.tokens, of.row, counting) + head;
  }
  const bool by_token = step.stage == Stage::Values || of.stage == step.stage;
  if (by_token && (term.input || term.cell || step.rule == GradientRule::Sum))
    if (of.stage == Stage::Context || !term.input || term.input->input.kind != InputKind::Weight)
      return token_name(row_labels(layer, of.stage), of.row, counting) + head;
  return counting.number(of.column);
}

// The formula of a sum, by the stage that it leads to and the one that it comes from.
std::string sum_formula(const GradientStep& step) {
  if (step.terms.empty()) return "0";
  const GradientTerm& first = step.terms.front();
  const std::string of = "∂" + stage_name(first.of.stage);
  if (first.input && first.input->input.kind == InputKind::Weight)
    return "Σ " + of + " · W_" + parameter_name(first.input->input.parameter);
  if (first.cell) return "Σ " + of + " · " + stage_name(first.cell->stage);
  if (first.input) return "Σ " + of + " · x";
  return "Σ " + of;
}

std::string formula_of(const Layer& layer, Loss loss, const GradientStep& step) {
  switch (step.rule) {
    case GradientRule::Goal:
      if (!step.target) return "nothing is wanted here";
      return loss == Loss::Squared ? "2 (x − t) ÷ n" : "−t ÷ (α n)";
    case GradientRule::Sum:
      return sum_formula(step);
    case GradientRule::Noise:
      return "× what dropout drew";
    case GradientRule::Softmax:
      return "α (∂α − Σ α ∂α)";
    case GradientRule::DividedBySum:
      return "(∂α − Σ α ∂α) ÷ Σ";
    case GradientRule::Cap:
      return "× 1 − (capped ÷ " + plain_number(layer.attention.softcap) + ")²";
    case GradientRule::Scale:
      return "× " + exact_number_text(layer.scale_factor());
    case GradientRule::Copied:
      return "passed on";
    case GradientRule::Closed:
      return "closed by the mask";
    case GradientRule::NoEffect:
      return "no effect on the loss";
    case GradientRule::Added:
      return "what each stage says, added";
  }
  return "";
}

void add_goal_lines(Loss loss, const GradientStep& step, DerivationStep& shown) {
  const bool squared = loss == Loss::Squared;
  shown.before.push_back({squared ? "x, as it is" : "weight α", shown_number(step.own)});
  if (!step.target) {
    shown.note = "The goal leaves this number free: the loss does not depend on it directly.";
    return;
  }
  shown.before.push_back(
      {squared ? "t, as it is wanted" : "share t that is wanted", shown_number(*step.target)});
  shown.before.push_back({squared ? "n, wanted numbers" : "n, rows with a wish", shown_number(step.scale)});
}

void add_row_lines(const GradientStep& step, DerivationStep& shown) {
  float mean = 0;
  for (const GradientTerm& term : step.terms)
    mean += term.product();
  const bool softmax = step.rule == GradientRule::Softmax;
  shown.before.push_back({softmax ? "weight α" : "Σ, sum of the row", shown_number(step.scale)});
  shown.before.push_back({"∂α, its gradient", shown_number(step.own)});
  shown.after.push_back({"Σ α ∂α over the row", shown_number(mean)});
}

// A product of one gradient and one factor.
void add_single(const GradientTerm& term, bool copied, DerivationStep& shown) {
  const std::string of = "∂" + stage_name(term.of.stage);
  shown.before.push_back({of, shown_number(term.gradient, {term.of, {}})});
  if (!copied) shown.before.push_back({"×", shown_number(term.factor, factor_source(term))});
}

void add_terms(const Layer& layer, const GradientStep& step, Counting counting, DerivationStep& shown) {
  for (const GradientTerm& term : step.terms) {
    DerivationTerm line;
    line.label = term_label(layer, step, term, counting);
    line.product = term.product();
    if (step.rule == GradientRule::Added) {
      line.left = shown_number(term.gradient);
    } else {
      line.left = shown_number(term.gradient, {term.of, {}});
      line.right = shown_number(term.factor, factor_source(term));
    }
    shown.terms.push_back(std::move(line));
  }
}

DerivationStep shown_step(const Layer& layer, Loss loss, const GradientStep& step, Counting counting) {
  DerivationStep shown;
  shown.stage = step.stage;
  shown.id = "gradient." + stage_name(step.stage);
  shown.formula = formula_of(layer, loss, step);
  shown.value = shown_number(step.value);
  shown.result = "∂" + stage_name(step.stage);
  switch (step.rule) {
    case GradientRule::Goal:
      add_goal_lines(loss, step, shown);
      break;
    case GradientRule::Softmax:
    case GradientRule::DividedBySum:
      add_row_lines(step, shown);
      add_terms(layer, step, counting, shown);
      break;
    case GradientRule::Sum:
    case GradientRule::Added:
      add_terms(layer, step, counting, shown);
      break;
    case GradientRule::Closed:
      shown.note = "The query may not attend to the key: the score is not read.";
      break;
    case GradientRule::NoEffect:
      shown.note = "The head is off, or the goal is of an earlier stage.";
      break;
    case GradientRule::Noise:
    case GradientRule::Cap:
    case GradientRule::Scale:
    case GradientRule::Copied:
      if (!step.terms.empty()) add_single(step.terms.front(), step.rule == GradientRule::Copied, shown);
  }
  return shown;
}

}  // namespace

Derivation gradient_derivation(const Layer& layer, Loss loss, const GradientTrace& trace, Counting counting) {
  Derivation derived;
  for (const GradientStep& step : trace.steps)
    derived.steps.push_back(shown_step(layer, loss, step, counting));
  return derived;
}

}  // namespace headlight
