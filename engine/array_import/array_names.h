// What the name of an array gives away, by the habits of the projects that write such files.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "engine/array_import/array_roles.h"

namespace headlight {

struct ArrayName {
  std::optional<ArrayRole> role;
  std::optional<WeightLayout> layout;  // of a matrix of weights
};

std::string lower_name(std::string_view text);  // its ASCII letters
bool has_any(std::string_view name, std::initializer_list<std::string_view> words);

// dimensions: of the array; they tell GPT-2's mask, which is called "bias", from a bias.
ArrayName read_array_name(std::string_view name, std::size_t dimensions);

// A causal mask that a module keeps for the longest text it can read, as GPT-2 and TransformerLens do.
bool is_mask_buffer(std::string_view name);

// What the arrays of one layer have in common: "h.0.attn" of h.0.attn.c_attn.weight, of h.0.attn.c_proj.bias
// and of GPT-2's mask h.0.attn.bias; nothing of a name without dots and slashes.
std::string_view layer_of(std::string_view name);

// The layer as far as its number: "h.0" of h.0.attn.c_attn.weight, "encoder.layer.0" of
// encoder.layer.0.attention.self.query.weight, "encoder.block.3" of
// encoder.block.3.layer.0.SelfAttention.q.weight; nothing of a name without a numbered layer.
std::string_view numbered_layer_of(std::string_view name);

}  // namespace headlight
