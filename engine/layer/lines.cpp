#include "engine/layer/lines.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr Index kMostDimensions = 4096;
constexpr Index kBlank = kNewLine;

// For each line after the change, the index of its source before it.
using Sources = std::vector<Index>;

Sources sources_of(const LinesEdit& edit, Index count) {
  Sources lines(static_cast<std::size_t>(count));
  std::iota(lines.begin(), lines.end(), Index{0});
  const auto first = lines.begin() + edit.at;
  if (edit.change == LineChange::Insert) {
    lines.insert(first, static_cast<std::size_t>(edit.count), kBlank);
    return lines;
  }
  const Sources chosen(first, first + edit.count);
  if (edit.change == LineChange::Duplicate) {
    lines.insert(first + edit.count, chosen.begin(), chosen.end());
    return lines;
  }
  lines.erase(first, first + edit.count);
  if (edit.change == LineChange::Move) lines.insert(lines.begin() + edit.to, chosen.begin(), chosen.end());
  return lines;
}

Matrix rows_from(const Matrix& matrix, const Sources& sources, float blank) {
  Matrix result(static_cast<Index>(sources.size()), matrix.cols());
  for (Index row = 0; row < result.rows(); ++row) {
    const Index source = sources[static_cast<std::size_t>(row)];
    if (source == kBlank)
      result.row(row).setConstant(blank);
    else
      result.row(row) = matrix.row(source);
  }
  return result;
}

Matrix columns_from(const Matrix& matrix, const Sources& sources, float blank) {
  return rows_from(matrix.transpose(), sources, blank).transpose();
}

// Whether all heads are d_out / H wide, so that each column of d_out is one of queries, keys and values.
bool shares_width(const Layer& layer) {
  return layer.kv_head_count() == layer.head_count() && layer.d_k() == layer.d_v() &&
         layer.concat_width() == layer.d_out();
}

// Without projections, the embeddings' columns are also the output's columns.
bool reaches_input(const Layer& layer, LineKind kind) {
  return kind == LineKind::Input ||
         (kind == LineKind::Output && layer.attention.projection == Projection::None);
}
bool reaches_output(const Layer& layer, LineKind kind) {
  return kind == LineKind::Output ||
         (kind == LineKind::Input && layer.attention.projection == Projection::None);
}

// Keys and values may be projected from embeddings of their own width.
bool reads_embeddings(const Layer& layer, Parameter parameter) {
  return parameter == Parameter::Query || layer.key_embeddings.empty();
}

// Which sides of a query x key matrix change.
struct PairSides {
  bool rows = false, columns = false;
};

void change_pairs(Matrix& matrix, const PairSides& sides, const Sources& sources, float blank) {
  if (sides.rows) matrix = rows_from(matrix, sources, blank);
  if (sides.columns) matrix = columns_from(matrix, sources, blank);
}

void change_tokens(Layer& layer, LineKind kind, const Sources& sources) {
  const bool queries = kind == LineKind::Token, keys = kind == LineKind::Key || layer.self_attention();
  if (layer.custom_mask.rows() == layer.token_count() && layer.custom_mask.cols() == layer.key_count())
    change_pairs(layer.custom_mask, {queries, keys}, sources, 1);
  for (Matrix& allowed : layer.allowed.matrices)
    change_pairs(allowed, {queries, keys}, sources, 1);
  for (Matrix& weights : layer.given_weights.matrices)
    change_pairs(weights, {queries, keys}, sources, 0);
  for (Matrix& bias : layer.score_bias.matrices)
    change_pairs(bias, {queries && bias.rows() > 1, keys && bias.cols() > 1}, sources, 0);
  for (Matrix* rows : queries ? token_rows(layer) : key_rows(layer))
    *rows = rows_from(*rows, sources, 0);
  follow_lines(queries ? layer.lineage.tokens : layer.lineage.keys, sources, line_count(layer, kind));
  std::vector<std::string>& labels = queries ? layer.tokens : layer.key_tokens;
  std::vector<std::string> tokens;
  for (const Index source : sources)
    tokens.push_back(source == kBlank ? "new" : labels[static_cast<std::size_t>(source)]);
  labels = std::move(tokens);
  const auto count = static_cast<Index>(sources.size());
  if (keys)
    for (Index& used : layer.attention.rules.keys)
      used = std::min(used, count);
}

// Changes one side of a weight if its length matches: weights that are not in use may have any shape.
void change_side(Matrix& matrix, bool rows, const Sources& sources, Index before) {
  if ((rows ? matrix.rows() : matrix.cols()) != before) return;
  matrix = rows ? rows_from(matrix, sources, 0) : columns_from(matrix, sources, 0);
}

