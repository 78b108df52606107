// The innermost loops over weights as they are stored. Compiled once per instruction set, as vector_loops.h
// says.
#pragma once

#include "engine/simd/instruction_set.h"
#include "engine/simd/stored_factor.h"
#include "engine/simd/vector_loops.h"

namespace headlight {

// A rectangle of memory that will be read soon: its cache lines from number `first` to `end`, of which number
// n is line n / rows of row n % rows. Every `interval` steps of a loop, a power of two, `lines` are
// requested.
struct Upcoming {
  const char* data = nullptr;  // null: none
  std::ptrdiff_t stride = 0;   // bytes from one row to the next
  int rows_log2 = 0;           // rows: a power of two
  std::ptrdiff_t first = 0, end = 0;
  int lines = 0;
  int interval = 1;
};

// Few rows of a left factor, and of the product.
struct FewRows {
  const float* x;
  std::ptrdiff_t x_stride;
  float* y;
  std::ptrdiff_t y_stride;
  std::ptrdiff_t rows;
};

struct StoredLoops {
  // As VectorLoops::multiply, and requests what is upcoming.
  void (*multiply)(const float* left, const float* right, std::ptrdiff_t depth, const TileTarget& target,
                   const Upcoming& upcoming);
  // Packs at most tile_columns outputs for `multiply`, widened: to[input * tile_columns + output], zeros for
  // missing outputs.
  void (*pack)(const StoredFactor& w, float* to);
  // y = x w with at most kMostFewRows rows, and each weight read once.
  void (*multiply_few)(const FewRows& rows, const StoredFactor& w);
};

const StoredLoops& stored_loops(InstructionSet set);

}  // namespace headlight
