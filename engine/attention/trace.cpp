#include "engine/attention/trace.h"

#include <cmath>
#include <limits>
#include <string>

#include "engine/attention/kernels.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// The terms of row `x` times column `column` of y = x W or x W^T.
std::vector<Term> projection_terms(const Matrix& x, Index row, const Matrix& w, WeightLayout layout,
                                   Index column) {
  std::vector<Term> terms;
  for (Index i = 0; i < x.cols(); ++i)
    terms.push_back({x(row, i), layout == WeightLayout::InOut ? w(i, column) : w(column, i)});
  return terms;
}

std::vector<Term> dot_terms(const Matrix& a, Index row_a, const Matrix& b, Index row_b) {
  std::vector<Term> terms;
  for (Index i = 0; i < a.cols(); ++i)
    terms.push_back({a(row_a, i), b(row_b, i)});
  return terms;
}

// The row's maximum, this cell's exponential and the row's sum, as the normalization computes them.
void trace_normalization(const Eigen::RowVectorXf& masked, const Layer& layer, const CellAddress& cell,
                         CellTrace::Chain& chain) {
  const Normalization how = layer.attention.normalization;
  const float minus_infinity = -std::numeric_limits<float>::infinity();
  if (how == Normalization::Sum) {
    const OpenCells open = layer.open_cells(cell.sequence, cell.head);
    Eigen::RowVectorXf terms = masked;
    for (Index key = 0; key < terms.size(); ++key)
      if (!open.contains(cell.row, key) || (open.bias_closes && terms(key) == minus_infinity))
        terms(key) = 0.0f;
    chain.exponential = terms(cell.column);
    chain.row_sum = terms.sum();
    if (terms.size() <= kMostTracedKeys) chain.row_terms.assign(terms.begin(), terms.end());
    return;
  }
  if (how == Normalization::Softmax) chain.row_max = masked.maxCoeff<Eigen::PropagateNaN>();
  const std::optional<float> sink = layer.sink_of(cell.head);
  if (sink) chain.row_max = std::max(chain.row_max, *sink);
  // A row of minus infinity has no maximum to subtract: its sum is zero.
  if (chain.row_max == minus_infinity) return;
  Eigen::RowVectorXf terms = masked;
  exponentiate(terms, chain.row_max);
  chain.exponential = terms(cell.column);
  for (const float term : terms)
    chain.row_sum += term;
  if (sink) chain.sink = std::exp(*sink - chain.row_max);
  chain.row_sum += chain.sink.value_or(0);
  if (terms.size() <= kMostTracedKeys) chain.row_terms.assign(terms.begin(), terms.end());
}

void trace_context(const Evaluator& evaluator, CellTrace& trace) {
  const CellAddress& cell = trace.cell;
  RowSource dropped = evaluator.rows(Stage::Dropped, cell.sequence, cell.head);
  const float* weights = dropped.row(cell.row);
  const Matrix& values =
      evaluator.matrix(Stage::Values, cell.sequence, evaluator.layer().kv_head_of(cell.head));
  for (Index key = 0; key < values.rows(); ++key)
    trace.terms.push_back({weights[key], values(key, cell.column)});
}

void trace_projection(const Evaluator& evaluator, CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const CellAddress& cell = trace.cell;
  const Parameter parameter = *parameter_of(cell.stage);
  const bool is_output = parameter == Parameter::Output;
  const Index column = is_output ? cell.column : cell.head * head_shape(layer, parameter).width + cell.column;
  if (is_output && column < layer.concat_width()) {
    trace.source_head = column / layer.d_v();
    trace.source_column = column % layer.d_v();
  }
  if (!layer.uses(parameter)) return;
  const Matrix& x = is_output ? evaluator.matrix(Stage::Concat, cell.sequence, 0)
                              : layer.projection_input(parameter, cell.sequence);
  trace.terms = projection_terms(x, cell.row, layer.weights.matrix(parameter), layer.weights.layout, column);
  trace.has_bias = layer.uses_bias(parameter);
  if (trace.has_bias) trace.bias = layer.weights.bias(parameter)(0, column);
}

void trace_head_parts(const Evaluator& evaluator, CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const Index d_v = layer.d_v();
  for (Index head = 0; head < layer.head_count(); ++head) {
    float part = trace.terms.empty() && head == trace.source_head ? trace.value : 0;
    if (!trace.terms.empty())
      for (Index i = head * d_v; i < (head + 1) * d_v; ++i)
        part += trace.terms[static_cast<std::size_t>(i)].product();
    trace.head_parts.push_back(part);
  }
}

