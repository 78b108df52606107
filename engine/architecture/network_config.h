// The architecture of a whole model, as the config.json of its folder describes it. Letters as in
// engine/README.md, and L layers; d is the width of the residual stream, E that of the token embeddings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/architecture/tensor_names.h"
#include "engine/layer/layer.h"

namespace headlight {

struct Family;  // family.h

// Layer: (x - mean) / sqrt(variance + epsilon) w + b (Ba et al. 2016, arXiv 1607.06450). Rms: x /
// sqrt(mean square + epsilon) w (Zhang and Sennrich 2019, arXiv 1910.07467). RmsPlusOne: the same times 1 +
// w.
enum class NormKind { Layer, Rms, RmsPlusOne };
// Gelu: x Phi(x). GeluTanh: its approximation by tanh (Hendrycks and Gimpel 2016, arXiv 1606.08415).
// QuickGelu: x / (1 + e^-1.702x). Silu: x / (1 + e^-x). Relu: the larger of x and 0. ReluSquared: its square.
enum class Activation { Gelu, GeluTanh, QuickGelu, Silu, Relu, ReluSquared };
// Position of the norms in a layer. Before: x + f(norm(x)). Around: x + norm(f(norm(x))), and x + norm(f(x))
// where the inner norms have no names. After: norm(x + f(x)).
enum class NormPlace { Before, Around, After };
// Norms of queries and keys, before rotary positions. Heads: of each head, all by the same weights. EachHead:
// of each head by weights of its own. Whole: of all heads together.
enum class HeadNorm { None, Heads, EachHead, Whole };

// A mixture of experts in the place of an MLP: each token takes the `chosen` experts of the largest logits of
// a router. Their outputs are weighted by the softmax of these logits (`renormalized`), or by the softmax of
// all of them (Shazeer et al. 2017, arXiv 1701.06538).
struct Experts {
  Index count = 0;  // 0: none
  Index chosen = 0;
  Index width = 0;  // inside an expert
  bool renormalized = true;
  // (up + 1) gate / (1 + e^-1.702gate), with gate cut at 7 and up at -7 and 7 (gpt_oss).
  bool clamped = false;
  std::vector<bool> layers;  // which have experts; empty: all
  bool in_layer(Index layer) const {
    return count > 0 && (layers.empty() || layers[static_cast<std::size_t>(layer)]);
  }
};

// A model that reads an image: its tokens are a class token and the patches, row by row.
struct ImageShape {
  Index channels = 0, height = 0, width = 0;  // 0: the model reads texts
  Index patch_height = 0, patch_width = 0;
  Index rows() const { return height / patch_height; }
  Index columns() const { return width / patch_width; }
  Index patch_numbers() const { return channels * patch_height * patch_width; }
  bool operator==(const ImageShape&) const = default;
};

// Positions as a learned number for each head and distance (Raffel et al. 2020, arXiv 1910.10683). Far
// distances share a bucket, whose size grows with the logarithm of the distance.
struct RelativeBias {
  Index buckets = 0;  // 0: none
  Index farthest = 0;
};

// What sets a layer apart: a word or two, and a sentence for the user.
struct LayerTrait {
  std::string name, what;
};

struct NetworkConfig {
  const Family* family = nullptr;
  TensorNames tensors;
  Index width = 0;            // d
  Index layers = 0;           // L
  Index heads = 0;            // H
  Index kv_heads = 0;         // G
  Index head_width = 0;       // d_k
  Index mlp_width = 0;        // width inside an MLP
  Index vocabulary = 0;       // rows of the token embeddings; of images: classes
  Index embedding_width = 0;  // E
  Index positions = 0;        // the largest number of tokens
  Index token_types = 0;
  Index position_rows = 0;    // rows of the position embeddings
  Index position_offset = 0;  // the row of the first token
  // Tokens of this id have the row with its number, and are not counted for those of other tokens.
  std::optional<std::int32_t> padding;
  ImageShape image;

  NormKind norm = NormKind::Layer;
  bool norm_weights = true, norm_bias = true;  // bias: of NormKind::Layer
  NormPlace norm_place = NormPlace::Before;
  bool residual_after_norm = false;  // norm(x) + f(norm(x))
  bool first_norm = true;            // whether layer 0 norms what its attention reads
  double epsilon = 1e-5;
  HeadNorm head_norms = HeadNorm::None;
  bool head_norm_bias = false;
  Activation activation = Activation::GeluTanh;
  Activation head_activation = Activation::Gelu;  // behind tensors.head_dense
  bool gated = false;     // MLP: (f(x W_gate) * (x W_up)) W_down; else f(x W_up) W_down
  bool parallel = false;  // attention and MLP both read the stream as it enters the layer
  Experts experts;
  bool causal = true;
  bool tied = false;  // logits use the token embeddings
  bool qkv_bias = false, output_bias = false, mlp_bias = false, logit_bias = false;
  bool head_dense_bias = true;
  bool projected_first = false;            // token embeddings are projected to d before positions are added
  Position position;                       // of queries and keys; see position_in
  std::optional<Position> local_position;  // of layers with a window, where theirs is another one
  std::vector<bool> unturned;              // layers without rotary positions; empty: none
  // Above 0: factor of dynamic scaling, which raises theta for texts longer than `positions`.
  double dynamic = 0;
  // Texts longer than short_positions divide the frequency of each pair by these numbers (Ding et al. 2024,
  // arXiv 2402.13753); empty: like shorter texts.
  std::vector<double> long_factors;
  Index short_positions = 0;
  // ALiBi rounded to bfloat16, by the position of the key, before the scores are scaled.
  bool rounded_alibi = false;
  RelativeBias relative_bias;
  Scale scale;
  bool scale_by_layer = false;  // the scale is divided by the layer's number, from 1 on
  double clip = 0;              // queries, keys and values are cut at -clip and clip; 0: not
  double softcap = 0;           // of scores; 0: none
  double final_softcap = 0;     // of logits; 0: none
  double embedding_factor = 1;
  double residual_factor = 1;  // of what attention and MLP add to the stream
  double logit_factor = 1;
  // By layer: how many keys a query sees to the left, its own included; if not causal, also to the right.
  std::vector<std::optional<Index>> windows;

  bool cross = false;  // also attends to the output of `encoder`
  std::shared_ptr<const NetworkConfig> encoder;

  // For the user: members of the file that the family does not read.
  std::vector<std::string> notes;

  // Rotary positions or ALiBi of a layer in a text of that many tokens.
  Position position_in(Index layer, Index tokens) const;
  // Attention settings of a layer in a text of that many tokens; its input X is d wide.
  AttentionSettings attention(Index layer, Index tokens) const;
  // Attention settings of the layers' attention to the encoder's output.
  AttentionSettings cross_attention() const;
  // What sets the layer apart from others of the model: "local" and "global" where some layers have a window,
  // "no positions" where others turn queries and keys, "experts", "sinks".
  std::vector<LayerTrait> layer_traits(Index layer) const;
  // The place of a layer's tensors: "model.layers.3.", without the prefix.
  std::string layer_name(Index layer) const;
  bool rotary() const { return position.kind == PositionKind::Rotary; }
  // Whether logits are those of a norm of the sum of what the layers add, so that they can be taken apart.
  bool stream_is_sum() const;
};

// What the family's library calls it: "llama".
const char* family_name(const NetworkConfig& config);

// Why the gradient of what the model computes is not computed here, as the rest of a sentence: "experts";
// "" if it is.
std::string why_no_gradient(const NetworkConfig& config);

}  // namespace headlight
