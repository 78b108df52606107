#include "app/ui/inspector/derivation.h"

#include <cmath>

#include "app/figure/plan/heatmap_figure.h"

namespace headlight {
namespace {

std::string number(float value) {
  return number_text(value, 4);
}

TermTable term_table(const Model& model, const CellTrace& trace, Counting counting) {
  TermTable table;
  table.terms = trace.terms;
  table.has_bias = trace.has_bias;
  table.bias = trace.bias;
  table.sum = trace.has_chain ? trace.chain.score : trace.value;
  switch (trace.cell.stage) {
    case Stage::Queries:
      table.left = "x", table.right = "W_query", table.sum_label = "query";
      break;
    case Stage::Keys:
      table.left = "x", table.right = "W_key", table.sum_label = "key";
      break;
    case Stage::Values:
      table.left = "x", table.right = "W_value", table.sum_label = "value";
      break;
    case Stage::Context:
      table.left = "weight", table.right = "value", table.sum_label = "context";
      break;
    case Stage::Output:
      table.left = "Z", table.right = "W_out", table.sum_label = "output";
      break;
    default:
      table.left = "query", table.right = "key", table.sum_label = "score ω";
      break;
  }
  const bool by_token = trace.cell.stage == Stage::Context;
  for (Index i = 0; i < static_cast<Index>(trace.terms.size()); ++i)
    table.labels.push_back(by_token ? token_name(model.key_labels(), i, counting) : counting.number(i));
  return table;
}

// The pair that a number was turned from, and by what angle.
std::string turn_note(const Model& model, const CellTrace& trace, Counting counting) {
  const char* from = trace.cell.stage == Stage::RotatedQueries ? "queries" : "keys";
  if (!trace.turn)
    return std::string("Only the first ") + std::to_string(model.rotary_dims()) +
           " numbers of a head are turned: this is that of " + from + ".";
  const CellTrace::Turn& turn = *trace.turn;
  const bool is_first = trace.cell.column == turn.first_column;
  const auto angle = static_cast<float>(turn.angle);
  const std::string cosine = number(std::cos(angle)), sine = number(std::sin(angle));
  const std::string a = number(turn.first), b = number(turn.second);
  const std::string product = is_first ? a + " × " + cosine + " − " + b + " × " + sine
                                       : b + " × " + cosine + " + " + a + " × " + sine;
  return "Turned with number " + counting.number(is_first ? turn.second_column : turn.first_column) + " of " +
         from + ", at position " + std::to_string(turn.position) + ", by " + number(angle) +
         " rad (position × theta^(−2i/dims)): " + product + ".";
}

std::string copy_note(const Model& model, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  switch (cell.stage) {
    case Stage::Embeddings:
      return "An input: edit it in the panel on the left.";
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values: {
      const Parameter parameter = cell.stage == Stage::Queries ? Parameter::Query
                                  : cell.stage == Stage::Keys  ? Parameter::Key
                                                               : Parameter::Value;
      const Index dimension = cell.head * head_shape(model, parameter).width + cell.column;
      if (!model.given[static_cast<std::size_t>(parameter)].empty())
        return "Given directly: edit it in the panel on the left, dimension " + counting.number(dimension) +
               ".";
      return "Without projections this is the embedding itself: dimension " + counting.number(dimension) +
             " of X.";
    }
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      return turn_note(model, trace, counting);
    case Stage::Weights:
    case Stage::Dropped:
      return "The weights are given, and nothing before them: edit them in the panel on the left.";
    case Stage::Concat:
      if (!model.attention.head_enabled(trace.source_head))
        return "Head " + counting.number(trace.source_head) + " is switched off: zeros stand in its place.";
      return "Column " + counting.number(trace.source_column) + " of head " +
             counting.number(trace.source_head) + "'s context: the heads stand side by side.";
    case Stage::Output:
      return "There is no output projection: this is the joined context itself.";
    default:
      return "";
  }
}

DerivationStep scaled_step(const Model& model, const CellTrace::Chain& chain) {
  DerivationStep step{Stage::Scaled, "scaled", {}};
  if (model.attention.scale.kind == ScaleKind::None) {
    step.lines.push_back({"not scaled", number(chain.scaled), true});
    return step;
  }
  const bool by_dimension = model.attention.scale.kind == ScaleKind::InverseSqrtDk;
  step.lines.push_back(
      {by_dimension ? "× 1/√" + std::to_string(model.d_k()) : "× scale", number(chain.scale)});
  step.lines.push_back({"scaled score", number(chain.scaled), true});
  return step;
}

DerivationStep capped_step(const Model& model, const CellTrace::Chain& chain) {
  DerivationStep step{Stage::Capped, "capped", {}};
  const std::string cap = number(static_cast<float>(model.attention.softcap));
  step.lines.push_back({cap + " × tanh(scaled ÷ " + cap + ")", number(*chain.capped), true});
  return step;
}

DerivationStep biased_step(const CellTrace::Chain& chain) {
  DerivationStep step{Stage::Biased, "biased", {}};
  step.lines.push_back({"+ bias", number(*chain.bias)});
  step.lines.push_back({"biased score", number(*chain.biased), true});
  return step;
}

DerivationStep masked_step(const Model& model, const CellTrace::Chain& chain) {
  DerivationStep step{Stage::Masked, "masked", {}};
  if (model.attention.mask == MaskKind::None)
    step.lines.push_back({"no mask", number(chain.logit), true});
  else if (chain.allowed)
    step.lines.push_back({"may attend", number(chain.logit), true});
  else
    step.lines.push_back(
        {model.attention.mask == MaskKind::Causal ? "key is later: forbidden" : "forbidden", "−∞", true});
  return step;
}

// What the sum of a short row adds up: a long one would push the quotient out of sight.
void add_row_terms(const Model& model, const CellTrace::Chain& chain, Counting counting,
                   DerivationStep& step) {
  constexpr std::size_t kMostLines = 8;
  if (chain.row_terms.size() > kMostLines) return;
  for (std::size_t key = 0; key < chain.row_terms.size(); ++key)
    step.lines.push_back({"    for " + token_name(model.key_labels(), static_cast<Index>(key), counting),
                          number(chain.row_terms[key])});
}

DerivationStep weights_step(const Model& model, const CellTrace::Chain& chain, Counting counting) {
  DerivationStep step{Stage::Weights, "weights", {}};
  const Normalization how = model.attention.normalization;
  const std::string score = chain.allowed ? number(chain.logit) : "−∞";
  if (how == Normalization::Sum) {
    step.title = "weights = score ÷ row sum";
    step.lines.push_back({"score", number(chain.exponential)});
  } else if (how == Normalization::NaiveSoftmax) {
    step.title = "weights = naive softmax";
    step.lines.push_back({"exp(" + score + ")", number(chain.exponential)});
  } else {
    step.title = "weights = softmax";
    step.lines.push_back({"row maximum", number(chain.row_max)});
    step.lines.push_back({"exp(" + score + " − max)", number(chain.exponential)});
  }
  add_row_terms(model, chain, counting, step);
  step.lines.push_back({"Σ over the row", number(chain.row_sum)});
  step.lines.push_back({"quotient: weight α", number(chain.weight), true});
  return step;
}

DerivationStep dropped_step(const Model& model, const CellTrace::Chain& chain) {
  DerivationStep step{Stage::Dropped, "dropped", {}};
  const Dropout& dropout = model.attention.dropout;
  if (!dropout.active()) {
    step.lines.push_back(
        {dropout.probability > 0 ? "evaluation: no dropout" : "no dropout", number(chain.dropped), true});
    return step;
  }
  const bool dropped = chain.noise == 0.0f;
  step.lines.push_back({dropped ? "dropped: × 0" : "kept: × 1/(1−p)", number(chain.noise)});
  step.lines.push_back({"after dropout", number(chain.dropped), true});
  return step;
}

// How the output comes together head by head.
DerivationStep head_parts_step(const Model& model, const CellTrace& trace, Counting counting) {
  DerivationStep step{Stage::Output, "output = Σ heads", {}};
  for (std::size_t head = 0; head < trace.head_parts.size(); ++head) {
    const bool on = model.attention.head_enabled(static_cast<Index>(head));
    step.lines.push_back({head_name(static_cast<Index>(head), counting) + (on ? "" : ", off"),
                          number(trace.head_parts[head])});
  }
  if (trace.has_bias) {
    step.title += " + bias";
    step.lines.push_back({"bias", number(trace.bias)});
  }
  step.lines.push_back({"output", number(trace.value), true});
  return step;
}

}  // namespace

Derivation derivation(const Model& model, const CellTrace& trace, Counting counting) {
  Derivation result;
  if (!trace.terms.empty())
    result.table = term_table(model, trace, counting);
  else
    result.note = copy_note(model, trace, counting);
  if (trace.head_parts.size() > 1) result.steps.push_back(head_parts_step(model, trace, counting));
  if (!trace.has_chain) return result;
  const CellTrace::Chain& chain = trace.chain;
  if (model.attention.projection != Projection::Weights) {
    result.steps.push_back(scaled_step(model, chain));
    if (chain.capped) result.steps.push_back(capped_step(model, chain));
    if (chain.biased) result.steps.push_back(biased_step(chain));
    result.steps.push_back(masked_step(model, chain));
    result.steps.push_back(weights_step(model, chain, counting));
  }
  result.steps.push_back(dropped_step(model, chain));
  return result;
}

}  // namespace headlight
