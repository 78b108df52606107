#include "app/ui/inspector/derivation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/widgets/number_cell.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

DerivationNumber number(float value, NumberSource source = {}) {
  return {derivation_number(value), source};
}

NumberSource cell_source(const Layer& layer, Stage stage, Index sequence, Index head, Index row,
                         Index column) {
  const CellAddress cell = {stage, sequence, head, row, column};
  return address_exists(layer, cell) ? NumberSource{cell, {}} : NumberSource{};
}

NumberSource input_source(const InputId& input, Index row, Index column) {
  return {{}, InputCell{input, row, column}};
}

DerivationStep step_of(const CellTrace& trace, std::string formula, float value) {
  DerivationStep step;
  step.stage = trace.cell.stage;
  step.id = stage_info(step.stage).name;
  step.formula = std::move(formula);
  step.value = number(value);
  return step;
}

DerivationStep chain_step(Stage stage, std::string formula, float value, std::string result) {
  DerivationStep step;
  step.stage = stage;
  step.id = stage_info(stage).name;
  step.formula = std::move(formula);
  step.value = number(value);
  step.result = std::move(result);
  return step;
}

// The cell's own term and NaN products are always among those that are shown.
float rank(const DerivationTerm& term) {
  return term.own || std::isnan(term.product) ? std::numeric_limits<float>::infinity()
                                              : std::abs(term.product);
}

std::string screen_name(Parameter parameter) {
  return parameter == Parameter::Output ? "out" : parameter_name(parameter);
}

// The embeddings that a projection reads: the key embeddings for keys and values, if there are any.
InputId embeddings_of(const Layer& layer, Parameter parameter, Index sequence) {
  const bool of_keys = parameter != Parameter::Query && !layer.key_embeddings.empty();
  return {of_keys ? InputKind::KeyEmbeddings : InputKind::Embeddings, sequence};
}

// The source of one number that a projection multiplies.
NumberSource projected_source(const Layer& layer, const CellAddress& cell, Parameter parameter,
                              Index column) {
  if (parameter == Parameter::Output)
    return cell_source(layer, Stage::Concat, cell.sequence, 0, cell.row, column);
  const InputId input = embeddings_of(layer, parameter, cell.sequence);
  NumberSource source = input_source(input, cell.row, column);
  if (input.kind == InputKind::Embeddings)
    source.cell = cell_source(layer, Stage::Embeddings, cell.sequence, 0, cell.row, column).cell;
  return source;
}

// x · W, with the bias.
DerivationStep projection_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  const Parameter parameter = *parameter_of(cell.stage);
  const bool is_output = parameter == Parameter::Output;
  const Index column = is_output ? cell.column : cell.head * head_shape(layer, parameter).width + cell.column;
  const bool in_out = layer.weights.layout == WeightLayout::InOut;
  const std::string name = screen_name(parameter);
  DerivationStep step = step_of(
      trace,
      (is_output ? "concat · W_" : "x · W_") + name + (trace.has_bias ? " + b_" + name : std::string()),
      trace.value);
  for (Index i = 0; i < static_cast<Index>(trace.terms.size()); ++i) {
    const Term& term = trace.terms[static_cast<std::size_t>(i)];
    const InputId weight = {InputKind::Weight, 0, parameter};
    step.terms.push_back(
        {counting.number(i), number(term.left, projected_source(layer, cell, parameter, i)),
         number(term.right, in_out ? input_source(weight, i, column) : input_source(weight, column, i)),
         term.product()});
  }
  if (trace.has_bias)
    step.after.push_back(
        {"+ bias", number(trace.bias, input_source({InputKind::Bias, 0, parameter}, 0, column))});
  return step;
}

DerivationStep context_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  DerivationStep step = step_of(trace, "Σ α · v", trace.value);
  const Stage weights = stage_exists(layer, Stage::Dropped) ? Stage::Dropped : Stage::Weights;
  for (Index key = 0; key < static_cast<Index>(trace.terms.size()); ++key) {
    const Term& term = trace.terms[static_cast<std::size_t>(key)];
    step.terms.push_back(
        {token_name(layer.key_labels(), key, counting),
         number(term.left, cell_source(layer, weights, cell.sequence, cell.head, cell.row, key)),
         number(term.right, cell_source(layer, Stage::Values, cell.sequence, layer.kv_head_of(cell.head), key,
                                        cell.column)),
         term.product()});
  }
  return step;
}

