// One change to a Model, as it travels from the document to the evaluator: it says exactly what changed, so
// that only what depends on it is refreshed.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "engine/model/model.h"

namespace headlight {

// Every editable matrix of a model.
// Mask: the painted mask, or the allowed pairs beside a mask's rules. Given: queries, keys and values;
// GivenWeights: attention's weights. ScoreBias: what is added to the scores.
enum class InputKind { Embeddings, Weight, Bias, Mask, Given, KeyEmbeddings, GivenWeights, ScoreBias };

struct InputId {
  InputKind kind = InputKind::Embeddings;
  Index sequence = 0;                      // of all but Weight and Bias; where one stands for all, any
  Parameter parameter = Parameter::Query;  // Weight and Bias; Given, where it is not Output
  Index head = 0;  // of Mask, GivenWeights and ScoreBias; where one stands for all, any
  bool operator==(const InputId&) const = default;
};

// A cell of the inputs.
struct InputCell {
  InputId input;
  Index row = 0, column = 0;
  bool operator==(const InputCell&) const = default;
};

// "embeddings[0]", "weights.query", "weights.query_bias", "attention.mask", "given.query[0]": the place as
// messages name it.
std::string input_name(const InputId& input);

const Matrix& input_matrix(const Model& model, const InputId& input);
Matrix& input_matrix(Model& model, const InputId& input);

struct CellsEdit {  // a block of one input takes new values
  InputId input;
  Index row = 0;
  Index column = 0;
  Matrix values;
};
struct SettingsEdit {  // settings change, no shape does
  AttentionSettings attention;
};
struct MaskEdit {  // the mask's kind and the matrix of a custom one, together
  MaskKind mask = MaskKind::None;
  Matrix custom_mask = {};  // Tq x Tk of 0 and 1 when `mask` is Custom, else anything
  MaskRules rules = {};     // counts when `mask` is Rules, with the allowed pairs
  PairArray allowed = {};
};
// The edit that leaves the mask as it is.
MaskEdit mask_of(const Model& model);
struct ModelEdit {  // anything may have changed, shapes too
  std::shared_ptr<const Model> model;
};
using Edit = std::variant<CellsEdit, SettingsEdit, MaskEdit, ModelEdit>;

// Carries the edit out. Strong guarantee: whatever is thrown, nothing has changed. Throws Error when the
// block lies outside the matrix, a value is not finite, a mask value is neither 0 nor 1, or the settings or
// the model are not valid.
void apply_edit(const Edit& edit, Model& model);

}  // namespace headlight
