// Masks, biases and scores for pairs of tokens, put into a model.
#pragma once

#include "engine/array_import/array_plan.h"
#include "engine/arrays/array.h"
#include "engine/model/model.h"

namespace headlight {

// The array as one matrix of rows x keys for each sequence and head that it tells apart.
PairArray pairs_in(const NamedArray& array, const PairAxes& axes, Index keys);

// The mask of 1 for pairs that may attend, in place of the model's: causal where it is exactly that, one
// matrix where all are alike.
void set_pair_mask(Model& model, const PairArray& mask);
// 1 for each key that is no padding: of T, B x T or B x 1 x 1 x T. Other masks hold beside it.
void add_key_mask(Model& model, const NamedArray& mask);
// Added to a bias that is there.
void add_score_bias(Model& model, PairArray bias);
// Nobody sees what is behind its place. Other masks hold beside it. Fewer queries than keys are the last
// ones.
void set_causal(Model& model);
// The mask in use by rules.
void as_rules(Model& model);
// A painted mask of other tokens keeps what fits.
void fit_custom_mask(Model& model);

// scores: B x H x Tq x Tk or the last two or three axes. Queries that are the scores, keys that are unit
// vectors, and values that are unit vectors where the model has none; nothing but the softmax behind them. A
// score of minus infinity closes its pair.
void place_scores(Model& model, const NamedArray& scores);

}  // namespace headlight