// The pair that a rotary position rotates, and the angle.
DerivationStep rotary_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  const Stage from = cell.stage == Stage::RotatedQueries ? Stage::Queries : Stage::Keys;
  const std::string name(stage_info(from).name);
  const auto source = [&](Index column) {
    return cell_source(layer, from, cell.sequence, cell.head, cell.row, column);
  };
  if (!trace.turn) {
    DerivationStep step = step_of(trace, "not turned", trace.value);
    step.value.source = source(cell.column);
    step.note = "Only the first " + std::to_string(layer.rotary_dims()) +
                " dimensions of a head are turned: this is that of " + name + ".";
    return step;
  }
  const CellTrace::Turn& turn = *trace.turn;
  const bool is_first = cell.column == turn.first_column;
  const auto angle = static_cast<float>(turn.angle);
  const auto magnitude = static_cast<float>(turn.magnitude);
  const float cosine = magnitude * std::cos(angle),
              sine = magnitude * (is_first ? -std::sin(angle) : std::sin(angle));
  DerivationStep step = step_of(trace, "turned by " + derivation_number(angle) + " rad", trace.value);
  const auto add = [&](Index column, float value, float factor) {
    step.terms.push_back(
        {counting.number(column), number(value, source(column)), number(factor), value * factor});
  };
  add(turn.first_column, turn.first, is_first ? cosine : sine);
  add(turn.second_column, turn.second, is_first ? sine : cosine);
  step.before.push_back({"position of the token", {std::to_string(turn.position), {}}});
  step.before.push_back({"position × θ^(−2i/dims)", number(angle)});
  if (magnitude != 1) step.before.push_back({"cosine and sine are multiplied by", number(magnitude)});
  step.before.push_back({"dimensions " + counting.number(turn.first_column) + " and " +
                             counting.number(turn.second_column) + " of " + name,
                         {}});
  return step;
}

// A number that is copied: given directly, or an embedding without projection.
DerivationStep copied_projection(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  const Parameter parameter = *parameter_of(cell.stage);
  const Index dimension = cell.head * head_shape(layer, parameter).width + cell.column;
  if (!layer.given[static_cast<std::size_t>(parameter)].empty()) {
    DerivationStep step = step_of(trace, "given", trace.value);
    step.value.source = input_source({InputKind::Given, cell.sequence, parameter}, cell.row, dimension);
    step.note =
        "Given directly: edit it in the panel on the left, dimension " + counting.number(dimension) + ".";
    return step;
  }
  DerivationStep step = step_of(trace, "x, as it is", trace.value);
  step.value.source = projected_source(layer, cell, parameter, dimension);
  step.note =
      "Without projections this is the embedding itself: dimension " + counting.number(dimension) + " of X.";
  return step;
}

DerivationStep embeddings_step(const CellTrace& trace) {
  const CellAddress& cell = trace.cell;
  DerivationStep step = step_of(trace, "an input", trace.value);
  step.value.source = input_source({InputKind::Embeddings, cell.sequence}, cell.row, cell.column);
  step.note = "An input: edit it in the panel on the left.";
  return step;
}

DerivationStep concat_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  const std::string head = head_name(trace.source_head, counting);
  if (!layer.attention.head_enabled(trace.source_head)) {
    DerivationStep step = step_of(trace, head + " is off", trace.value);
    step.note = "Head " + counting.number(trace.source_head) + " is switched off: zeros stand in its place.";
    return step;
  }
  DerivationStep step = step_of(trace, "context of " + head, trace.value);
  step.value.source =
      cell_source(layer, Stage::Context, cell.sequence, trace.source_head, cell.row, trace.source_column);
  step.note = "Column " + counting.number(trace.source_column) + " of " + head +
              "'s context: the heads stand side by side.";
  return step;
}

