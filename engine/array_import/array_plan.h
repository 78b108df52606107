// What becomes of a model when arrays from files are put into it. It is planned from their shapes alone,
// before any values are read; array_placement.h carries the plan out.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_roles.h"
#include "engine/array_import/fused_widths.h"
#include "engine/array_import/layer_settings.h"
#include "engine/layer/layer.h"

namespace headlight {

// For a matrix of weights, a bias, or given queries, keys and values. Drawn: by the model's recipe, else by
// WeightRecipe's defaults.
enum class PartSource { Unused, Kept, Given, Drawn, Zeros };
enum class TokensSource { Kept, Numbered, RowLabels, Given };

// Sizes of the leading axes of an array for pairs; Tq may be 1 if the array has one number per key.
struct PairAxes {
  Index sequences = 1, heads = 1, rows = 1;
};

struct ArrayPlan {
  // Letters as in engine/README.md: B, T, d_in, d_out, H.
  Index sequences = 1, tokens = 1, d_in = 1, d_out = 1, num_heads = 1;
  Index num_kv_heads = 0, d_k = 0, d_v = 0;        // as in AttentionSettings; 0: num_heads, d_out / num_heads
  Index width = 1, kv_width = 1, value_width = 1;  // H d_k, G d_k, G d_v
  Index key_tokens = 0;                            // Tk if the keys have other tokens; 0: the same tokens
  Index key_d_in = 1;                              // width of the input of keys and values
  std::string heads_reason;                        // the reason if the number of heads is a proposal
  Projection projection = Projection::None;
  bool qkv_bias = false, output_projection = false;
  WeightLayout layout = WeightLayout::InOut;  // of all weights
  bool embeddings_given = false, embeddings_drawn = false, mask_given = false;
  bool embeddings_left_out = false;  // they would have no effect
  bool key_embeddings_given = false, relative_bias = false;
  std::optional<LayerSettings> layer;  // settings of the layer's family, with computed dims
  RelativeBuckets buckets;             // of the relative bias, if there is one
  bool key_mask = false;               // the mask has one number per key, not per pair
  bool padding = false;                // a mask of keys in addition to that of pairs
  PairAxes mask_axes;                  // of a mask for pairs
  std::optional<PairAxes> bias_axes;   // of the bias added to the scores
  bool scores = false;                 // they are given: Q K^T equals them
  bool causal = false;                 // stated by the caller, or by an array
  bool upper_left = false;             // as in LayerHints
  StatedSettings stated;               // of those that have an effect
  std::string learned;                 // the array of a learned key behind those of the tokens; "": none
  bool keys_numbered = false;          // tokens of the keys that have no names
  Index first_number = 0;              // of numbered tokens: the last queries have the last positions
  TokensSource tokens_fate = TokensSource::Kept;
  bool tokens_named = false;                      // by the caller, whatever tokens_fate is
  std::array<PartSource, 4> weights{}, biases{};  // by Parameter
  std::array<PartSource, 3> given{};              // queries, keys and values; Kept: unchanged
  WeightRecipe recipe;                            // for all drawn matrices, in `layout`

  // The width of the parameter's output.
  Index out_of(Parameter p) const {
    return p == Parameter::Output  ? d_out
           : p == Parameter::Query ? width
           : p == Parameter::Key   ? kv_width
                                   : value_width;
  }
  Index concat_width() const { return kv_width > 0 ? value_width * (width / kv_width) : 0; }  // H d_v
  // Whether this number of heads divides the widths.
  bool heads_possible(Index heads) const;
  PartSource weight(Parameter p) const { return weights[static_cast<std::size_t>(p)]; }
  PartSource bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
};

// T comes from embeddings, queries, keys and values, d_in from embeddings and weights, d_out from weights,
// biases, queries, keys and values; a size that no array determines is the model's. Weights imply a linear
// projection, a bias implies qkv_bias, W_output the output projection. Matrices that are not given stay if
// their shape still fits, and are redrawn if not; unedited drawn weights are redrawn all together, as in a
// notebook. Embeddings are drawn if only weights of another d_in or only queries of another T are given.
// Queries, keys or values imply Projection::Given; those not given stay unchanged, which requires the same T
// and d_out. All three weights without biases imply no biases. Attention weights imply Projection::Weights,
// and no embeddings but those given with them. If the weights of keys and values are narrower than the
// queries', or their heads fewer, heads share them: d_k is then the queries' width divided by the heads. Keys
// and values of another T than the queries belong to other tokens. Embeddings of the keys imply separate
// tokens for the keys, and are the input of keys and values. Tokens without names are numbered from 0,
// whatever the model's are called. Scores imply Projection::Given: queries that are the scores, keys and,
// without given values, values that are unit vectors. Fused arrays are split by fused_widths.
// Lengths and texts of the tokens, sinks, slopes, heads that are off and a learned key have the sizes of what
// they act on. Heads: num_heads if given, else the size of an array's axis of heads, else the config's
// number, else the model's if d_out stays; for a new d_out that is a multiple of 64, heads of 64 are
// proposed; else the model's if they divide d_out, else 1. Throws `Error` that names the arrays: two for one
// place, incompatible shapes, too many tokens, a number of heads that does not divide d_out.
ArrayPlan plan_arrays(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                      const Layer& layer, const LayerHints& hints = {});

// What is known of the heads before the widths are: chosen by the caller, or in the layer's config.
HeadCounts head_counts(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                       const LayerHints& hints);

// A model of the planned shapes without any numbers, as propose_roles requires it.
Layer shapes_of(const ArrayPlan& plan);

// Whether the two fill the same part of the model, as W_key and a fused matrix do.
bool same_place(ArrayRole a, ArrayRole b);

// Whether two roles exclude each other: those for the same place, and those that compute queries, keys or
// values where these are given.
bool roles_collide(ArrayRole a, ArrayRole b);

}  // namespace headlight
