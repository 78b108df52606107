// What arrays say together of the model that they go into, before the model is asked for the rest.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_choice.h"

namespace headlight {

// A number that arrays say, and the first of them to say so.
struct Constraint {
  const char* quantity;
  std::optional<Index> number;
  std::string by;

  // Throws Error when it disagrees, with the names of both.
  void say(Index constraints, const ArrayChoice& choice);
};

struct ShapeConstraints {
  Constraint d_in{"d_in", {}, {}}, tokens{"T", {}, {}}, sequences{"B", {}, {}}, key_tokens{"T", {}, {}};
  Constraint key_d_in{"d_in", {}, {}};  // of what keys and values are made of, where that comes as well
  // H d_k; G d_k of keys and values where heads share them; G d_v of values where they have a width of their
  // own, and H d_v of what W_output is multiplied with then; and what W_output makes of it. One quantity,
  // d_out, unless the shapes say otherwise.
  Constraint width{"d_out", {}, {}}, kv_width{"d_out", {}, {}}, value_width{"d_out", {}, {}};
  Constraint concat{"d_out", {}, {}}, d_out{"d_out", {}, {}};
  Constraint heads{"heads", {}, {}}, kv_heads{"heads", {}, {}};
  bool shared = false;      // heads share keys and values
  bool own_values = false;  // values are of another width than keys
  bool projected = false;   // weights of the queries are among the arrays
  const ArrayChoice* embeddings = nullptr;
  const ArrayChoice* key_embeddings = nullptr;
  const ArrayChoice* mask = nullptr;
  const ArrayChoice* attention = nullptr;
  const ArrayChoice* relative_bias = nullptr;
  const ArrayChoice* key_mask = nullptr;
  const ArrayChoice* score_bias = nullptr;
  const ArrayChoice* scores = nullptr;
  bool labels = false;
  std::array<bool, 4> weight{}, bias{};  // by Parameter
  std::array<bool, 3> given{};
  std::optional<WeightLayout> layout;  // of all matrices that are given; none when they differ
  bool one_layout = true;
};

// Throws Error that names the arrays: of shapes that their places do not take, or that do not go together.
// The result points into the choices.
ShapeConstraints collect_constraints(const std::vector<ArrayChoice>& choices);

}  // namespace headlight
