#include "engine/model/lines.h"

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
bool shares_width(const Model& model) {
  return model.kv_head_count() == model.head_count() && model.d_k() == model.d_v() &&
         model.concat_width() == model.d_out();
}

// Without projections, the embeddings' columns are also the output's columns.
bool reaches_input(const Model& model, LineKind kind) {
  return kind == LineKind::Input ||
         (kind == LineKind::Output && model.attention.projection == Projection::None);
}
bool reaches_output(const Model& model, LineKind kind) {
  return kind == LineKind::Output ||
         (kind == LineKind::Input && model.attention.projection == Projection::None);
}

// Keys and values may be projected from embeddings of their own width.
bool reads_embeddings(const Model& model, Parameter parameter) {
  return parameter == Parameter::Query || model.key_embeddings.empty();
}

// Which sides of a query x key matrix change.
struct PairSides {
  bool rows = false, columns = false;
};

void change_pairs(Matrix& matrix, const PairSides& sides, const Sources& sources, float blank) {
  if (sides.rows) matrix = rows_from(matrix, sources, blank);
  if (sides.columns) matrix = columns_from(matrix, sources, blank);
}

void change_tokens(Model& model, LineKind kind, const Sources& sources) {
  const bool queries = kind == LineKind::Token, keys = kind == LineKind::Key || model.self_attention();
  if (model.custom_mask.rows() == model.token_count() && model.custom_mask.cols() == model.key_count())
    change_pairs(model.custom_mask, {queries, keys}, sources, 1);
  for (Matrix& allowed : model.allowed.matrices)
    change_pairs(allowed, {queries, keys}, sources, 1);
  for (Matrix& weights : model.given_weights.matrices)
    change_pairs(weights, {queries, keys}, sources, 0);
  for (Matrix& bias : model.score_bias.matrices)
    change_pairs(bias, {queries && bias.rows() > 1, keys && bias.cols() > 1}, sources, 0);
  for (Matrix* rows : queries ? token_rows(model) : key_rows(model))
    *rows = rows_from(*rows, sources, 0);
  follow_lines(queries ? model.lineage.tokens : model.lineage.keys, sources, line_count(model, kind));
  std::vector<std::string>& labels = queries ? model.tokens : model.key_tokens;
  std::vector<std::string> tokens;
  for (const Index source : sources)
    tokens.push_back(source == kBlank ? "new" : labels[static_cast<std::size_t>(source)]);
  labels = std::move(tokens);
  const auto count = static_cast<Index>(sources.size());
  if (keys)
    for (Index& used : model.attention.rules.keys)
      used = std::min(used, count);
}

// Changes one side of a weight if its length matches: weights that are not in use may have any shape.
void change_side(Matrix& matrix, bool rows, const Sources& sources, Index before) {
  if ((rows ? matrix.rows() : matrix.cols()) != before) return;
  matrix = rows ? rows_from(matrix, sources, 0) : columns_from(matrix, sources, 0);
}