void change_weights(Layer& layer, LineKind kind, const Sources& sources) {
  Weights& weights = layer.weights;
  const Index d_out = layer.d_out();
  const bool in_out = weights.layout == WeightLayout::InOut;
  const bool linear = layer.attention.projection == Projection::Linear;
  for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    if (reaches_input(layer, kind) && reads_embeddings(layer, p))
      change_side(weights.matrix(p), in_out, sources, layer.d_in());
    if (!linear || kind != LineKind::Output) continue;
    change_side(weights.matrix(p), !in_out, sources, d_out);
    change_side(weights.bias(p), false, sources, d_out);
  }
  if (!reaches_output(layer, kind)) return;
  for (std::vector<Matrix>& matrices : layer.given)
    for (Matrix& rows : matrices)
      rows = columns_from(rows, sources, 0);
  Matrix& output = weights.matrix(Parameter::Output);
  if (output.rows() == d_out && output.cols() == d_out) {
    change_side(output, true, sources, d_out);
    change_side(output, false, sources, d_out);
  }
  change_side(weights.bias(Parameter::Output), false, sources, d_out);
}

std::string plural(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string why_not_so_many(const Layer& layer, LineKind kind, Index count) {
  if (kind == LineKind::Token || kind == LineKind::Key) {
    if (count < 1) return "Attention needs at least one token";
    return count > kMostTokens ? "At most " + plural(kMostTokens, "token") + " can be shown" : "";
  }
  const Index heads = layer.head_count();
  const std::string name = kind == LineKind::Input ? "d_in" : "d_out";
  if (count < 1) return name + " is at least 1";
  if (count > kMostDimensions) return name + " is at most " + std::to_string(kMostDimensions);
  if (!reaches_output(layer, kind)) return "";
  if (count % heads != 0)
    return "d_out would be " + std::to_string(count) + ", which " + plural(heads, "head") +
           " can't share out: it must be a multiple of " + std::to_string(heads);
  const Index width = count / heads, turned = layer.attention.position.dims > 0 ? layer.rotary_dims() : width;
  const bool rotary = layer.attention.position.kind == PositionKind::Rotary;
  return rotary && (turned % 2 != 0 || turned > width)
             ? "Rotary positions turn pairs of numbers: a head can't be " + std::to_string(width) + " wide"
             : "";
}

Index count_after(const LinesEdit& edit, Index count) {
  switch (edit.change) {
    case LineChange::Insert:
    case LineChange::Duplicate:
      return count + edit.count;
    case LineChange::Remove:
      return count - edit.count;
    case LineChange::Move:
      return count;
  }
  return count;
}

void check_position(const Layer& layer, Index at, Index end) {
  if (at < 0 || at >= end)
    throw Error("there is no position " + std::to_string(at + 1), "tokens",
                "there are " + std::to_string(layer.token_count()) + " tokens");
}

void grow(Layer& layer, const InputId& input, std::optional<LineKind> kind, Index missing) {
  if (missing <= 0) return;
  if (!kind)
    throw Error("it has no more rows or columns", input_name(input), "paste as many numbers as there are");
  change_lines(layer, {*kind, LineChange::Insert, line_count(layer, *kind), missing, 0});
}

void grow_to(Layer& layer, const InputId& input, Index rows, Index columns) {
  grow(layer, input, row_kind(layer, input), rows - input_matrix(layer, input).rows());
  grow(layer, input, column_kind(layer, input), columns - input_matrix(layer, input).cols());
}

// The kind of lines that keys are.
LineKind key_lines(const Layer& layer) {
  return layer.self_attention() ? LineKind::Token : LineKind::Key;
}

// What one side of a weight matrix stands for: that of the inputs, or the other.
std::optional<LineKind> side_kind(const Layer& layer, Parameter parameter, bool inner) {
  if (parameter == Parameter::Output || !inner) return LineKind::Output;
  return reads_embeddings(layer, parameter) ? std::optional(LineKind::Input) : std::nullopt;
}

}  // namespace

std::optional<LineKind> row_kind(const Layer& layer, const InputId& input) {
  switch (input.kind) {
    case InputKind::Embeddings:
    case InputKind::Mask:
    case InputKind::GivenWeights:
      return LineKind::Token;
    case InputKind::Given:
      return input.parameter == Parameter::Query ? LineKind::Token : key_lines(layer);
    case InputKind::KeyEmbeddings:
      return key_lines(layer);
    case InputKind::ScoreBias:
      return layer.score_bias.rows() > 1 ? std::optional(LineKind::Token) : std::nullopt;
    case InputKind::Bias:
      return std::nullopt;
    case InputKind::Weight:
      break;
  }
  return side_kind(layer, input.parameter, layer.weights.layout == WeightLayout::InOut);
}

