// What the tables of Llama and of the families derived from it have in common.
#pragma once

#include <string_view>

#include "engine/architecture/family.h"

namespace headlight {

// Pre-norm by the root mean square, rotary positions, a gated MLP.
NetworkConfig llama_base();
TensorNames llama_tensors();

// The sizes, the positions, and the members that follow, each with the family's default.
ConfigFieldList llama_fields(std::string_view positions, std::string_view kv_heads,
                             std::string_view head_width, const ConfigFieldList& more);
// hidden_act and tie_word_embeddings with the most usual defaults.
ConfigFieldList llama_activation(std::string_view tied = "false");

// attention_bias is that of all four projections.
void read_attention_bias(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
