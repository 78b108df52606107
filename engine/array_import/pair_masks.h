// Puts masks, biases and scores for pairs of tokens into a layer.
#pragma once

#include "engine/array_import/array_plan.h"
#include "engine/arrays/array.h"
#include "engine/layer/layer.h"

namespace headlight {

// The array as one matrix of rows x keys for each sequence and head of `axes`.
PairArray pairs_in(const NamedArray& array, const PairAxes& axes, Index keys);

// Replaces the layer's mask by one with 1 for pairs that may attend: causal if it is exactly that, one matrix
// if all are equal.
void set_pair_mask(Layer& layer, const PairArray& mask);
// mask: 1 for each key that is not padding; T, B x T or B x 1 x 1 x T. Combined with other masks.
void add_key_mask(Layer& layer, const NamedArray& mask);
// Closes pairs by the lengths or texts of their tokens, for a role of `says_texts`; the last query is the
// token of the last key. Throws `Error` that names the array and the number for lengths beyond the keys,
// texts that begin nowhere, and positions that neither rise by 1 nor start again at 0.
void add_texts(Layer& layer, const NamedArray& array, ArrayRole role);
// Adds to a bias that exists.
void add_score_bias(Layer& layer, PairArray bias);
// No query attends to later keys. Combined with other masks. The last query stands at the last key, also if
// there are more queries than keys (the first ones then attend to nothing); with upper_left, the first one at
// the first.
void set_causal(Layer& layer, bool upper_left = false);
// Appends a key and a value, named `label`, that every query attends to: queries, keys and values are given
// from then on. key: G d_k numbers; value: G d_v. Throws `Error` for positions, which it has none of.
void append_key(Layer& layer, const std::string& label, const NamedArray& key, const NamedArray& value);
// Expresses the mask in use by rules.
void as_rules(Layer& layer);
// Resizes a painted mask for other tokens; what fits is preserved if there are as many queries as keys.
void fit_custom_mask(Layer& layer);

// scores: B x H x Tq x Tk or the last two or three axes. Sets queries that are the scores, keys that are unit
// vectors, and values that are unit vectors if the layer has none; only the softmax is applied to them. A
// score of minus infinity closes its pair.
void place_scores(Layer& layer, const NamedArray& scores);

}  // namespace headlight
