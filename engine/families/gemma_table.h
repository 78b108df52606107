// What the tables of Gemma 2 and 3 have in common.
#pragma once

#include "engine/families/llama_table.h"

namespace headlight {

// Norms around attention and MLP, which multiply by 1 + w.
NetworkConfig gemma_around_base();
ConfigFieldList gemma_fields(std::string_view positions, std::string_view softcap,
                             std::string_view final_softcap);
// The scale by query_pre_attn_scalar, embeddings times the root of d.
void read_gemma_scales(const ConfigFields& json, NetworkConfig& c);

}  // namespace headlight
