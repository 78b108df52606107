// The role and layout that an array's name shows, by the conventions of the projects that write such files.
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

std::string_view last_part(std::string_view name);  // behind the last dot or slash
bool has_any(std::string_view name, std::initializer_list<std::string_view> words);

// dimensions: of the array; they distinguish GPT-2's mask, which is named "bias", from a bias.
ArrayName read_array_name(std::string_view name, std::size_t dimensions);

// A causal mask that a module stores for its longest text, as GPT-2 and TransformerLens do.
bool is_mask_buffer(std::string_view name);

// The common part of the names of one layer's arrays: "h.0.attn" of h.0.attn.c_attn.weight, of
// h.0.attn.c_proj.bias and of GPT-2's mask h.0.attn.bias; empty for a name without dots and slashes.
std::string_view layer_of(std::string_view name);

// The layer's name up to its number: "h.0" of h.0.attn.c_attn.weight, "encoder.layer.0" of
// encoder.layer.0.attention.self.query.weight, "encoder.block.3" of
// encoder.block.3.layer.0.SelfAttention.q.weight; empty for a name without a numbered layer.
std::string_view numbered_layer_of(std::string_view name);

}  // namespace headlight
