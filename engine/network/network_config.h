// The architecture of a whole model, as the config.json of its folder describes it. Letters as in
// engine/README.md, and L layers; d is the width of the residual stream.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace headlight {

// By model_type: gpt2, gpt_neox, llama, mistral, qwen2, qwen3, gemma2, bert.
enum class Family { Gpt2, GptNeoX, Llama, Mistral, Qwen2, Qwen3, Gemma2, Bert };
const char* family_name(Family family);

// Layer: (x - mean) / sqrt(variance + epsilon) w + b (Ba et al. 2016, arXiv 1607.06450). Rms: x /
// sqrt(mean square + epsilon) w (Zhang and Sennrich 2019, arXiv 1910.07467). RmsPlusOne: the same times 1 +
// w.
enum class NormKind { Layer, Rms, RmsPlusOne };
// Gelu: x Phi(x). GeluTanh: its approximation by tanh (Hendrycks and Gimpel 2016, arXiv 1606.08415).
// QuickGelu: x / (1 + e^-1.702x). Silu: x / (1 + e^-x). Relu: the larger of x and 0. ReluSquared: its square.
enum class Activation { Gelu, GeluTanh, QuickGelu, Silu, Relu, ReluSquared };
// Position of the norms in a layer. Before: x + f(norm(x)). Around: x + norm(f(norm(x))). After: norm(x +
// f(x)).
enum class NormPlace { Before, Around, After };

struct NetworkConfig {
  Family family = Family::Gpt2;
  Index width = 0;        // d
  Index layers = 0;       // L
  Index heads = 0;        // H
  Index kv_heads = 0;     // G
  Index head_width = 0;   // d_k
  Index mlp_width = 0;    // width inside an MLP
  Index vocabulary = 0;   // rows of the token embeddings
  Index positions = 0;    // the largest number of tokens
  Index token_types = 0;  // bert only

  NormKind norm = NormKind::Layer;
  NormPlace norm_place = NormPlace::Before;
  double epsilon = 1e-5;
  Activation activation = Activation::GeluTanh;
  bool gated = false;       // MLP: (f(x W_gate) * (x W_up)) W_down; else f(x W_up) W_down
  bool parallel = false;    // attention and MLP both read the stream as it enters the layer
  bool head_norms = false;  // queries and keys of each head are normed before rotary positions
  bool causal = true;
  bool tied = false;  // logits use the token embeddings
  bool qkv_bias = false, output_bias = false, mlp_bias = false;
  Position position;  // of queries and keys; see position_in
  // Above 0: factor of dynamic scaling, which raises theta for texts longer than `positions`.
  double dynamic = 0;
  Scale scale;
  bool scale_by_layer = false;  // the scale is divided by the layer's number, from 1 on
  double softcap = 0;           // of scores; 0: none
  double final_softcap = 0;     // of logits; 0: none
  double embedding_factor = 1;
  std::vector<std::optional<Index>> windows;  // by layer: how many keys a query sees, its own included

  // For the user: members of the file that the family does not read.
  std::vector<std::string> notes;

  // Positions in a text of that many tokens.
  Position position_in(Index tokens) const;
  // Attention settings of a layer in a text of that many tokens; its input X is d wide.
  AttentionSettings attention(Index layer, Index tokens) const;
};

// Parses the text of config.json; missing members get the library's defaults (config_fields.h). Throws Error
// if it is not JSON, if the family is not supported (the message says that its layers can be opened one by
// one), if a size is missing or out of range, if members are inconsistent, if weights are quantized, or if a
// member demands a computation that is not supported.
NetworkConfig parse_network_config(const std::string& text);

}  // namespace headlight