// The output as the sum of its heads' parts.
DerivationStep head_parts_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  DerivationStep step = step_of(trace, trace.has_bias ? "Σ heads + bias" : "Σ heads", trace.value);
  step.id = "output.heads";
  step.result = "output";
  for (std::size_t head = 0; head < trace.head_parts.size(); ++head) {
    const bool on = layer.attention.head_enabled(static_cast<Index>(head));
    step.terms.push_back({head_name(static_cast<Index>(head), counting) + (on ? "" : ", off"),
                          number(trace.head_parts[head]),
                          {},
                          trace.head_parts[head]});
  }
  if (trace.has_bias) step.after.push_back({"bias", number(trace.bias)});
  return step;
}

DerivationStep output_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  if (!trace.terms.empty()) return projection_step(layer, trace, counting);
  const CellAddress& cell = trace.cell;
  DerivationStep step = step_of(trace, "= concat", trace.value);
  step.value.source = cell_source(layer, Stage::Concat, cell.sequence, 0, cell.row, cell.column);
  step.note = "There is no output projection: this is the joined context itself.";
  return step;
}

DerivationStep scores_step(const Layer& layer, const CellTrace& trace, Counting counting) {
  const CellAddress& cell = trace.cell;
  DerivationStep step = chain_step(Stage::Scores, "q · k", trace.chain.score, "score ω");
  const bool turned = stage_exists(layer, Stage::RotatedQueries);
  const Stage queries = turned ? Stage::RotatedQueries : Stage::Queries;
  const Stage keys = turned ? Stage::RotatedKeys : Stage::Keys;
  const Index kv_head = layer.kv_head_of(cell.head);
  for (Index i = 0; i < static_cast<Index>(trace.terms.size()); ++i) {
    const Term& term = trace.terms[static_cast<std::size_t>(i)];
    step.terms.push_back(
        {counting.number(i),
         number(term.left, cell_source(layer, queries, cell.sequence, cell.head, cell.row, i)),
         number(term.right, cell_source(layer, keys, cell.sequence, kv_head, cell.column, i)),
         term.product()});
  }
  return step;
}

DerivationStep scaled_step(const Layer& layer, const CellTrace::Chain& chain) {
  const Scale& scale = layer.attention.scale;
  if (scale.kind == ScaleKind::None)
    return chain_step(Stage::Scaled, "not scaled", chain.scaled, "scaled score");
  const std::string root = "√" + std::to_string(layer.d_k());
  const bool by_dimension = scale.kind == ScaleKind::InverseSqrtDk;
  DerivationStep step =
      chain_step(Stage::Scaled, by_dimension ? "÷ " + root : "× " + exact_number_text(chain.scale),
                 chain.scaled, "scaled score");
  step.before.push_back({by_dimension ? "× 1/" + root : "× scale", number(chain.scale)});
  return step;
}

DerivationStep capped_step(const Layer& layer, const CellTrace::Chain& chain) {
  const std::string cap = plain_number(layer.attention.softcap);
  DerivationStep step = chain_step(Stage::Capped, "softcap " + cap, *chain.capped, "capped score");
  step.before.push_back({cap + " × tanh(scaled ÷ " + cap + ")", number(*chain.capped)});
  return step;
}

DerivationStep biased_step(const Layer& layer, const CellAddress& cell, const CellTrace::Chain& chain) {
  DerivationStep step = chain_step(Stage::Biased, "+ bias", *chain.biased, "biased score");
  NumberSource source;
  const PairArray& bias = layer.score_bias;
  if (!bias.empty() && layer.attention.position.kind != PositionKind::Alibi) {
    const InputId input = {InputKind::ScoreBias, cell.sequence, Parameter::Query, cell.head};
    const Matrix& matrix = input_matrix(layer, input);
    source =
        input_source(input, std::min(cell.row, matrix.rows() - 1), std::min(cell.column, matrix.cols() - 1));
  }
  step.before.push_back({"bias", number(*chain.bias, source)});
  return step;
}

DerivationStep masked_step(const Layer& layer, const CellTrace::Chain& chain) {
  const MaskKind mask = layer.attention.mask;
  if (mask == MaskKind::None) return chain_step(Stage::Masked, "no mask", chain.logit, "no mask");
  if (chain.allowed) return chain_step(Stage::Masked, "allowed", chain.logit, "may attend");
  DerivationStep step = chain_step(
      Stage::Masked, mask == MaskKind::Causal ? "forbidden: the key is later" : "forbidden", 0, "forbidden");
  step.value.text = "−∞";
  return step;
}

