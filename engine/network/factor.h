// Products with a tensor of a file that is mapped: y = x W + b. Float32 that suits is multiplied where it
// lies; anything else is widened in strips of columns, never as a whole. All throw Error when the file has
// changed by the time they are done: nothing was made of other numbers than the tensor's then.
#pragma once

#include "engine/checkpoint/tensor.h"
#include "engine/core/matrix.h"

namespace headlight {

// A matrix W of `inputs` x `outputs` numbers inside a tensor, which may hold several side by side.
struct Factor {
  const Tensor* tensor = nullptr;
  bool transposed = true;  // the tensor has a row for each output, as nn.Linear keeps it; else a column
  Index inputs = 0, outputs = 0;
  // Outputs come in groups, which begin so far apart in the tensor: group g's number i is the tensor's row or
  // column first + g * group_step + i.
  Index first = 0, group = 0, group_step = 0;
  const Tensor* bias = nullptr;  // null: none; its numbers lie as the outputs do

  bool empty() const { return tensor == nullptr; }
  Index place(Index output) const { return first + output / group * group_step + output % group; }
};

// y = x W + b. x: rows x inputs; y: rows x outputs, which must not overlap. On all threads. Within float32's
// rounding of a plain loop; see engine/loops/product.h. Stopped (see stopping.h).
void multiply(const MatrixRef& x, const Factor& w, MatrixOut y);
// The same for outputs from `first` on, as many as y has columns.
void multiply_columns(const MatrixRef& x, const Factor& w, Index first, MatrixOut y);

// W as float32: inputs x outputs.
Matrix widened(const Factor& w);
// b as one row; empty where there is none.
Matrix widened_bias(const Factor& w);

}  // namespace headlight
