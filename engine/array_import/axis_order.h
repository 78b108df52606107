// The order of an array's axes in its file, and the conversion to the model's order.
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
  TimeFirst,    // T x B x d_in, T x B x d_out: sequences in the second axis, as torch.nn.MultiheadAttention
                // takes them
  Sequences,    // B x Tq x Tk: weights of attention that were averaged over the heads
  HeadWeights,  // H x d_in x d_k, as TransformerLens has W_Q
  HeadColumns,  // d_in x H x d_k, as Flax and Keras have a kernel
  HeadRows,     // H x d_v x d_out: of the output's weights; H x d_k: of a bias
};

// In the model's order: H x T x d_k becomes 1 x H x T x d_k, H x d_in x d_k becomes d_in x H d_k.
// Precondition: the array has as many axes as the order names.
std::vector<Index> ordered_shape(const std::vector<Index>& shape, AxisOrder order);
NamedArray ordered(const NamedArray& array, AxisOrder order);

// The number of heads that the axes of weights and biases give; 0 if they give none.
Index heads_in_weights(const std::vector<Index>& shape, AxisOrder order);

}  // namespace headlight