void change_weights(Model& model, LineKind kind, const Sources& sources) {
  Weights& weights = model.weights;
  const Index d_out = model.d_out();
  const bool in_out = weights.layout == WeightLayout::InOut;
  const bool linear = model.attention.projection == Projection::Linear;
  for (Parameter p : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    if (reaches_input(model, kind) && reads_embeddings(model, p))
      change_side(weights.matrix(p), in_out, sources, model.d_in());
    if (!linear || kind != LineKind::Output) continue;
    change_side(weights.matrix(p), !in_out, sources, d_out);
    change_side(weights.bias(p), false, sources, d_out);
  }
  if (!reaches_output(model, kind)) return;
  for (std::vector<Matrix>& matrices : model.given)
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

std::string why_not_so_many(const Model& model, LineKind kind, Index count) {
  if (kind == LineKind::Token || kind == LineKind::Key) {
    if (count < 1) return "Attention needs at least one token";
    return count > kMostTokens ? "At most " + plural(kMostTokens, "token") + " can be shown" : "";
  }
  const Index heads = model.head_count();
  const std::string name = kind == LineKind::Input ? "d_in" : "d_out";
  if (count < 1) return name + " is at least 1";
  if (count > kMostDimensions) return name + " is at most " + std::to_string(kMostDimensions);
  if (!reaches_output(model, kind)) return "";
  if (count % heads != 0)
    return "d_out would be " + std::to_string(count) + ", which " + plural(heads, "head") +
           " can't share out: it must be a multiple of " + std::to_string(heads);
  const Index width = count / heads, turned = model.attention.position.dims > 0 ? model.rotary_dims() : width;
  const bool rotary = model.attention.position.kind == PositionKind::Rotary;
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

void check_position(const Model& model, Index at, Index end) {
  if (at < 0 || at >= end)
    throw Error("there is no position " + std::to_string(at + 1), "tokens",
                "there are " + std::to_string(model.token_count()) + " tokens");
}

void grow(Model& model, const InputId& input, std::optional<LineKind> kind, Index missing) {
  if (missing <= 0) return;
  if (!kind)
    throw Error("it has no more rows or columns", input_name(input), "paste as many numbers as there are");
  change_lines(model, {*kind, LineChange::Insert, line_count(model, *kind), missing, 0});
}

void grow_to(Model& model, const InputId& input, Index rows, Index columns) {
  grow(model, input, row_kind(model, input), rows - input_matrix(model, input).rows());
  grow(model, input, column_kind(model, input), columns - input_matrix(model, input).cols());
}

// The kind of lines that keys are.
LineKind key_lines(const Model& model) {
  return model.self_attention() ? LineKind::Token : LineKind::Key;
}

// What one side of a weight matrix stands for: that of the inputs, or the other.
std::optional<LineKind> side_kind(const Model& model, Parameter parameter, bool inner) {
  if (parameter == Parameter::Output || !inner) return LineKind::Output;
  return reads_embeddings(model, parameter) ? std::optional(LineKind::Input) : std::nullopt;
}

}  // namespace

std::optional<LineKind> row_kind(const Model& model, const InputId& input) {
  switch (input.kind) {
    case InputKind::Embeddings:
    case InputKind::Mask:
    case InputKind::GivenWeights:
      return LineKind::Token;
    case InputKind::Given:
      return input.parameter == Parameter::Query ? LineKind::Token : key_lines(model);
    case InputKind::KeyEmbeddings:
      return key_lines(model);
    case InputKind::ScoreBias:
      return model.score_bias.rows() > 1 ? std::optional(LineKind::Token) : std::nullopt;
    case InputKind::Bias:
      return std::nullopt;
    case InputKind::Weight:
      break;
  }
  return side_kind(model, input.parameter, model.weights.layout == WeightLayout::InOut);
}

std::optional<LineKind> column_kind(const Model& model, const InputId& input) {
  switch (input.kind) {
    case InputKind::Embeddings:
      return LineKind::Input;
    case InputKind::Mask:
    case InputKind::GivenWeights:
      return key_lines(model);
    case InputKind::ScoreBias:
      return model.score_bias.columns() > 1 ? std::optional(key_lines(model)) : std::nullopt;
    case InputKind::KeyEmbeddings:
      return std::nullopt;
    case InputKind::Bias:
    case InputKind::Given:
      return LineKind::Output;
    case InputKind::Weight:
      break;
  }
  return side_kind(model, input.parameter, model.weights.layout == WeightLayout::OutIn);
}

Index line_count(const Model& model, LineKind kind) {
  if (kind == LineKind::Token) return model.token_count();
  if (kind == LineKind::Key) return model.key_count();
  return kind == LineKind::Input ? model.d_in() : model.d_out();
}

std::string why_not(const Model& model, const LinesEdit& edit) {
  const Index count = line_count(model, edit.kind);
  const Index taken = edit.change == LineChange::Insert ? 0 : edit.count;
  if (edit.count < 1 || edit.at < 0 || edit.at + taken > count) return "There are no such lines";
  const bool tokens = edit.kind == LineKind::Token || edit.kind == LineKind::Key;
  if (!tokens && reaches_output(model, edit.kind) && !shares_width(model))
    return "Widths of the heads are set one by one: change d_k or d_v";
  if (edit.change == LineChange::Move) {
    if (edit.to < 0) return "It stands first";
    return edit.to + edit.count > count ? "It stands last" : "";
  }
  return why_not_so_many(model, edit.kind, count_after(edit, count));
}

void change_lines(Model& model, const LinesEdit& edit) {
  const std::string reason = why_not(model, edit);
  const bool tokens = edit.kind == LineKind::Token || edit.kind == LineKind::Key;
  if (!reason.empty()) throw Error(reason, tokens ? "tokens" : "dimensions", "");
  const Index before = line_count(model, edit.kind);
  const Sources sources = sources_of(edit, before);
  if (tokens) return change_tokens(model, edit.kind, sources);
  change_weights(model, edit.kind, sources);
  model.weights.edited = true;
  const bool input = reaches_input(model, edit.kind), output = reaches_output(model, edit.kind);
  if (input) follow_lines(model.lineage.inputs, sources, before);
  if (output) follow_lines(model.lineage.outputs, sources, before);
  if (input)
    for (Matrix& x : model.embeddings)
      x = columns_from(x, sources, 0);
  if (!output) return;
  model.attention.d_out = static_cast<Index>(sources.size());
  for (Index* width : {&model.attention.d_k, &model.attention.d_v})
    if (*width > 0) *width = model.d_out() / model.head_count();
}

void insert_token(Model& model, Index at, const std::string& label, bool copy) {
  check_position(model, at, model.token_count() + 1);
  change_lines(model, {LineKind::Token, LineChange::Insert, at, 1, 0});
  model.tokens[static_cast<std::size_t>(at)] = label;
  if (!copy || model.token_count() == 1) return;
  for (Matrix* rows : token_rows(model))
    rows->row(at) = Matrix(rows->row(at == 0 ? 1 : at - 1));
}

void remove_token(Model& model, Index at) {
  check_position(model, at, model.token_count());
  if (model.token_count() == 1)
    throw Error("the last token cannot be removed", "tokens", "attention needs at least one token");
  change_lines(model, {LineKind::Token, LineChange::Remove, at, 1, 0});
}

void move_token(Model& model, Index from, Index to) {
  check_position(model, from, model.token_count());
  check_position(model, to, model.token_count());
  change_lines(model, {LineKind::Token, LineChange::Move, from, 1, to});
}

void write_growing(Model& model, const InputId& input, Index row, Index column, const Matrix& values) {
  Model changed = model;
  grow_to(changed, input, row + values.rows(), column + values.cols());
  apply_edit(CellsEdit{input, row, column, values}, changed);
  model = std::move(changed);
}

std::string growth_obstacle(const Model& model, const InputId& input, Index rows, Index columns) {
  Model changed = model;
  try {
    grow_to(changed, input, rows, columns);
  } catch (const Error& error) {
    return error.summary();
  }
  return "";
}

}  // namespace headlight