void trace_turn(const Evaluator& evaluator, CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const CellAddress& cell = trace.cell;
  const Position& position = layer.attention.position;
  const Index dims = layer.rotary_dims();
  if (cell.column >= dims) return;
  const bool queries = cell.stage == Stage::RotatedQueries;
  const Matrix& from = evaluator.matrix(queries ? Stage::Queries : Stage::Keys, cell.sequence, cell.head);
  const RotaryPair pair = rotary_pair(position.pairs, dims, cell.column);
  CellTrace::Turn turn;
  turn.first_column = pair.first;
  turn.second_column = pair.second;
  turn.first = from(cell.row, pair.first);
  turn.second = from(cell.row, pair.second);
  turn.position = (queries ? position.start : position.key_start) + cell.row;
  turn.angle = rotary_angle(position, dims, pair.number, turn.position);
  turn.magnitude = position.scaling.magnitude;
  trace.turn = turn;
}

// From the dot product to the logits that the mask is applied to.
void trace_scores(const Evaluator& evaluator, CellTrace& trace) {
  const Layer& layer = evaluator.layer();
  const CellAddress& cell = trace.cell;
  const auto here = [&](Stage s) {
    return evaluator.rows(s, cell.sequence, cell.head).row(cell.row)[cell.column];
  };
  const bool turned = stage_exists(layer, Stage::RotatedQueries);
  trace.terms = dot_terms(
      evaluator.matrix(turned ? Stage::RotatedQueries : Stage::Queries, cell.sequence, cell.head), cell.row,
      evaluator.matrix(turned ? Stage::RotatedKeys : Stage::Keys, cell.sequence, layer.kv_head_of(cell.head)),
      cell.column);
  CellTrace::Chain& chain = trace.chain;
  chain.score = here(Stage::Scores);
  chain.scale = layer.scale_factor();
  chain.scaled = chain.logit = here(Stage::Scaled);
  if (stage_exists(layer, Stage::Capped)) chain.capped = chain.logit = here(Stage::Capped);
  if (stage_exists(layer, Stage::Biased)) {
    chain.bias = bias_of(layer, cell.sequence, cell.head, cell.row, cell.column);
    chain.biased = chain.logit = here(Stage::Biased);
  }
  chain.allowed = layer.may_attend(cell.row, cell.column, cell.sequence, cell.head);
  RowSource masked = evaluator.rows(Stage::Masked, cell.sequence, cell.head);
  trace_normalization(Eigen::Map<const Eigen::RowVectorXf>(masked.row(cell.row), masked.cols()), layer, cell,
                      chain);
}

void trace_chain(const Evaluator& evaluator, CellTrace& trace) {
  const CellAddress& cell = trace.cell;
  const auto here = [&](Stage s) {
    return evaluator.rows(s, cell.sequence, cell.head).row(cell.row)[cell.column];
  };
  trace.has_chain = true;
  CellTrace::Chain& chain = trace.chain;
  if (evaluator.layer().attention.projection != Projection::Weights) trace_scores(evaluator, trace);
  chain.weight = here(Stage::Weights);
  const Matrix& noise = evaluator.noise(cell.sequence, cell.head);
  if (noise.size() > 0) chain.noise = noise(cell.row, cell.column);
  chain.dropped = here(Stage::Dropped);
}

}  // namespace

CellTrace trace_cell(const Evaluator& evaluator, const CellAddress& cell) {
  RowSource whole = evaluator.rows(cell.stage, cell.sequence, cell.head);
  if (cell.row < 0 || cell.row >= whole.rows() || cell.column < 0 || cell.column >= whole.cols())
    throw Error(
        "there is no cell at row " + std::to_string(cell.row) + ", column " + std::to_string(cell.column),
        std::string(stage_info(cell.stage).name),
        "the matrix is " + std::to_string(whole.rows()) + " x " + std::to_string(whole.cols()));
  CellTrace trace;
  trace.cell = cell;
  trace.value = whole.row(cell.row)[cell.column];
  trace.mark = evaluator.mark(cell.stage, cell.sequence, cell.head, cell.row, cell.column);
  switch (cell.stage) {
    case Stage::Embeddings:
      break;
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
      trace_projection(evaluator, trace);
      break;
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      trace_turn(evaluator, trace);
      break;
    case Stage::Output:
      trace_projection(evaluator, trace);
      trace_head_parts(evaluator, trace);
      break;
    case Stage::Context:
      trace_context(evaluator, trace);
      break;
    case Stage::Concat:
      trace.source_head = cell.column / evaluator.layer().d_v();
      trace.source_column = cell.column % evaluator.layer().d_v();
      break;
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      trace_chain(evaluator, trace);
  }
  return trace;
}

}  // namespace headlight
