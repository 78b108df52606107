// The innermost loops. vector_loops.cpp is compiled once per instruction set, so the interface has only plain
// numbers and pointers: a template instantiated in two of those objects would be linked from either of them.
#pragma once

#include <cstddef>

#include "engine/simd/instruction_set.h"

namespace headlight {

// The destination of a product tile: its first number, its row stride and its size, at most a whole tile.
struct TileTarget {
  float* data;
  std::ptrdiff_t stride;
  std::ptrdiff_t rows, columns;
  bool add;  // add to the existing numbers instead of overwriting them
};

struct WeightSums {
  float all, logarithmic, distance;
};

struct VectorLoops {
  // Computes a product tile of tile_rows x tile_columns in `depth` steps; each step reads tile_rows numbers
  // of `left` and tile_columns numbers of `right`. Uses fused multiply-add if the processor has it.
  std::ptrdiff_t tile_rows, tile_columns;
  void (*multiply)(const float* left, const float* right, std::ptrdiff_t depth, const TileTarget& target);
  // Sums over |w| of `count` weights: |w|; |w| ln |w|, with 0 for 0; |w| times the distance of its index from
  // `own`. Within float32 rounding; a NaN or infinity makes the sums not finite.
  WeightSums (*sum_weights)(const float* weights, std::ptrdiff_t count, std::ptrdiff_t own);
  // out = e^(x - subtracted), each within one unit in the last place; `out` may be `x`. 0 below -104,
  // infinity above 88.7, NaN for NaN. The result for a number does not depend on its index.
  void (*exponentiate)(const float* x, std::ptrdiff_t count, float subtracted, float* out);
  // Per column, over rows `stride` numbers apart: low = min(low, cell), high = max(high, cell), sum += cell.
  void (*widen)(const float* cells, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t columns,
                float* low, float* high, float* sum);
  // to(column, row) = from(row, column); rows are the strides apart. `from` and `to` must not overlap.
  void (*transpose)(const float* from, std::ptrdiff_t from_stride, std::ptrdiff_t rows,
                    std::ptrdiff_t columns, float* to, std::ptrdiff_t to_stride);
  // Packs at most tile_rows rows for `multiply`: to[step * tile_rows + row] = from[row * stride + step],
  // zeros for missing rows. `to` has steps * tile_rows + kInterleaveRoom numbers, of which the last
  // kInterleaveRoom may be overwritten with arbitrary values.
  void (*interleave)(const float* from, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t steps,
                     float* to);

  // The functions below work on a strip of scores: `keys` rows of tile_columns numbers, one column per query.
  // `bias` has one number per score, or is null for zeros.

  // maximum = max(maximum, score * factor + bias) per column. May ignore NaN.
  void (*strip_maximum)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        float* maximum);
  // low = min(low, score - bias), high = max(high, score + bias): a bias of minus infinity changes neither.
  void (*strip_ends)(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high);
  // The least, the largest and the sum of the scores whose bias is 0; infinity, minus infinity and 0 if there
  // are none. For few keys, because the sum is in float32.
  void (*strip_pool)(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high,
                     float* sum);
  // Reduces the strip's first `lanes` columns, at most 16, to one number per row: out[row] = min(out[row],
  // number), the maximum, or the sum.
  void (*fold_low)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  void (*fold_high)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  void (*fold_sum)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  // out = e^(score * factor + bias - maximum), in place or not, and sums += the column sums of `out`. 0 below
  // e^-87. score * factor is rounded to float32 before anything is added, as in the scaled scores. If
  // `sixteens` is not null, it receives the sums of each 16 keys, one row of numbers each. Precondition: no
  // score exceeds the maximum by more than 80.
  void (*strip_exponentials)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                             const float* maximum, float* out, double* sums, float* sixteens);
  // out = e^(score * factor + bias - maximum) / sum, and `masked` where the scaled score is minus infinity.
  void (*strip_weights)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        const float* maximum, const float* sum, float masked, float* out);
  // With e = e^(score * factor + bias - maximum), adds sums over the keys: e times the exponent to
  // `logarithmic`; e times the distance of the key, |away + column - key|, to `distance`. Rounding and
  // precondition as for strip_exponentials.
  void (*strip_shares)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                       const float* maximum, float away, double* logarithmic, double* distance);
};
inline constexpr std::ptrdiff_t kInterleaveRoom = 16;

const VectorLoops& vector_loops(InstructionSet set);
inline const VectorLoops& best_vector_loops() {
  static const VectorLoops& loops = vector_loops(best_instruction_set());
  return loops;
}

}  // namespace headlight
