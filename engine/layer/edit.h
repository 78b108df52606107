// Changes to a Layer, as the document sends them to the evaluator: an Edit states exactly what changed, so
// that only stages that depend on it are recomputed.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

// The editable matrices of a layer. Mask: the custom mask, or the allowed pairs beside a mask's rules. Given:
// queries, keys and values. GivenWeights: attention weights. ScoreBias: the bias added to the scores.
enum class InputKind { Embeddings, Weight, Bias, Mask, Given, KeyEmbeddings, GivenWeights, ScoreBias };

struct InputId {
  InputKind kind = InputKind::Embeddings;
  Index sequence = 0;                      // not of Weight and Bias; any if all sequences share one matrix
  Parameter parameter = Parameter::Query;  // of Weight, Bias, and Given (not Output)
  Index head = 0;  // of Mask, GivenWeights and ScoreBias; any if all heads share one matrix
  bool operator==(const InputId&) const = default;
};

// A cell of the inputs.
struct InputCell {
  InputId input;
  Index row = 0, column = 0;
  bool operator==(const InputCell&) const = default;
};

// The input's name in messages: "embeddings[0]", "weights.query_bias", "attention.mask", "given.query[0]".
std::string input_name(const InputId& input);

const Matrix& input_matrix(const Layer& layer, const InputId& input);
Matrix& input_matrix(Layer& layer, const InputId& input);

struct CellsEdit {  // overwrites a block of one input
  InputId input;
  Index row = 0;
  Index column = 0;
  Matrix values;
};
// Whether two edits write the same block: the later one then leaves nothing of the earlier one.
bool same_place(const CellsEdit& a, const CellsEdit& b);
struct BlocksEdit {  // overwrites blocks of several inputs at once, as a step of training does
  std::vector<CellsEdit> blocks;
};
bool same_place(const BlocksEdit& a, const BlocksEdit& b);  // block by block
struct SettingsEdit {                                       // changes settings but no shapes
  AttentionSettings attention;
};
struct MaskEdit {  // changes the mask's kind together with its data
  MaskKind mask = MaskKind::None;
  Matrix custom_mask = {};  // Tq x Tk of 0 and 1 when `mask` is Custom, else anything
  MaskRules rules = {};     // used if `mask` is Rules, with the allowed pairs
  PairArray allowed = {};
};
// The MaskEdit that describes the layer's current mask.
MaskEdit mask_of(const Layer& layer);
struct LayerEdit {  // replaces the layer; shapes may differ
  std::shared_ptr<const Layer> layer;
};
using Edit = std::variant<CellsEdit, SettingsEdit, MaskEdit, LayerEdit, BlocksEdit>;

// Applies the edit. Strong exception guarantee: if it throws, the layer is unchanged. Throws Error if a
// block lies outside the matrix, a value is not finite (minus infinity is allowed in ScoreBias), a mask value
// is neither 0 nor 1, or the settings or the layer are not valid.
void apply_edit(const Edit& edit, Layer& layer);

}  // namespace headlight