std::optional<LineKind> column_kind(const Layer& layer, const InputId& input) {
  switch (input.kind) {
    case InputKind::Embeddings:
      return LineKind::Input;
    case InputKind::Mask:
    case InputKind::GivenWeights:
      return key_lines(layer);
    case InputKind::ScoreBias:
      return layer.score_bias.columns() > 1 ? std::optional(key_lines(layer)) : std::nullopt;
    case InputKind::KeyEmbeddings:
      return std::nullopt;
    case InputKind::Bias:
    case InputKind::Given:
      return LineKind::Output;
    case InputKind::Weight:
      break;
  }
  return side_kind(layer, input.parameter, layer.weights.layout == WeightLayout::OutIn);
}

Index line_count(const Layer& layer, LineKind kind) {
  if (kind == LineKind::Token) return layer.token_count();
  if (kind == LineKind::Key) return layer.key_count();
  return kind == LineKind::Input ? layer.d_in() : layer.d_out();
}

std::string why_not(const Layer& layer, const LinesEdit& edit) {
  const Index count = line_count(layer, edit.kind);
  const Index taken = edit.change == LineChange::Insert ? 0 : edit.count;
  if (edit.count < 1 || edit.at < 0 || edit.at + taken > count) return "There are no such lines";
  const bool tokens = edit.kind == LineKind::Token || edit.kind == LineKind::Key;
  if (!tokens && reaches_output(layer, edit.kind) && !shares_width(layer))
    return "Widths of the heads are set one by one: change d_k or d_v";
  if (edit.change == LineChange::Move) {
    if (edit.to < 0) return "It stands first";
    return edit.to + edit.count > count ? "It stands last" : "";
  }
  return why_not_so_many(layer, edit.kind, count_after(edit, count));
}

void change_lines(Layer& layer, const LinesEdit& edit) {
  const std::string reason = why_not(layer, edit);
  const bool tokens = edit.kind == LineKind::Token || edit.kind == LineKind::Key;
  if (!reason.empty()) throw Error(reason, tokens ? "tokens" : "dimensions", "");
  const Index before = line_count(layer, edit.kind);
  const Sources sources = sources_of(edit, before);
  if (tokens) return change_tokens(layer, edit.kind, sources);
  change_weights(layer, edit.kind, sources);
  layer.weights.edited = true;
  const bool input = reaches_input(layer, edit.kind), output = reaches_output(layer, edit.kind);
  if (input) follow_lines(layer.lineage.inputs, sources, before);
  if (output) follow_lines(layer.lineage.outputs, sources, before);
  if (input)
    for (Matrix& x : layer.embeddings)
      x = columns_from(x, sources, 0);
  if (!output) return;
  layer.attention.d_out = static_cast<Index>(sources.size());
  for (Index* width : {&layer.attention.d_k, &layer.attention.d_v})
    if (*width > 0) *width = layer.d_out() / layer.head_count();
}

void insert_token(Layer& layer, Index at, const std::string& label, bool copy) {
  check_position(layer, at, layer.token_count() + 1);
  change_lines(layer, {LineKind::Token, LineChange::Insert, at, 1, 0});
  layer.tokens[static_cast<std::size_t>(at)] = label;
  if (!copy || layer.token_count() == 1) return;
  for (Matrix* rows : token_rows(layer))
    rows->row(at) = Matrix(rows->row(at == 0 ? 1 : at - 1));
}

void remove_token(Layer& layer, Index at) {
  check_position(layer, at, layer.token_count());
  if (layer.token_count() == 1)
    throw Error("the last token cannot be removed", "tokens", "attention needs at least one token");
  change_lines(layer, {LineKind::Token, LineChange::Remove, at, 1, 0});
}

void move_token(Layer& layer, Index from, Index to) {
  check_position(layer, from, layer.token_count());
  check_position(layer, to, layer.token_count());
  change_lines(layer, {LineKind::Token, LineChange::Move, from, 1, to});
}

void write_growing(Layer& layer, const InputId& input, Index row, Index column, const Matrix& values) {
  Layer changed = layer;
  grow_to(changed, input, row + values.rows(), column + values.cols());
  apply_edit(CellsEdit{input, row, column, values}, changed);
  layer = std::move(changed);
}

std::string growth_obstacle(const Layer& layer, const InputId& input, Index rows, Index columns) {
  Layer changed = layer;
  try {
    grow_to(changed, input, rows, columns);
  } catch (const Error& error) {
    return error.summary();
  }
  return "";
}

}  // namespace headlight
