// What the shapes of arrays require of their model, before the model supplies the rest.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"

namespace headlight {

// A number that arrays determine, and the first array that does.
struct Constraint {
  const char* quantity;
  std::optional<Index> number;
  std::string by;

  // Throws `Error` that names both arrays when they disagree.
  void say(Index constraints, const ArrayChoice& choice);
};

struct ShapeConstraints {
  Constraint d_in{"d_in", {}, {}}, tokens{"T", {}, {}}, sequences{"B", {}, {}}, key_tokens{"T", {}, {}};
  Constraint key_d_in{"d_in", {}, {}};  // width of a separate input of keys and values
  // H d_k; G d_k of keys and values that heads share; G d_v of values with another width, and then H d_v, the
  // input of W_output; and the output of W_output. One quantity, d_out, unless the shapes require otherwise.
  Constraint width{"d_out", {}, {}}, kv_width{"d_out", {}, {}}, value_width{"d_out", {}, {}};
  Constraint concat{"d_out", {}, {}}, d_out{"d_out", {}, {}};
  Constraint heads{"heads", {}, {}}, kv_heads{"heads", {}, {}};
  bool shared = false;      // heads share keys and values
  bool own_values = false;  // values and keys differ in width
  bool projected = false;   // weights of the queries are among the arrays
  const ArrayChoice* embeddings = nullptr;
  const ArrayChoice* key_embeddings = nullptr;
  const ArrayChoice* mask = nullptr;
  const ArrayChoice* attention = nullptr;
  const ArrayChoice* relative_bias = nullptr;
  const ArrayChoice* key_mask = nullptr;
  const ArrayChoice* score_bias = nullptr;
  const ArrayChoice* scores = nullptr;
  const ArrayChoice *learned_key = nullptr, *learned_value = nullptr;
  std::vector<const ArrayChoice*> texts;  // lengths and texts of the tokens
  bool labels = false;
  std::array<bool, 4> weight{}, bias{};  // by Parameter
  std::array<bool, 3> given{};
  std::optional<WeightLayout> layout;  // of the given matrices; the last one's if they differ
  bool one_layout = true;
};

// Throws `Error` that names the arrays: for shapes that their places do not allow, or that are incompatible.
// The result points into the choices.
ShapeConstraints collect_constraints(const std::vector<ArrayChoice>& choices);

}  // namespace headlight
