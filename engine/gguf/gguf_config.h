// The metadata of a GGUF file as the config.json that the hub's library would have.
#pragma once

#include <string>

#include "engine/gguf/gguf_family.h"
#include "engine/gguf/gguf_file.h"
#include "engine/json/json_document.h"

namespace headlight {

// rotary_factors: the numbers of the tensor "rope_freqs.weight", which divide the frequencies; empty: none.
// Throws Error, with the key as its place, for a setting that is missing or of another kind, and for one that
// the family does not have.
Json gguf_config(const GgufFile& file, const GgufFamily& family, const std::vector<float>& rotary_factors);

// The sizes that the change of a tensor depends on. Throws Error if there is no number of heads.
struct GgufHeads {
  Index heads = 0, kv_heads = 0;
};
GgufHeads gguf_heads(const GgufFile& file, const GgufFamily& family);

}  // namespace headlight
