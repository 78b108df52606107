// The attention of one layer, from queries, keys and values to its heads side by side; of the stages between
// nothing is kept.
#pragma once

#include <functional>

#include "engine/model/model.h"

namespace headlight {

// Weights of a head for queries from `first` on, rows x all keys, before values are mixed by them.
using OverwriteWeights = std::function<void(Index head, Index first, MatrixOut weights)>;

// What a layer attends with: settings and masks, and as many token labels as there are keys. No matrices.
// Rows of concat for queries from `first` on. q: rows x H d_k; k: keys x G d_k; v: keys x G d_v, from the
// first key on, positions turned into q and k; concat: rows x H d_v. Heads that are switched off are computed
// like any other. overwrite: empty, or what is called with the weights of each
// block of rows. On all threads. Throws Stopped.
void attend(const Model& layer, const MatrixRef& q, const MatrixRef& k, const MatrixRef& v, Index first,
            MatrixOut concat, const OverwriteWeights& overwrite = {});

// Weights of one head for queries from `first` on: rows x keys. q: rows x d_k; k: keys x d_k, of that head.
void attend_weights(const Model& layer, Index head, const MatrixRef& q, const MatrixRef& k, Index first,
                    MatrixOut weights);

}  // namespace headlight
