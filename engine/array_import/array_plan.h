// What becomes of a model when arrays out of files are put into it. It is told from their shapes alone, so
// that it can be constraints before anything is read; array_placement.h then does it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/array_choice.h"
#include "engine/array_import/fused_widths.h"
#include "engine/array_import/layer_settings.h"
#include "engine/model/model.h"

namespace headlight {

// Of a matrix of weights, a bias, or queries, keys and values that are given. Drawn: by the model's recipe,
// else by WeightRecipe's own values.
enum class PartFate { Unused, Kept, Given, Drawn, Zeros };
enum class TokensFate { Kept, Numbered, RowLabels, Given };

// What the leading axes of an array for pairs count; Tq may be 1 where it is for keys.
struct PairAxes {
  Index sequences = 1, heads = 1, rows = 1;
};

struct ArrayPlan {
  // Letters as in engine/README.md: B, T, d_in, d_out, H.
  Index sequences = 1, tokens = 1, d_in = 1, d_out = 1, num_heads = 1;
  Index num_kv_heads = 0, d_k = 0, d_v = 0;        // as in AttentionSettings; 0: as many, d_out / num_heads
  Index width = 1, kv_width = 1, value_width = 1;  // H d_k, G d_k, G d_v
  Index key_tokens = 0;                            // Tk where the keys are of other tokens; 0: of the same
  Index key_d_in = 1;                              // of what keys and values are made of
  std::string heads_why;                           // where the heads are a proposal: what it is made of
  Projection projection = Projection::None;
  bool qkv_bias = false, output_projection = false;
  WeightLayout layout = WeightLayout::InOut;  // of all weights
  bool embeddings_given = false, embeddings_drawn = false, mask_given = false;
  bool embeddings_left_out = false;  // they would play no part
  bool key_embeddings_given = false, relative_bias = false;
  std::optional<LayerSettings> layer;  // what the layer's family sets beside the arrays, its dims worked out
  RelativeBuckets buckets;             // of the relative bias, if there is one
  bool key_mask = false;               // the mask has a number for each key, and not for each pair
  bool padding = false;                // a mask of keys beside that of pairs
  PairAxes mask_axes;                  // of a mask for pairs
  std::optional<PairAxes> bias_axes;   // of the bias that is added to the scores
  bool scores = false;                 // they are given: Q and K are such that they are Q K^T
  bool causal = false;                 // somebody says so
  bool keys_numbered = false;          // tokens of the keys that have no names of their own
  Index first_number = 0;              // of tokens that are numbered: the last queries have the last places
  TokensFate tokens_fate = TokensFate::Kept;
  bool tokens_named = false;                    // by somebody, whatever their fate is
  std::array<PartFate, 4> weights{}, biases{};  // by Parameter
  std::array<PartFate, 3> given{};              // queries, keys and values; Kept: as they are now
  WeightRecipe recipe;                          // what is drawn is drawn by it, in `layout`

  // How many numbers a row has behind the parameter's weights.
  Index out_of(Parameter p) const {
    return p == Parameter::Output  ? d_out
           : p == Parameter::Query ? width
           : p == Parameter::Key   ? kv_width
                                   : value_width;
  }
  Index concat_width() const { return kv_width > 0 ? value_width * (width / kv_width) : 0; }  // H d_v
  // Whether so many heads divide the widths.
  bool heads_possible(Index heads) const;
  PartFate weight(Parameter p) const { return weights[static_cast<std::size_t>(p)]; }
  PartFate bias(Parameter p) const { return biases[static_cast<std::size_t>(p)]; }
};

// T comes from embeddings, queries, keys and values, d_in from embeddings and weights, d_out from weights,
// biases, queries, keys and values; what no array says stays as the model has it. Weights bring a linear
// projection, a bias brings qkv_bias, W_output the output projection. Matrices that are not given stay where
// their shape still fits, and are drawn anew where not; untouched drawn weights are drawn again all together,
// as a notebook would. Embeddings are drawn when only weights of another d_in or only queries of another T
// come. Queries, keys or values bring Projection::Given; those that do not come stay as they are now, which
// needs T and d_out to stay. All three weights without their biases leave none. Weights of attention bring
// Projection::Weights, and the model keeps no embeddings but those that come with them. Where the keys' and
// the values' weights are narrower than the queries', or their heads are fewer, heads share them: d_k is then
// the width of the queries by the heads. Keys and values of another T than the queries are of other tokens.
// Embeddings of the keys bring tokens of their own for the keys, and what keys and values are made of.
// Tokens that come without names are numbered from 0, whatever the model's are called. Scores bring
// Projection::Given: queries that are the scores, keys and, without values, values that are unit vectors.
// Fused arrays are cut as fused_widths tells. Heads: num_heads if given, else as many as an array has on an
// axis of its own, else as many as the config says, else the model's where d_out stays; of a new d_out that
// is a multiple of 64, heads of 64 are proposed; else the model's if they divide d_out, else 1. Throws Error
// that names the arrays: two for one place, shapes that do not go together, too many tokens, a number of
// heads that does not divide d_out.
ArrayPlan plan_arrays(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                      const Model& model, const LayerHints& hints = {});

// What is known of the heads before any width is: chosen by somebody, or in the config of the layer.
HeadCounts head_counts(const std::vector<ArrayChoice>& choices, std::optional<Index> num_heads,
                       const LayerHints& hints);

// A model of the planned shapes without any numbers: what propose_roles needs of one.
Model shapes_of(const ArrayPlan& plan);

// Whether the two fill the same part of the model, as W_key and a fused matrix do.
bool same_place(ArrayRole a, ArrayRole b);

// Roles that cannot both be given: those for the same place, and what makes queries, keys or values where
// they are given.
bool roles_collide(ArrayRole a, ArrayRole b);

}  // namespace headlight
