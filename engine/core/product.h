// Products of matrices at the processor's speed, float32. The sums are made in an order and with roundings
// that depend on the shapes and on the instructions: results agree with a plain loop to within float32's
// rounding, not to the last bit.
#pragma once

#include "engine/core/instruction_set.h"
#include "engine/core/matrix.h"

namespace headlight {

using MatrixOut = Eigen::Ref<Matrix>;

// c = a b. a: m x k; b: k x n; c: m x n, which must not overlap the others. On the calling thread alone.
void multiply(const MatrixRef& a, const MatrixRef& b, MatrixOut c);
// c = a b^T. b: n x k.
void multiply_transposed(const MatrixRef& a, const MatrixRef& b, MatrixOut c);

// The right factor of a product.
struct RightFactor {
  const MatrixRef& matrix;
  bool transposed = false;
};
// The same with one of instruction_sets(), by packed blocks however small the matrices are.
void multiply_by_blocks(InstructionSet set, const MatrixRef& a, const RightFactor& b, MatrixOut c);

}  // namespace headlight
