// The metadata of a GGUF file as the config.json that the hub's library would have.
#pragma once

#include <string>
#include <vector>

#include "engine/checkpoint/gguf_family.h"
#include "engine/checkpoint/gguf_file.h"
#include "engine/json/json_document.h"

namespace headlight {

// The numbers of tensors that divide the frequencies of the positions; empty where the file has none.
struct RotaryFactors {
  std::vector<float> llama3;                   // "rope_freqs.weight"
  std::vector<float> long_texts, short_texts;  // "rope_factors_long.weight" and "rope_factors_short.weight"
};

// Throws Error, with the key as its place, for a setting that is missing or of another kind, and for one that
// the family does not have.
Json gguf_config(const GgufFile& file, const GgufFamily& family, const RotaryFactors& rotary_factors);

// The sizes that the change of a tensor depends on. Throws Error if there is no number of heads.
struct GgufHeads {
  Index heads = 0, kv_heads = 0;
};
GgufHeads gguf_heads(const GgufFile& file, const GgufFamily& family);

}  // namespace headlight
