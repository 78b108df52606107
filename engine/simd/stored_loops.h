// The innermost loops over weights as they are stored. Compiled once per instruction set, as vector_loops.h
// says.
#pragma once

#include "engine/simd/instruction_set.h"
#include "engine/simd/stored_factor.h"
#include "engine/simd/vector_loops.h"

namespace headlight {

// A rectangle of memory that will be read soon. Its cache lines are requested row by row, as memory is
// fastest: `lines` of them every `interval` steps of a loop.
struct Upcoming {
  const char* next = nullptr;  // the next line
  std::ptrdiff_t in_row = 0;   // lines left in its row
  std::ptrdiff_t rows = 0;     // rows left, with this one; 0: nothing is left
  std::ptrdiff_t row_lines = 0;
  std::ptrdiff_t gap = 0;  // bytes from the end of a row to the next one
  int lines = 1;
  int interval = 1;  // a power of two
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
  std::ptrdiff_t dot_rows, dot_outputs;  // of multiply_dots

  // The functions below also request what is upcoming, as far as there are steps for it.
  // As VectorLoops::multiply.
  void (*multiply_panel)(const float* left, const float* panel, std::ptrdiff_t depth,
                         const TileTarget& target, Upcoming& upcoming);
  // multiply_panel with tile_columns outputs where they lie: float32, one row per input.
  void (*multiply_inputs)(const float* left, const StoredFactor& w, const TileTarget& target,
                          Upcoming& upcoming);
  // y = x w for at most dot_rows rows and dot_outputs outputs where they lie: float32, one row per output.
  void (*multiply_dots)(const FewRows& rows, const StoredFactor& w, Upcoming& upcoming);

  // y = x w with at most kMostFewRows rows, and each weight read once.
  void (*multiply_few)(const FewRows& rows, const StoredFactor& w);
  // Requests all of it at once.
  void (*request)(Upcoming& upcoming);
  // Packs at most tile_columns outputs for `multiply_panel`, widened: to[input * tile_columns + output],
  // zeros for missing outputs.
  void (*pack)(const StoredFactor& w, float* to);
  // Widens numbers that lie side by side.
  void (*widen)(StoredType type, const char* from, std::ptrdiff_t count, float* to);
};

const StoredLoops& stored_loops(InstructionSet set);

}  // namespace headlight
