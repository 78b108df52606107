// Where an array out of a file may go in the model, told from its name and shape; what it holds, in figures;
// and the three parts of matrices that projects keep fused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/axis_order.h"
#include "engine/arrays/array.h"
#include "engine/model/model.h"

namespace headlight {

// Letters as in engine/README.md. "One of" is what a matrix of weights is in each layout: in_out, out_in.
enum class ArrayRole {
  Embeddings,  // T x d_in, or B x T x d_in
  // One of d_in x d_out, d_out x d_in; KeyWeight and ValueWeight likewise. With three axes, which the name
  // has to say: H x d_in x d_k (TransformerLens) or d_in x H x d_k (Flax, Keras).
  QueryWeight,
  KeyWeight,
  ValueWeight,
  OutputWeight,  // one of H d_v x d_out, d_out x H d_v: square but where the name says so
  FusedWeight,  // query, key and value side by side: one of d_in x 3 d_out, 3 d_out x d_in; where heads share
                // keys and values, the queries' width and twice theirs in place of 3 d_out
  FusedHeadsWeight,  // of each head of keys its queries, key and value side by side, one head after the
                     // other; the same shape
  QueryBias,         // d_out, or 1 x d_out; the other biases likewise
  KeyBias,
  ValueBias,
  OutputBias,
  FusedBias,       // 3 d_out
  FusedHeadsBias,  // 3 d_out, head by head
  Mask,  // Tq x Tk of 0 and 1; 1 x Tq x Tk and 1 x 1 x Tq x Tk are the same. T, B x T and B x 1 x 1 x T,
         // which the name has to say: the keys of each sequence that are no padding
  RelativeBias,  // buckets x H: T5's bias of the scores; see relative_bias.h
  Tokens,        // the labels of the tokens, as bytes of text or as ids; see tokens_in
  Queries,  // given directly: Tq x H d_k, B x Tq x H d_k, or B x H x Tq x d_k; keys and values likewise, of
            // Tk
  Keys,
  Values,
  AttentionWeights,  // Tq x Tk, H x Tq x Tk or B x H x Tq x Tk, as they were saved; a layer's: see
                     // array_layers.h
  KeyEmbeddings,     // Tk x their own width, or B x Tk x it: of the tokens that keys and values are made of
  KeyMask,    // T, B x T or B x 1 x 1 x T of 0 and 1 beside a mask of pairs: the keys that are no padding
  ScoreBias,  // added to the scores: Tq x Tk, with B and H before it or not, each axis but Tk may be 1; T, B
              // x T
  Scores,     // before the softmax, of the axes of attention weights
};

constexpr WeightLayout other_layout(WeightLayout layout) {
  return layout == WeightLayout::InOut ? WeightLayout::OutIn : WeightLayout::InOut;
}

// "embeddings", "W_query", "bias of W_query", "W_query, W_key and W_value in one", ...
const char* role_name(ArrayRole role);
// "embeddings", "query", "query_bias", "fused": for the names of widgets.
const char* role_id(ArrayRole role);

// Whether a mask of this shape tells of each sequence's keys which are no padding: T, B x T, B x 1 x 1 x T.
bool is_key_mask(const std::vector<Index>& shape);

struct RoleProposal {
  ArrayRole role = ArrayRole::Embeddings;
  // How a matrix of weights lies in the file. The model keeps all of its weights in one layout: a matrix that
  // is in the other one is turned over on its way in. For roles that are no weights it is the model's layout.
  WeightLayout layout = WeightLayout::InOut;
  bool flippable = false;             // the other layout is possible too
  bool named = false;                 // the name says so
  bool fits = false;                  // the model takes it as it is, without a change of its shape
  AxisOrder order = AxisOrder::AsIs;  // of the axes in the file
};

// Whether it is a matrix of weights, with a layout.
bool is_weight(ArrayRole role);
// Whether it is all three of query, key and value, be it weights or biases; and whether head by head.
bool is_fused(ArrayRole role);
bool is_fused_by_heads(ArrayRole role);

// All roles that the shape allows, the likeliest first: those that the name says, then those that fit the
// model as it is, then the rest in the order of ArrayRole. Empty for an array without numbers and for shapes
// that go nowhere.
//
// The name is what stands behind the last dot or slash, without "weight" or "bias" and in any case: c_attn,
// qkv, qkv_proj, in_proj, Wqkv (fused), q_proj, query, W_query, wq, to_q, q_lin (and so for k and v), c_proj,
// out_proj, o_proj, W_out, wo (output), mask, tokens, queries, keys, values, query_states, a bare Q, K or V
// (queries, keys and values themselves, no weights), embeddings, inputs, hidden_states and the like. GPT-2's
// `attn.bias` is its causal mask. GPT-NeoX's query_key_value is fused head by head, T5's
// relative_attention_bias a bias of the scores, encoder_hidden_states and the like are what keys and values
// are made of.
//
// The layout, by the first of these that tells:
//   1. a fused matrix three times as wide as high is in_out, one three times as high as wide out_in;
//   2. only one of the layouts agrees with the model's d_in;
//   3. the name: c_attn, c_proj and Conv1D are in_out, as GPT-2 has them; q_proj, in_proj, qkv and everything
//      that ends in ".weight" are out_in, as nn.Linear has them; a bare W_query is in_out, as x @ W_query
//      needs it;
//   4. the model's own layout.
std::vector<RoleProposal> propose_roles(const std::string& name, const std::vector<Index>& shape,
                                        const Model& model);

// Query, key and value out of one array. in_out, d x 3n: columns 0 to n-1 are the query's, then key, then
// value. out_in, 3n x d: rows likewise. One dimension of 3n, in either layout: three of n. The parts' names
// are the array's with " (query)" and so on. heads: so many blocks of such three stand one after the other,
// as GPT-NeoX has them. Throws Error when it has another number of dimensions, or when that side is not
// divisible by three times the heads; the hint says whether the other layout would do.
std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, Index heads = 1);

// The same where keys and values may be narrower: of each of `groups` the queries, the key and the value, so
// wide in all of them together. Precondition: query + 2 key lines along the axis, and both are whole numbers
// of groups.
struct FusedCut {
  Index query = 0, key = 0;
  Index groups = 1;
};
std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, const FusedCut& cut);

struct ArraySummary {
  std::vector<Index> shape;
  std::uint64_t count = 0;  // of all values
  std::uint64_t nan_count = 0;
  std::uint64_t infinity_count = 0;  // of both signs
  std::optional<float> min, max;     // of the finite values; none when there is no such value
};
ArraySummary summary_of(const NamedArray& array);

}  // namespace headlight
