// Blocks of both factors are copied so that the innermost loop reads them in one piece, as in Goto and van de
// Geijn, "Anatomy of high-performance matrix multiplication" (2008).
#include "engine/core/product.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/vector_loops.h"

namespace headlight {
namespace {

// One block of the right factor, kDepth x all its columns, stays in the second-level cache or the third; one
// of the left factor, kBlockRows x kDepth, in the second; a panel of it and one of the right in the first.
constexpr Index kDepth = 256;
constexpr Index kBlockRows = 120;

struct Strided {  // element (row, column) lies at data[row * row_stride + column * column_stride]
  const float* data;
  Index row_stride, column_stride;
  const float* at(Index row, Index column) const { return data + row * row_stride + column * column_stride; }
};

Index panels(Index count, Index width) {
  return (count + width - 1) / width;
}

// `depth` steps of `width` numbers each, padded with zeros: panel by panel, step by step. Element (step, i)
// of the source lies at source.at(step, i).
void pack(const Strided& source, Index depth, Index count, Index width, std::vector<float>& packed) {
  packed.resize(static_cast<std::size_t>(panels(count, width) * width * depth));
  float* to = packed.data();
  for (Index first = 0; first < count; first += width) {
    const Index there = std::min(width, count - first);
    if (there < width) std::fill_n(to, width * depth, 0.0f);
    if (source.column_stride == 1) {
      for (Index step = 0; step < depth; ++step)
        std::memcpy(to + step * width, source.at(step, first),
                    static_cast<std::size_t>(there) * sizeof(float));
    } else {
      for (Index i = 0; i < there; ++i) {
        const float* from = source.at(0, first + i);
        for (Index step = 0; step < depth; ++step)
          to[step * width + i] = from[step * source.row_stride];
      }
    }
    to += width * depth;
  }
}

// A vector or a handful of numbers is not worth copying.
bool small(Index rows, Index columns, Index depth) {
  constexpr Index kFewRows = 4, kFewProducts = 16 * 16 * 16;
  return rows < kFewRows || columns < kFewRows || rows * columns * depth < kFewProducts;
}

}  // namespace

void multiply_by_blocks(InstructionSet set, const MatrixRef& a, const RightFactor& b, MatrixOut c) {
  const VectorLoops& loops = vector_loops(set);
  const Index depth = a.cols(), stride = b.matrix.outerStride();
  if (depth == 0) c.setZero();
  // Kept by the thread: so large a piece of memory would be asked of the system for each product.
  thread_local std::vector<float> left, right;
  for (Index begin = 0; begin < depth; begin += kDepth) {
    const Index steps = std::min(kDepth, depth - begin);
    const Strided b_block = b.transposed ? Strided{b.matrix.data() + begin, 1, stride}
                                         : Strided{b.matrix.data() + begin * stride, stride, 1};
    pack(b_block, steps, c.cols(), loops.tile_columns, right);
    for (Index first = 0; first < c.rows(); first += kBlockRows) {
      const Index rows = std::min(kBlockRows, c.rows() - first);
      pack({a.data() + first * a.outerStride() + begin, 1, a.outerStride()}, steps, rows, loops.tile_rows,
           left);
      for (Index column = 0; column < c.cols(); column += loops.tile_columns)
        for (Index row = 0; row < rows; row += loops.tile_rows)
          loops.multiply(left.data() + row * steps, right.data() + column * steps, steps,
                         {c.data() + (first + row) * c.outerStride() + column, c.outerStride(),
                          std::min(loops.tile_rows, rows - row),
                          std::min(loops.tile_columns, c.cols() - column), begin > 0});
    }
  }
}

void multiply(const MatrixRef& a, const MatrixRef& b, MatrixOut c) {
  if (small(a.rows(), b.cols(), a.cols()))
    c.noalias() = a * b;
  else
    multiply_by_blocks(best_instruction_set(), a, {b}, c);
}

void multiply_transposed(const MatrixRef& a, const MatrixRef& b, MatrixOut c) {
  if (small(a.rows(), b.rows(), a.cols()))
    c.noalias() = a * b.transpose();
  else
    multiply_by_blocks(best_instruction_set(), a, {b, true}, c);
}

}  // namespace headlight
