// Compiled once per instruction set. HEADLIGHT_LOOPS is the name of the table at the end, HEADLIGHT_LANES the
// number of floats in a register; the registers can hold HEADLIGHT_TILE_ROWS x 2 vectors of sums.
#include "engine/simd/vector_loops.h"

#include <cstring>
#include <utility>

#include "engine/simd/stored_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headlight {
namespace {

constexpr int kLanes = HEADLIGHT_LANES, kRows = HEADLIGHT_TILE_ROWS, kVectors = 2,
              kColumns = kLanes * kVectors;
using Vector [[gnu::vector_size(kLanes * sizeof(float))]] = float;
// A vector in memory at any address. With memcpy the sums would have an address and not stay in registers.
using Stored [[gnu::vector_size(kLanes * sizeof(float)), gnu::aligned(alignof(float)), gnu::may_alias]] =
    float;

// The same, at any byte.
using Unaligned [[gnu::vector_size(kLanes * sizeof(float)), gnu::aligned(1), gnu::may_alias]] = float;

// Rounds a product to float32 and prevents the compiler from fusing it with a following sum. Scaled scores
// are shown, and their maximum is computed, with that rounding. For scores in the hundred thousands a fused
// sum differs by hundredths, and exponentials of such sums would not add up to the divisor of the weights.
[[gnu::always_inline]] inline Vector rounded(Vector product) {
#if defined(__x86_64__)
  asm("" : "+v"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#else
  asm("" : "+m"(product));
#endif
  return product;
}

template <int kCount>
[[gnu::always_inline]] inline void store(const Vector (&sums)[kCount][kVectors], float* to,
                                         std::ptrdiff_t stride, bool add) {
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i)
#pragma GCC unroll 4
    for (std::ptrdiff_t j = 0; j < kVectors; ++j) {
      Stored* at = reinterpret_cast<Stored*>(to + i * stride + j * kLanes);
      *at = add ? *at + sums[i][j] : sums[i][j];
    }
}

// Requests the cache lines that belong to a step, and advances to the next ones.
[[gnu::always_inline]] inline void request(Upcoming& upcoming, std::ptrdiff_t step) {
  constexpr std::ptrdiff_t kLine = 64;
  if ((step & (upcoming.interval - 1)) != 0) return;
  for (int i = 0; i < upcoming.lines; ++i) {
    __builtin_prefetch(upcoming.next, 0, 2);
    upcoming.next += kLine;
    if (--upcoming.in_row > 0) continue;
    upcoming.next += upcoming.gap;
    upcoming.in_row = upcoming.row_lines;
    --upcoming.rows;
  }
}

// What the right factor of a tile is: a packed panel, or rows of weights as they are stored, `stride` numbers
// apart.
enum class Right { Packed, Stored };

// A tile of kCount rows; `left` has kRows numbers for each step.
template <int kCount, Right kRight>
void multiply_rows(const float* left, const float* right, std::ptrdiff_t stride, std::ptrdiff_t depth,
                   const TileTarget& target, Upcoming& to_request) {
  Vector sums[kCount][kVectors] = {};
  // Prefetches the target's cache lines, so that they have arrived when the sums are complete.
  for (std::ptrdiff_t i = 0; i < kCount; ++i) {
    __builtin_prefetch(target.data + i * target.stride, 1);
    __builtin_prefetch(target.data + i * target.stride + kLanes, 1);
  }
  if constexpr (kRight == Right::Packed) stride = kColumns;
  Upcoming upcoming = to_request;  // a copy can stay in registers
  for (std::ptrdiff_t step = 0; step < depth; ++step, left += kRows, right += stride) {
    if constexpr (kRight == Right::Packed) {
      // A panel of the right factor exceeds the first-level cache; prefetching hides the latency of the
      // second.
      constexpr std::ptrdiff_t kAhead = 8, kLine = 64;
      __builtin_prefetch(right + kAhead * kColumns);
      if constexpr (kColumns * sizeof(float) > kLine) __builtin_prefetch(right + kAhead * kColumns + kLanes);
    }
    if (upcoming.rows > 0) request(upcoming, step);
    const Vector first = *reinterpret_cast<const Unaligned*>(right);
    const Vector second = *reinterpret_cast<const Unaligned*>(right + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
      sums[i][0] += left[i] * first;
      sums[i][1] += left[i] * second;
    }
  }
  to_request = upcoming;
  if (target.columns == kColumns) {
    store(sums, target.data, target.stride, target.add);
    return;
  }
  float whole[kCount][kColumns];
  store(sums, whole[0], kColumns, false);
  for (std::ptrdiff_t i = 0; i < kCount; ++i)
    for (std::ptrdiff_t j = 0; j < target.columns; ++j) {
      float& at = target.data[i * target.stride + j];
      at = target.add ? at + whole[i][j] : whole[i][j];
    }
}

// By the number of rows, from 1 on.
struct ByRows {
  void (*of[kRows])(const float*, const float*, std::ptrdiff_t, std::ptrdiff_t, const TileTarget&, Upcoming&);
};
template <Right kRight, std::size_t... kBefore>
constexpr ByRows by_rows(std::index_sequence<kBefore...>) {
  return {{multiply_rows<static_cast<int>(kBefore) + 1, kRight>...}};
}

void multiply_panel(const float* left, const float* panel, std::ptrdiff_t depth, const TileTarget& target,
                    Upcoming& upcoming) {
  static constexpr ByRows kByRows = by_rows<Right::Packed>(std::make_index_sequence<kRows>());
  kByRows.of[target.rows - 1](left, panel, kColumns, depth, target, upcoming);
}

void multiply(const float* left, const float* right, std::ptrdiff_t depth, const TileTarget& target) {
  Upcoming nothing;
  multiply_panel(left, right, depth, target, nothing);
}

void multiply_inputs(const float* left, const StoredFactor& w, const TileTarget& target, Upcoming& upcoming) {
  static constexpr ByRows kByRows = by_rows<Right::Stored>(std::make_index_sequence<kRows>());
  kByRows.of[target.rows - 1](left, reinterpret_cast<const float*>(w.data), w.stride, w.inputs, target,
                              upcoming);
}

void request_all(Upcoming& upcoming) {
  while (upcoming.rows > 0)
    request(upcoming, 0);
}

using Bits [[gnu::vector_size(kLanes * sizeof(int))]] = int;

// The natural logarithm of positive normal numbers: the power of two, plus a polynomial for the rest between
// the roots of 1/2 and 2, with the coefficients of logf in Moshier's Cephes library.
Vector logarithm(const Vector& x) {
  constexpr int kHalf = 0x3F000000, kMantissa = 0x007FFFFF;
  constexpr float kCoefficients[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                     -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                     2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
  const Bits bits = (Bits)x;
  Bits exponent = ((bits >> 23) & 0xFF) - 126;
  Vector m = (Vector)((bits & kMantissa) | kHalf);  // from 1/2 to 1
  const Bits below_root = m < 0.70710678f;          // -1 where true
  exponent += below_root;
  m += (Vector)((Bits)m & below_root) - 1.0f;
  const Vector square = m * m;
  Vector polynomial = m * 0.0f;
  for (const float coefficient : kCoefficients)
    polynomial = polynomial * m + coefficient;
  const Vector power = __builtin_convertvector(exponent, Vector);
  // The logarithm of 2 in two parts: the first has few bits, so that its product with the exponent is exact.
  return polynomial * m * square - 0.5f * square + power * -2.12194440e-4f + m + power * 0.693359375f;
}

WeightSums sum_weights(const float* weights, std::ptrdiff_t count, std::ptrdiff_t own) {
  constexpr int kMagnitude = 0x7FFFFFFF, kLeastNormal = 0x00800000;
  Vector all = {}, logarithmic = {}, distance = {}, place;
  for (int lane = 0; lane < kLanes; ++lane)
    place[lane] = static_cast<float>(lane - own);
  float rest[kLanes] = {};
  for (std::ptrdiff_t i = 0; i < count; i += kLanes, place += static_cast<float>(kLanes)) {
    const float* from = weights + i;
    if (count - i < kLanes) {
      for (std::ptrdiff_t lane = 0; lane < count - i; ++lane)
        rest[lane] = from[lane];
      from = rest;
    }
    const Bits bits = (Bits) * reinterpret_cast<const Stored*>(from) & kMagnitude;
    const Vector magnitude = (Vector)bits;
    const Bits normal = bits > kLeastNormal;
    all += magnitude;
    logarithmic += magnitude * logarithm((Vector)((bits & normal) | (~normal & kLeastNormal)));
    distance += magnitude * (Vector)((Bits)place & kMagnitude);
  }
  WeightSums sums = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    sums.all += all[lane];
    sums.logarithmic += logarithmic[lane];
    sums.distance += distance[lane];
  }
  return sums;
}

// e^x as a power of two times a polynomial between the square roots of 1/2 and 2, with the coefficients of
// expf in Moshier's Cephes library.
[[gnu::always_inline]] inline Vector power_of_e(Vector x) {
  constexpr float kLowest = -104, kHighest = 90;       // beyond these the result is 0 or infinity
  constexpr float kRound = 12582912;                   // adding it rounds a small number to an integer
  constexpr int kRoundBits = 0x4B400000, kBias = 127;  // bits of kRound; bias of exponents
  constexpr float kCoefficients[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                     4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  // Masked cells are frequent, and products with denormal results are very slow.
  const Bits vanishes = x < kLowest;  // false for NaN
  x = vanishes ? Vector{} : x;
  x = x > kHighest ? Vector{} + kHighest : x;
  const Vector shifted = x * 1.44269504088896341f + kRound, whole = shifted - kRound;
  const Vector rest = x - whole * 0.693359375f - whole * -2.12194440e-4f;
  Vector polynomial = rest * 0.0f;
  for (const float coefficient : kCoefficients)
    polynomial = polynomial * rest + coefficient;
  // Two factors, so that results beyond the exponents of normal numbers are possible.
  const Bits exponent = (Bits)shifted - kRoundBits, half = exponent >> 1;
  const Vector first = (Vector)((half + kBias) << 23), second = (Vector)((exponent - half + kBias) << 23);
  const Vector power = (polynomial * rest * rest + rest + 1.0f) * first * second;
  return vanishes ? Vector{} : power;
}

// e^x for x below 80, in fewer steps; 0 where the result would be near or below the least normal number.
[[gnu::always_inline]] inline Vector small_power_of_e(const Vector& x) {
  constexpr float kLowest = -87.3f;
  constexpr float kRound = 12582912 + 127;  // rounds to an integer with the exponents' bias added
  constexpr float kCoefficients[] = {1.9875691500e-4f,
                                     1.3981999507e-3f,
                                     8.3334519073e-3f,
                                     4.1665795894e-2f,
                                     1.6666665459e-1f,
                                     5.0000001201e-1f,
                                     1.0f,
                                     1.0f};
  const Bits vanishes = x < kLowest;  // false for NaN
  const Vector shifted = x * 1.44269504088896341f + kRound, whole = shifted - kRound;
  const Vector rest = x - whole * 0.693359375f - whole * -2.12194440e-4f;
  Vector polynomial = Vector{} + kCoefficients[0];
#pragma GCC unroll 8
  for (int i = 1; i < 8; ++i)
    polynomial = polynomial * rest + kCoefficients[i];
  return vanishes ? Vector{} : polynomial * (Vector)((Bits)shifted << 23);
}

void exponentiate(const float* x, std::ptrdiff_t count, float subtracted, float* out) {
  std::ptrdiff_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    *reinterpret_cast<Stored*>(out + i) = power_of_e(*reinterpret_cast<const Stored*>(x + i) - subtracted);
  float rest[kLanes] = {};
  for (std::ptrdiff_t lane = 0; lane < count - i; ++lane)
    rest[lane] = x[i + lane];
  const Vector last = power_of_e(*reinterpret_cast<const Stored*>(rest) - subtracted);
  for (std::ptrdiff_t lane = 0; lane < count - i; ++lane)
    out[i + lane] = last[lane];
}

void widen(const float* cells, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t columns, float* low,
           float* high, float* sum) {
  std::ptrdiff_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) {
    Stored* const low_at = reinterpret_cast<Stored*>(low + column);
    Stored* const high_at = reinterpret_cast<Stored*>(high + column);
    Stored* const sum_at = reinterpret_cast<Stored*>(sum + column);
    Vector least = *low_at, most = *high_at, all = *sum_at;
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      const Vector cell = *reinterpret_cast<const Stored*>(cells + row * stride + column);
      least = cell < least ? cell : least;
      most = cell > most ? cell : most;
      all += cell;
    }
    *low_at = least;
    *high_at = most;
    *sum_at = all;
  }
  for (; column < columns; ++column)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      const float cell = cells[row * stride + column];
      low[column] = cell < low[column] ? cell : low[column];
      high[column] = cell > high[column] ? cell : high[column];
      sum[column] += cell;
    }
}