// e to the power of the logit minus the row's maximum; "e^…" if the logit is unknown.
std::string power_text(const Layer& layer, std::optional<float> logit, float term) {
  const bool minus_max = layer.attention.normalization == Normalization::Softmax;
  if (term == 0 && (!logit || std::isinf(*logit))) return "e^−∞";
  if (!logit) return "e^…";
  return minus_max ? "e^(" + derivation_number(*logit) + "−max)" : "e^" + derivation_number(*logit);
}

// The terms of the row's sum, key by key; for a long row, this key's term and the sum of the others.
void add_row_terms(const Layer& layer, const CellTrace& trace, Counting counting, const RowSummary* logits,
                   DerivationStep& step) {
  const CellTrace::Chain& chain = trace.chain;
  const CellAddress& cell = trace.cell;
  const Index keys = layer.key_count();
  const bool whole = logits && logits->total == static_cast<Index>(logits->values.size());
  const bool is_sum = layer.attention.normalization == Normalization::Sum;
  const auto add = [&](Index key, float term) {
    std::optional<float> logit;
    if (whole) logit = logits->values[static_cast<std::size_t>(key)];
    if (key == cell.column) logit = chain.allowed ? chain.logit : -std::numeric_limits<float>::infinity();
    DerivationNumber left = {is_sum ? std::string() : power_text(layer, logit, term),
                             cell_source(layer, Stage::Masked, cell.sequence, cell.head, cell.row, key)};
    if (is_sum) left.text = derivation_number(term);
    step.terms.push_back(
        {token_name(layer.key_labels(), key, counting), std::move(left), {}, term, key == cell.column});
  };
  if (chain.row_terms.empty()) {
    add(cell.column, chain.exponential);
    if (keys > 1)
      step.after.push_back({"the other " + std::to_string(keys - 1) + " keys together",
                            number(chain.row_sum - chain.exponential - chain.sink.value_or(0))});
    return;
  }
  for (std::size_t key = 0; key < chain.row_terms.size(); ++key)
    add(static_cast<Index>(key), chain.row_terms[key]);
}

DerivationStep weights_step(const Layer& layer, const CellTrace& trace, Counting counting,
                            const RowSummary* logits) {
  const CellTrace::Chain& chain = trace.chain;
  const Normalization how = layer.attention.normalization;
  DerivationStep step = chain_step(Stage::Weights, how == Normalization::Sum ? "score ÷ Σ" : "e^… ÷ Σ",
                                   chain.weight, "quotient: weight α");
  if (how == Normalization::Softmax) step.before.push_back({"row maximum", number(chain.row_max)});
  add_row_terms(layer, trace, counting, logits, step);
  if (chain.sink) step.after.push_back({"the sink, whose weight is dropped", number(*chain.sink)});
  step.after.push_back({"Σ over the row", number(chain.row_sum)});
  return step;
}

DerivationStep dropped_step(const Layer& layer, const CellTrace::Chain& chain) {
  const Dropout& dropout = layer.attention.dropout;
  if (!dropout.active())
    return chain_step(Stage::Dropped, dropout.probability > 0 ? "evaluation: no dropout" : "no dropout",
                      chain.dropped, "after dropout");
  const bool dropped = chain.noise == 0.0f;
  DerivationStep step =
      chain_step(Stage::Dropped, dropped ? "dropped: × 0" : "kept: × " + derivation_number(chain.noise),
                 chain.dropped, "after dropout");
  step.before.push_back({dropped ? "dropped: × 0" : "kept: × 1/(1−p)", number(chain.noise)});
  return step;
}

// An overwritten value does not depend on earlier stages.
DerivationStep overwritten_step(Stage stage, float value, std::string result) {
  DerivationStep step = chain_step(stage, "overwritten", value, std::move(result));
  step.note = "Overwritten, from here on: it is listed under Changes, where it can be switched off.";
  return step;
}

