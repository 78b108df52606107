// The places in the layer that an array from a file may take, by its name and shape; a summary of its values;
// and the splitting of fused matrices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/array_import/axis_order.h"
#include "engine/arrays/array.h"
#include "engine/layer/layer.h"

namespace headlight {

// Letters as in engine/README.md. "One of" gives the shape of a weight matrix in each layout: in_out, out_in.
enum class ArrayRole {
  Embeddings,  // T x d_in, or B x T x d_in
  // One of d_in x d_out, d_out x d_in; KeyWeight and ValueWeight likewise. With three axes, if the name
  // states the role: H x d_in x d_k (TransformerLens) or d_in x H x d_k (Flax, Keras).
  QueryWeight,
  KeyWeight,
  ValueWeight,
  OutputWeight,  // one of H d_v x d_out, d_out x H d_v: square unless the name states the role
  // Query, key and value side by side: one of d_in x 3 d_out, 3 d_out x d_in; where heads share keys and
  // values, the queries' width and twice theirs in place of 3 d_out.
  FusedWeight,
  // The shape of FusedWeight: for each head of keys its queries, key and value side by side, one head after
  // the other.
  FusedHeadsWeight,
  QueryBias,  // d_out, or 1 x d_out; the other biases likewise
  KeyBias,
  ValueBias,
  OutputBias,
  FusedBias,       // 3 d_out
  FusedHeadsBias,  // 3 d_out, head by head
  // Tq x Tk of 0 and 1; 1 x Tq x Tk and 1 x 1 x Tq x Tk are the same. T, B x T and B x 1 x 1 x T, if the name
  // states the role: the keys of each sequence that are not padding.
  Mask,
  RelativeBias,  // buckets x H: T5's bias of the scores; see relative_bias.h
  Tokens,        // the labels of the tokens, as bytes of text or as ids; see tokens_in
  // Given directly: Tq x H d_k, B x Tq x H d_k, or B x H x Tq x d_k; keys and values likewise, of Tk.
  Queries,
  Keys,
  Values,
  // Tq x Tk, H x Tq x Tk or B x H x Tq x Tk, as they were saved; with an axis of layers: see array_layers.h.
  AttentionWeights,
  KeyEmbeddings,  // Tk x their own width, or B x Tk x it: the input of keys and values
  // T, B x T or B x 1 x 1 x T of 0 and 1 beside a mask of pairs: the keys that are not padding.
  KeyMask,
  // Added to the scores: Tq x Tk, with B and H before it or not, each axis but Tk may be 1; T, B x T.
  ScoreBias,
  Scores,  // before the softmax, with the axes of attention weights
  // What acts on attention beside all of these; acting_names.h has the names.
  Sinks,         // a number for each head, that joins its softmax and is dropped: H, also with axes of one
  Slopes,        // of ALiBi: H
  HeadMask,      // 0 for heads that are switched off, 1 for the others: H
  Lengths,       // how many keys count: B, or B x Tq
  Segments,      // T, B x T: tokens with the same number are one text, 0 is padding
  Positions,     // T, B x T: a text begins where they start again at 0
  Boundaries,    // where each of N texts begins, and where the last one ends: N + 1
  LearnedKey,    // a key behind those of the tokens: G d_k
  LearnedValue,  // its value: G d_v
};

constexpr WeightLayout other_layout(WeightLayout layout) {
  return layout == WeightLayout::InOut ? WeightLayout::OutIn : WeightLayout::InOut;
}

// "embeddings", "W_query", "bias of W_query", "W_query, W_key and W_value in one", ...
const char* role_name(ArrayRole role);
// "embeddings", "query", "query_bias", "fused": for the names of widgets.
const char* role_id(ArrayRole role);

// Whether it says which pairs of tokens belong together, by the tokens' lengths or texts.
bool says_texts(ArrayRole role);

// Whether a mask of this shape has one number per key of each sequence: T, B x T, B x 1 x 1 x T.
bool is_key_mask(const std::vector<Index>& shape);

struct RoleProposal {
  ArrayRole role = ArrayRole::Embeddings;
  // The layout of a weight matrix in the file; it is transposed on import if the layer's differs. Unused for
  // other roles.
  WeightLayout layout = WeightLayout::InOut;
  bool flippable = false;             // the other layout is possible too
  bool named = false;                 // the name states the role
  bool fits = false;                  // without a change of the layer's shape
  AxisOrder order = AxisOrder::AsIs;  // of the axes in the file
};

// Whether it is a matrix of weights, which has a layout.
bool is_weight(ArrayRole role);
// Whether it is query, key and value in one, as weights or as biases; and whether head by head.
bool is_fused(ArrayRole role);
bool is_fused_by_heads(ArrayRole role);

// All roles that the shape allows, the likeliest first: those that the name states, then those that fit the
// layer without a change, then the rest in the order of ArrayRole. Empty for an array without numbers and for
// shapes of no role.
//
// The name is what follows the last dot or slash, without "weight" or "bias" and in any case: c_attn, qkv,
// qkv_proj, in_proj, Wqkv (fused), q_proj, query, W_query, wq, to_q, q_lin (and so for k and v), c_proj,
// out_proj, o_proj, W_out, wo (output), mask, tokens, queries, keys, values, query_states, a bare Q, K or V
// (queries, keys and values themselves, not weights), embeddings, inputs, hidden_states and the like. GPT-2's
// `attn.bias` is its causal mask. GPT-NeoX's query_key_value is fused head by head, T5's
// relative_attention_bias is a bias of the scores, encoder_hidden_states and the like are the input of keys
// and values.
//
// The layout, by the first of these rules that decides:
//   1. a fused matrix three times as wide as high is in_out, one three times as high as wide out_in;
//   2. only one of the layouts agrees with the layer's d_in;
//   3. the name: c_attn, c_proj and Conv1D are in_out, as GPT-2 has them; q_proj, in_proj, qkv and everything
//      that ends in ".weight" are out_in, as nn.Linear has them; a bare W_query is in_out, as x @ W_query
//      needs it;
//   4. the layer's own layout.
std::vector<RoleProposal> propose_roles(const std::string& name, const std::vector<Index>& shape,
                                        const Layer& layer);

// Splits one array into query, key and value. in_out, d x 3n: columns 0 to n-1 are the query's, then key,
// then value. out_in, 3n x d: rows likewise. One dimension of 3n, in either layout: three of n. The parts'
// names are the array's with " (query)" and so on. heads: the number of such blocks of three, one after the
// other, as in GPT-NeoX. Throws `Error` for another number of dimensions, or when that side is not divisible
// by three times the heads; the hint states whether the other layout would fit.
std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, Index heads = 1);

// split_fused() where keys and values may be narrower: for each of `groups` the queries, the key and the
// value; query and key are the widths in all groups together. Precondition: query + 2 key lines along the
// axis, and both are divisible by groups.
struct FusedSplit {
  Index query = 0, key = 0;
  Index groups = 1;
};
std::array<NamedArray, 3> split_fused(const NamedArray& array, WeightLayout layout, const FusedSplit& cut);

struct ArrayChoice {  // an array chosen from a file, and its place in the layer
  std::string name;
  std::vector<Index> shape;
  ArrayRole role = ArrayRole::Embeddings;
  WeightLayout layout = WeightLayout::InOut;  // of a matrix of weights
  bool has_row_labels = false;                // of a table with names for its tokens
  Index heads = 0;                            // of weights and biases: as their axes give them; 0: not given
  FusedSplit cut = {};  // of a fused array, set by plan_arrays; query 0: three equal parts
};

struct ArraySummary {
  std::vector<Index> shape;
  std::uint64_t count = 0;  // of all values
  std::uint64_t nan_count = 0;
  std::uint64_t infinity_count = 0;  // of both signs
  std::optional<float> min, max;     // of the finite values; empty if there are none
};
ArraySummary summary_of(const NamedArray& array);

}  // namespace headlight