// Swaps a's lane i + kHalf with b's lane i, for each i without the bit kHalf.
template <std::size_t kHalf, std::size_t... kLane>
[[gnu::always_inline]] inline void exchange(Vector& a, Vector& b, std::index_sequence<kLane...>) {
  const Vector first = __builtin_shufflevector(a, b, (kLane & kHalf ? kLanes + kLane - kHalf : kLane)...);
  b = __builtin_shufflevector(a, b, (kLane & kHalf ? kLanes + kLane : kLane + kHalf)...);
  a = first;
}

// Transposes the square by exchanging its off-diagonal quarters, then those of each quarter, and so on.
template <std::size_t kHalf = kLanes / 2>
[[gnu::always_inline]] inline void transpose_square(Vector (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i)
    if (!(i & kHalf)) exchange<kHalf>(rows[i], rows[i + kHalf], std::make_index_sequence<kLanes>());
  if constexpr (kHalf > 1) transpose_square<kHalf / 2>(rows);
}

void transpose(const float* from, std::ptrdiff_t from_stride, std::ptrdiff_t rows, std::ptrdiff_t columns,
               float* to, std::ptrdiff_t to_stride) {
  std::ptrdiff_t row = 0;
  for (; row + kLanes <= rows; row += kLanes) {
    std::ptrdiff_t column = 0;
    for (; column + kLanes <= columns; column += kLanes) {
      Vector square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        square[i] = *reinterpret_cast<const Stored*>(from + (row + i) * from_stride + column);
      transpose_square(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        *reinterpret_cast<Stored*>(to + (column + i) * to_stride + row) = square[i];
    }
    for (; column < columns; ++column)
      for (int i = 0; i < kLanes; ++i)
        to[column * to_stride + row + i] = from[(row + i) * from_stride + column];
  }
  for (; row < rows; ++row)
    for (std::ptrdiff_t column = 0; column < columns; ++column)
      to[column * to_stride + row] = from[row * from_stride + column];
}

void interleave(const float* from, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t steps,
                float* to) {
  std::ptrdiff_t step = 0;
  if constexpr (kRows <= kLanes)
    for (; step + kLanes <= steps; step += kLanes) {
      Vector square[kLanes] = {};
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i)
        if (i < rows) square[i] = *reinterpret_cast<const Stored*>(from + i * stride + step);
      transpose_square(square);
      // Each store writes past its kRows numbers; the next one overwrites the excess.
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i)
        *reinterpret_cast<Stored*>(to + (step + i) * kRows) = square[i];
    }
  for (; step < steps; ++step)
    for (int i = 0; i < kRows; ++i)
      to[step * kRows + i] = i < rows ? from[i * stride + step] : 0.0f;
}

#include "engine/simd/strip_loops.inl"
// Uses fold_square.
#include "engine/simd/stored_loops.inl"

}  // namespace

extern const VectorLoops HEADLIGHT_LOOPS;
const VectorLoops HEADLIGHT_LOOPS = {
    kRows,     kColumns,   multiply,           sum_weights,   exponentiate, widen,
    transpose, interleave, strip_maximum,      strip_ends,    strip_pool,   fold_low,
    fold_high, fold_sum,   strip_exponentials, strip_weights, strip_shares};

extern const StoredLoops HEADLIGHT_STORED_LOOPS;
const StoredLoops HEADLIGHT_STORED_LOOPS = {kDotRows,        kDotOutputs,   multiply_panel,
                                            multiply_inputs, multiply_dots, multiply_few,
                                            request_all,     pack,          widen_stored};

}  // namespace headlight
