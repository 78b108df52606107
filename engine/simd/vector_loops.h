// The innermost loops. vector_loops.cpp is compiled once for each set of vector instructions, so nothing but
// plain numbers goes in and out: a template that two of those objects share would be linked from either.
#pragma once

#include <cstddef>

#include "engine/simd/instruction_set.h"

namespace headlight {

// Where a tile of a product goes: its first number, and how much of a whole tile there is room for.
struct TileTarget {
  float* data;
  std::ptrdiff_t stride;
  std::ptrdiff_t rows, columns;
  bool add;  // to what stands there
};

struct WeightSums {
  float all, logarithmic, distance;
};

struct VectorLoops {
  // A tile of a product, tile_rows x tile_columns: `depth` steps of tile_rows numbers in `left`, of
  // tile_columns numbers in `right`. Multiplies and adds in one rounding where the processor can.
  std::ptrdiff_t tile_rows, tile_columns;
  void (*multiply)(const float* left, const float* right, std::ptrdiff_t depth, const TileTarget& target);
  // Of the magnitudes of `count` weights, the sums of: each; each times its natural logarithm, 0 for 0; each
  // times its distance from `own`, an index. Within float32's rounding; a NaN or infinity spoils the sums.
  WeightSums (*sum_weights)(const float* weights, std::ptrdiff_t count, std::ptrdiff_t own);
  // out = e^(x - subtracted), each within one unit in the last place, in and out the same or apart. Below
  // -104 it is 0, above 88.7 infinite, of NaN it is NaN. A number's result does not depend on where it
  // stands.
  void (*exponentiate)(const float* x, std::ptrdiff_t count, float subtracted, float* out);
  // Column by column, over rows that begin `stride` apart: low = min(low, cell), high = max(high, cell),
  // sum = sum + cell.
  void (*widen)(const float* cells, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t columns,
                float* low, float* high, float* sum);
  // to(column, row) = from(row, column), of rows that begin so far apart. The two must not overlap.
  void (*transpose)(const float* from, std::ptrdiff_t from_stride, std::ptrdiff_t rows,
                    std::ptrdiff_t columns, float* to, std::ptrdiff_t to_stride);
  // to[step * tile_rows + row] = from[row * stride + step], for `multiply`: at most tile_rows rows, and zeros
  // for those that are missing. Room for steps * tile_rows + kInterleaveRoom numbers, whose last it spoils.
  void (*interleave)(const float* from, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t steps,
                     float* to);

  // A strip holds `keys` rows of tile_columns numbers, a query's scores one below the other. Column by
  // column: maximum = max(maximum, score * factor + bias). `bias`: as many numbers as scores, or null for
  // zeros. NaN may be passed over.
  void (*strip_maximum)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        float* maximum);
  // low = min(low, score - bias), high = max(high, score + bias): where the bias is minus infinity, neither
  // moves.
  void (*strip_ends)(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high);
  // Of the scores whose bias is 0: the least, the largest and the sum; infinity, minus infinity and 0 where
  // there is none. Of few keys, because float32 sums them.
  void (*strip_pool)(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high,
                     float* sum);
  // Folds a strip's first `lanes` columns, at most 16: out[row] = min(out[row], number), the largest, the
  // sum.
  void (*fold_low)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  void (*fold_high)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  void (*fold_sum)(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out);
  // In the functions below a score times the factor is rounded to float32 before anything is added to it, as
  // a scaled score is.
  // out = e^(score * factor + bias - maximum), in place or apart, and sums = sums + what the columns of
  // `out` sum to. Where it is not null, `sixteens` takes the sums of 16 keys each, a row of numbers for them.
  // Below e^-87 it is 0. Precondition: no score is above the maximum by more than 80.
  void (*strip_exponentials)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                             const float* maximum, float* out, double* sums, float* sixteens);
  // out = e^(score * factor + bias - maximum) / sum, and `masked` where the scaled score is minus infinity.
  void (*strip_weights)(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        const float* maximum, const float* sum, float masked, float* out);
  // With e = e^(score * factor + bias - maximum), the sums over the keys of: e times the exponent, into
  // `logarithmic`; e times how far the key is, |away + column - key|, into `distance`. Added to what is
  // there. Precondition: as for strip_exponentials.
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