// The steps from the dot product to the cell's own stage; later steps are not part of its value.
void add_chain(const Layer& layer, const CellTrace& trace, Counting counting, const RowSummary* logits,
               std::vector<DerivationStep>& steps) {
  const CellTrace::Chain& chain = trace.chain;
  CellAddress weight = trace.cell;
  weight.stage = Stage::Weights;
  if (trace.cell.stage >= Stage::Weights && is_overwritten(layer, weight)) {
    steps.push_back(overwritten_step(Stage::Weights, chain.weight, "weight α"));
  } else if (layer.attention.projection == Projection::Weights) {
    DerivationStep given = chain_step(Stage::Weights, "given", chain.weight, "weight α");
    const CellAddress& cell = trace.cell;
    given.value.source = input_source({InputKind::GivenWeights, cell.sequence, Parameter::Query, cell.head},
                                      cell.row, cell.column);
    given.note = "The weights are given, and nothing before them: edit them in the panel on the left.";
    steps.push_back(std::move(given));
  } else {
    steps.push_back(scores_step(layer, trace, counting));
    // A step that does not change the score is listed only for a cell of its own stage.
    const Stage own = trace.cell.stage;
    if (layer.attention.scale.kind != ScaleKind::None || own == Stage::Scaled)
      steps.push_back(scaled_step(layer, chain));
    if (chain.capped) steps.push_back(capped_step(layer, chain));
    if (chain.biased) steps.push_back(biased_step(layer, trace.cell, chain));
    if (layer.attention.mask != MaskKind::None || !chain.allowed || own == Stage::Masked)
      steps.push_back(masked_step(layer, chain));
    steps.push_back(weights_step(layer, trace, counting, logits));
  }
  steps.push_back(dropped_step(layer, chain));
  std::erase_if(steps, [&](const DerivationStep& step) { return step.stage > trace.cell.stage; });
}

}  // namespace

std::string derivation_number(float value) {
  constexpr float kLeastShown = 5e-4f;  // below it four decimals show at most one digit
  if (value == 0 || !std::isfinite(value) || std::abs(value) >= kLeastShown) return number_text(value, 4);
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific, 1);
  return (value < 0 ? "\u2212" : "") + std::string(buffer, end.ptr);
}

std::string stage_head_name(const Layer& layer, Stage stage, Index head, Counting counting,
                            const std::string& word) {
  const bool shared =
      stage_info(stage).heads == StageHeads::Keys && layer.kv_head_count() != layer.head_count();
  return (shared ? "kv " : "") + word + " " + counting.number(head);
}

Derivation derivation(const Layer& layer, const CellTrace& trace, Counting counting,
                      const RowSummary* logits) {
  Derivation result;
  std::vector<DerivationStep>& steps = result.steps;
  if (is_overwritten(layer, trace.cell) && !is_pair(trace.cell.stage)) {
    steps.push_back(overwritten_step(trace.cell.stage, trace.value, ""));
    return result;
  }
  switch (trace.cell.stage) {
    case Stage::Embeddings:
      steps.push_back(embeddings_step(trace));
      break;
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
      steps.push_back(trace.terms.empty() ? copied_projection(layer, trace, counting)
                                          : projection_step(layer, trace, counting));
      break;
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      steps.push_back(rotary_step(layer, trace, counting));
      break;
    case Stage::Context:
      steps.push_back(context_step(layer, trace, counting));
      break;
    case Stage::Concat:
      steps.push_back(concat_step(layer, trace, counting));
      break;
    case Stage::Output:
      steps.push_back(output_step(layer, trace, counting));
      if (trace.head_parts.size() > 1) steps.push_back(head_parts_step(layer, trace, counting));
      break;
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      add_chain(layer, trace, counting, logits, steps);
  }
  return result;
}

std::vector<std::size_t> shown_terms(const DerivationStep& step, std::size_t count) {
  std::vector<std::size_t> order(step.terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&step](std::size_t a, std::size_t b) {
    return rank(step.terms[a]) > rank(step.terms[b]);
  });
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

std::optional<std::size_t> largest_term(const DerivationStep& step) {
  std::optional<std::size_t> largest;
  float most = 0;
  for (std::size_t i = 0; i < step.terms.size(); ++i)
    if (std::abs(step.terms[i].product) > most) {
      most = std::abs(step.terms[i].product);
      largest = i;
    }
  return step.terms.size() > 1 ? largest : std::nullopt;
}

}  // namespace headlight
