#include "engine/layer/edit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

void check_cells(const CellsEdit& edit, const Matrix& target) {
  const std::string where = input_name(edit.input);
  if (edit.row < 0 || edit.column < 0 || edit.row + edit.values.rows() > target.rows() ||
      edit.column + edit.values.cols() > target.cols())
    throw Error("a block of " + std::to_string(edit.values.rows()) + " x " +
                    std::to_string(edit.values.cols()) + " at row " + std::to_string(edit.row + 1) +
                    ", column " + std::to_string(edit.column + 1) + " does not fit into " +
                    std::to_string(target.rows()) + " x " + std::to_string(target.cols()),
                where, "choose a smaller block or resize the matrix first");
  const bool closes = edit.input.kind == InputKind::ScoreBias;  // minus infinity closes a pair
  const Matrix values = closes ? Matrix(edit.values.unaryExpr([](float value) {
    return value == -std::numeric_limits<float>::infinity() ? 0.0f : value;
  }))
                               : Matrix();
  if (!all_finite(closes ? values : edit.values))
    throw Error("a new value is not a finite number", where, "NaN and infinity cannot be inputs");
  if (edit.input.kind == InputKind::Mask &&
      !((edit.values.array() == 0.0f) || (edit.values.array() == 1.0f)).all())
    throw Error("a new value is neither 0 nor 1", where, "1 lets the query attend to the key, 0 forbids it");
}

// Precondition: the block was checked.
void write_cells(const CellsEdit& edit, Layer& layer) {
  input_matrix(layer, edit.input).block(edit.row, edit.column, edit.values.rows(), edit.values.cols()) =
      edit.values;
  if (edit.input.kind == InputKind::Weight || edit.input.kind == InputKind::Bias) layer.weights.edited = true;
}

const Matrix& of_sequence(const std::vector<Matrix>& matrices, const InputId& input) {
  const auto count = static_cast<Index>(matrices.size());
  if (input.sequence < 0 || input.sequence >= count)
    throw Error("there is no such sequence", input_name(input), "there are " + std::to_string(count));
  return matrices[static_cast<std::size_t>(input.sequence)];
}

const Matrix& of_pair(const PairArray& array, const InputId& input) {
  const auto inside = [](Index at, Index count) { return at >= 0 && (count == 1 || at < count); };
  if (array.empty() || !inside(input.sequence, array.sequences) || !inside(input.head, array.heads))
    throw Error("there is no such sequence or head", input_name(input),
                "there are " + std::to_string(array.sequences) + " x " + std::to_string(array.heads));
  return array.of(input.sequence, input.head);
}

void apply_settings_edit(const SettingsEdit& edit, Layer& layer) {
  AttentionSettings before = edit.attention;
  std::swap(before, layer.attention);
  try {
    validate(layer);
  } catch (...) {
    layer.attention = std::move(before);
    throw;
  }
}

void apply_mask_edit(const MaskEdit& edit, Layer& layer) {
  MaskEdit before = edit;
  const auto swap_masks = [&] {
    std::swap(before.mask, layer.attention.mask);
    before.custom_mask.swap(layer.custom_mask);
    std::swap(before.rules, layer.attention.rules);
    std::swap(before.allowed, layer.allowed);
  };
  swap_masks();
  try {
    validate_mask(layer);
  } catch (...) {
    swap_masks();
    throw;
  }
}

}  // namespace

std::string input_name(const InputId& input) {
  std::string parameter = std::string("weights.") + parameter_name(input.parameter);
  switch (input.kind) {
    case InputKind::Embeddings:
      return "embeddings[" + std::to_string(input.sequence) + "]";
    case InputKind::Weight:
      return parameter;
    case InputKind::Bias:
      return parameter + "_bias";
    case InputKind::KeyEmbeddings:
      return "key_embeddings[" + std::to_string(input.sequence) + "]";
    case InputKind::Mask:
      return "attention.mask";
    case InputKind::GivenWeights:
      return "given.weights[" + std::to_string(input.sequence) + "][" + std::to_string(input.head) + "]";
    case InputKind::ScoreBias:
      return "attention.bias";
    case InputKind::Given:
      return std::string("given.") + parameter_name(input.parameter) + "[" + std::to_string(input.sequence) +
             "]";
  }
  return "";
}

const Matrix& input_matrix(const Layer& layer, const InputId& input) {
  switch (input.kind) {
    case InputKind::Embeddings:
      return of_sequence(layer.embeddings, input);
    case InputKind::Weight:
      return layer.weights.matrix(input.parameter);
    case InputKind::Bias:
      return layer.weights.bias(input.parameter);
    case InputKind::Given:
      return of_sequence(layer.given[static_cast<std::size_t>(input.parameter)], input);
    case InputKind::KeyEmbeddings:
      return of_sequence(layer.key_embeddings, input);
    case InputKind::GivenWeights:
      return of_pair(layer.given_weights, input);
    case InputKind::ScoreBias:
      return of_pair(layer.score_bias, input);
    case InputKind::Mask:
      if (layer.attention.mask == MaskKind::Rules) return of_pair(layer.allowed, input);
      break;
  }
  return layer.custom_mask;
}

Matrix& input_matrix(Layer& layer, const InputId& input) {
  return const_cast<Matrix&>(input_matrix(static_cast<const Layer&>(layer), input));
}

MaskEdit mask_of(const Layer& layer) {
  return {layer.attention.mask, layer.custom_mask, layer.attention.rules, layer.allowed};
}

bool same_place(const CellsEdit& a, const CellsEdit& b) {
  return a.input == b.input && a.row == b.row && a.column == b.column && a.values.rows() == b.values.rows() &&
         a.values.cols() == b.values.cols();
}

bool same_place(const BlocksEdit& a, const BlocksEdit& b) {
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const CellsEdit& one, const CellsEdit& other) { return same_place(one, other); });
}

void apply_edit(const Edit& edit, Layer& layer) {
  if (const auto* cells = std::get_if<CellsEdit>(&edit)) {
    check_cells(*cells, input_matrix(layer, cells->input));
    write_cells(*cells, layer);
  } else if (const auto* several = std::get_if<BlocksEdit>(&edit)) {
    for (const CellsEdit& block : several->blocks)
      check_cells(block, input_matrix(layer, block.input));
    for (const CellsEdit& block : several->blocks)
      write_cells(block, layer);
  } else if (const auto* settings = std::get_if<SettingsEdit>(&edit)) {
    apply_settings_edit(*settings, layer);
  } else if (const auto* mask = std::get_if<MaskEdit>(&edit)) {
    apply_mask_edit(*mask, layer);
  } else {
    const Layer& changed = *std::get<LayerEdit>(edit).layer;
    validate(changed);
    Layer copy = changed;  // if this throws bad_alloc, the layer is unchanged
    layer = std::move(copy);
  }
}

}  // namespace headlight
