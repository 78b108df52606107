// The engine's innermost loops implemented with Eigen and compiled for the same instruction sets.
#pragma once

#include <cstddef>

#include "engine/simd/vector_loops.h"

namespace headlight_bench {

struct EigenLoops {
  // c = a b and c = a b^T. a: rows x depth; b: depth x columns, for b^T columns x depth; row-major.
  void (*product)(const float* a, const float* b, std::ptrdiff_t rows, std::ptrdiff_t depth,
                  std::ptrdiff_t columns, float* c);
  void (*product_transposed)(const float* a, const float* b, std::ptrdiff_t rows, std::ptrdiff_t depth,
                             std::ptrdiff_t columns, float* c);
  // Row-wise softmax without a mask.
  void (*softmax_rows)(std::ptrdiff_t rows, std::ptrdiff_t columns, const float* scores, float* weights);
  // Rotary positions. x, turned: tokens x 2 pairs; cosines, sines: tokens x pairs.
  void (*rope)(const float* x, const float* cosines, const float* sines, std::ptrdiff_t tokens,
               std::ptrdiff_t pairs, float* turned);
  headlight::VectorLoops loops;  // without `multiply`
};

const EigenLoops& eigen_loops(headlight::InstructionSet set);

}  // namespace headlight_bench
