// Attention of one layer, from queries, keys and values to the heads side by side; the stages between are not
// stored.
#pragma once

#include <functional>

#include "engine/layer/layer.h"
#include "engine/simd/workspace.h"

namespace headlight {

// Overwrites the weights of a head for queries from `first` on, rows x all keys, before the values are mixed.
using OverwriteWeights = std::function<void(Index head, Index first, MatrixOut weights)>;

// Computes rows of concat for queries from `first` on. layer: settings and masks, and as many token labels as
// there are keys; no matrices. q: rows x H d_k; k: keys x G d_k; v: keys x G d_v, from the first key on, with
// rotary positions applied to q and k; concat: rows x H d_v. Disabled heads are computed like any other.
// overwrite: empty, or called with the weights of each block of rows. Uses all threads. Throws Stopped.
void attend(const Layer& layer, const MatrixRef& q, const MatrixRef& k, const MatrixRef& v, Index first,
            MatrixOut concat, Workspace& workspace, const OverwriteWeights& overwrite = {});

// Weights of one head for queries from `first` on: rows x keys. q: rows x d_k; k: keys x d_k, of that head.
void attend_weights(const Layer& layer, Index head, const MatrixRef& q, const MatrixRef& k, Index first,
                    MatrixOut weights, Workspace& workspace);

}  // namespace headlight
