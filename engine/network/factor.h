// Matrix products with a tensor in a mapped file: y = x W + b. Aligned float32 is multiplied in place; other
// types are widened in strips of columns, never as a whole. All functions throw Error if the file has changed
// by the time they finish; if they return, the result was computed from the tensor's own numbers.
#pragma once

#include <memory>

#include "engine/checkpoint/tensor.h"
#include "engine/core/matrix.h"
#include "engine/simd/kept_panels.h"
#include "engine/simd/workspace.h"

namespace headlight {

// A matrix W of `inputs` x `outputs` inside a tensor, which may hold several side by side.
struct Factor {
  const Tensor* tensor = nullptr;
  bool transposed = true;  // the tensor has one row per output, as in nn.Linear; else one column
  Index inputs = 0, outputs = 0;
  // Outputs come in groups of `group`, which start group_step apart in the tensor: number i of group g is the
  // tensor's row or column first + g * group_step + i.
  Index first = 0, group = 0, group_step = 0;
  const Tensor* bias = nullptr;  // null: none; laid out like the outputs
  // Of all outputs; null: none can be kept. Products use them once they are there.
  std::shared_ptr<KeptPanels> panels = nullptr;

  bool empty() const { return tensor == nullptr; }
  Index place(Index output) const { return first + output / group * group_step + output % group; }
};

// Whether products with w are faster with kept panels: it is large, and its numbers lie in plain order, in
// float32, bfloat16 or half precision.
bool gains_by_panels(const Factor& w);
// Packs w's panels if they are missing, on all threads, and lets the system take the file's pages. False if
// there is no memory for them. Throws Stopped.
bool keep_panels(const Factor& w);
// The memory that they take, in bytes, but for what fills up the last one. Precondition: gains_by_panels.
double bytes_of_panels(const Factor& w);

// y = x W + b. x: rows x inputs; y: rows x outputs, must not overlap x. Uses all threads. Equals a plain loop
// within float32 rounding; see engine/simd/product.h. Throws Stopped (see stopping.h).
void multiply(const MatrixRef& x, const Factor& w, MatrixOut y, Workspace& workspace);
// multiply() for the outputs from `first` on, as many as y has columns.
void multiply_columns(const MatrixRef& x, const Factor& w, Index first, MatrixOut y, Workspace& workspace);

// x += y W^T, as a gradient goes back through the product. y: rows x outputs; x: rows x inputs, must not
// overlap y. Uses all threads.
void add_multiplied_back(const MatrixRef& y, const Factor& w, MatrixOut x, Workspace& workspace);

// W as float32: inputs x outputs.
Matrix widened(const Factor& w);
// b as one row; empty if there is none.
Matrix widened_bias(const Factor& w);

}  // namespace headlight
