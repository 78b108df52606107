// In which order the axes of an array lie in its file, and the array with its axes as the model takes them.
#pragma once

#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// Letters as in engine/README.md.
enum class AxisOrder {
  AsIs,         // T x d_out, B x T x d_out, B x H x T x d_k; a matrix of weights; H x T x T
  HeadsThird,   // B x T x H x d_k, as flash-attention has queries, keys and values
  HeadsFirst,   // H x T x d_k
  TokensFirst,  // T x H x d_k
  Sequences,    // B x Tq x Tk: weights of attention that were averaged over the heads
  HeadWeights,  // H x d_in x d_k, as TransformerLens has W_Q
  HeadColumns,  // d_in x H x d_k, as Flax and Keras have a kernel
  HeadRows,     // H x d_v x d_out: of the output's weights; H x d_k: of a bias
};

// As the model takes it: H x T x d_k becomes 1 x H x T x d_k, H x d_in x d_k becomes d_in x H d_k.
// Precondition: the array has as many axes as the order names.
std::vector<Index> ordered_shape(const std::vector<Index>& shape, AxisOrder order);
NamedArray ordered(const NamedArray& array, AxisOrder order);

// How many heads weights and biases say that they are of; 0 where they do not.
Index heads_in_weights(const std::vector<Index>& shape, AxisOrder order);

}  // namespace headlight
