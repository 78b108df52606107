// The loops of engine/simd/vector_loops.h in Eigen expressions only, as a reference for the hand-written
// ones. Compiled once for each instruction set; the build renames Eigen's namespace in each object, so that
// the linker does not merge their templates.
#include "tests/bench/eigen_loops.h"

#include <Eigen/Core>
#include <algorithm>

namespace headlight_bench {
namespace {

using Eigen::Dynamic;
constexpr int kColumns = 2 * HEADLIGHT_LANES, kRows = HEADLIGHT_TILE_ROWS;
using Lanes = Eigen::Array<float, 1, kColumns>;
using Doubles = Eigen::Array<double, 1, kColumns>;
using Array = Eigen::Array<float, Dynamic, Dynamic, Eigen::RowMajor>;
using Cells = Eigen::Map<Array, 0, Eigen::OuterStride<>>;
using ConstCells = Eigen::Map<const Array, 0, Eigen::OuterStride<>>;
using Vector = Eigen::Map<Eigen::ArrayXf>;
using ConstVector = Eigen::Map<const Eigen::ArrayXf>;
using Matrix = Eigen::Matrix<float, Dynamic, Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const Matrix>;

Lanes load(const float* from) {
  return Eigen::Map<const Lanes>(from);
}

void store(const Lanes& lanes, float* to) {
  Eigen::Map<Lanes>{to} = lanes;
}

Lanes bias_at(const float* bias, std::ptrdiff_t key) {
  return bias ? load(bias + key * kColumns) : Lanes(Lanes::Zero());
}

void product(const float* a, const float* b, std::ptrdiff_t rows, std::ptrdiff_t depth,
             std::ptrdiff_t columns, float* c) {
  Eigen::Map<Matrix>(c, rows, columns).noalias() =
      ConstMatrix(a, rows, depth) * ConstMatrix(b, depth, columns);
}

void product_transposed(const float* a, const float* b, std::ptrdiff_t rows, std::ptrdiff_t depth,
                        std::ptrdiff_t columns, float* c) {
  Eigen::Map<Matrix>(c, rows, columns).noalias() =
      ConstMatrix(a, rows, depth) * ConstMatrix(b, columns, depth).transpose();
}

void softmax_rows(std::ptrdiff_t rows, std::ptrdiff_t columns, const float* scores, float* weights) {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const ConstVector from(scores + row * columns, columns);
    Vector to(weights + row * columns, columns);
    to = (from - from.maxCoeff()).exp();
    to /= to.sum();
  }
}

// x: tokens x 2 pairs; element i of the first half is paired with element i of the second.
void rope(const float* x, const float* cosines, const float* sines, std::ptrdiff_t tokens,
          std::ptrdiff_t pairs, float* turned) {
  const Eigen::OuterStride<> stride(2 * pairs);
  const ConstCells a(x, tokens, pairs, stride), b(x + pairs, tokens, pairs, stride);
  const Eigen::Map<const Array> cosine(cosines, tokens, pairs), sine(sines, tokens, pairs);
  Cells(turned, tokens, pairs, stride) = a * cosine - b * sine;
  Cells(turned + pairs, tokens, pairs, stride) = b * cosine + a * sine;
}

headlight::WeightSums sum_weights(const float* weights, std::ptrdiff_t count, std::ptrdiff_t own) {
  const ConstVector w(weights, count);
  const auto size = w.abs();
  constexpr float kLeastNormal = 1.17549435e-38f;  // avoids the logarithm of 0; that term is 0
  const auto last = static_cast<float>(count - 1 - own);
  const auto places = Eigen::ArrayXf::LinSpaced(count, static_cast<float>(-own), last);
  return {size.sum(), (size * size.max(kLeastNormal).log()).sum(), (size * places.abs()).sum()};
}

void exponentiate(const float* x, std::ptrdiff_t count, float subtracted, float* out) {
  Vector(out, count) = (ConstVector(x, count) - subtracted).exp();
}

void widen(const float* cells, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t columns, float* low,
           float* high, float* sum) {
  Vector least(low, columns), most(high, columns), all(sum, columns);
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const ConstVector here(cells + row * stride, columns);
    least = least.min(here);
    most = most.max(here);
    all += here;
  }
}

void transpose(const float* from, std::ptrdiff_t from_stride, std::ptrdiff_t rows, std::ptrdiff_t columns,
               float* to, std::ptrdiff_t to_stride) {
  Cells(to, columns, rows, Eigen::OuterStride<>(to_stride)) =
      ConstCells(from, rows, columns, Eigen::OuterStride<>(from_stride)).transpose();
}

void interleave(const float* from, std::ptrdiff_t stride, std::ptrdiff_t rows, std::ptrdiff_t steps,
                float* to) {
  Eigen::Map<Eigen::Array<float, Dynamic, kRows, Eigen::RowMajor>> panel(to, steps, kRows);
  if (rows < kRows) panel.rightCols(kRows - rows).setZero();
  panel.leftCols(rows) = ConstCells(from, rows, steps, Eigen::OuterStride<>(stride)).transpose();
}

void strip_maximum(const float* strip, std::ptrdiff_t keys, float factor, const float* bias, float* maximum) {
  Lanes most = load(maximum);
  for (std::ptrdiff_t key = 0; key < keys; ++key)
    most = most.max(load(strip + key * kColumns) * factor + bias_at(bias, key));
  store(most, maximum);
}

void strip_ends(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high) {
  Lanes least = load(low), most = load(high);
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Lanes here = load(strip + key * kColumns), added = bias_at(bias, key);
    least = least.min(here - added);
    most = most.max(here + added);
  }
  store(least, low);
  store(most, high);
}

void strip_pool(const float* strip, std::ptrdiff_t keys, const float* bias, float* low, float* high,
                float* sum) {
  Lanes least = Lanes::Constant(Eigen::NumTraits<float>::infinity()), most = -least, all = Lanes::Zero();
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Lanes here = load(strip + key * kColumns), added = bias_at(bias, key);
    least = least.min(here - added);
    most = most.max(here + added);
    all += (added == 0).select(here, 0.0f);
  }
  store(least, low);
  store(most, high);
  store(all, sum);
}

auto folded(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes) {
  return ConstCells(strip, rows, lanes, Eigen::OuterStride<>(kColumns));
}

void fold_low(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  Vector to(out, rows);
  to = to.min(folded(strip, rows, lanes).rowwise().minCoeff());
}

void fold_high(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  Vector to(out, rows);
  to = to.max(folded(strip, rows, lanes).rowwise().maxCoeff());
}

void fold_sum(const float* strip, std::ptrdiff_t rows, std::ptrdiff_t lanes, float* out) {
  Vector(out, rows) += folded(strip, rows, lanes).rowwise().sum();
}

void strip_exponentials(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                        const float* maximum, float* out, double* sums, float* /*sixteens*/) {
  constexpr std::ptrdiff_t kSummed = 8;  // terms summed in float32, as in the hand-written loop
  const Lanes most = load(maximum);
  Doubles all = Doubles::Zero();
  for (std::ptrdiff_t begin = 0; begin < keys; begin += kSummed) {
    Lanes sum = Lanes::Zero();
    for (std::ptrdiff_t key = begin; key < std::min(begin + kSummed, keys); ++key) {
      const Lanes here = (load(strip + key * kColumns) * factor + (bias_at(bias, key) - most)).exp();
      store(here, out + key * kColumns);
      sum += here;
    }
    all += sum.cast<double>();
  }
  Eigen::Map<Doubles>(sums, kColumns) += all;
}

void strip_weights(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                   const float* maximum, const float* sum, float masked, float* out) {
  const Lanes most = load(maximum), sums = load(sum);
  for (std::ptrdiff_t key = 0; key < keys; ++key) {
    const Lanes here = load(strip + key * kColumns) * factor + bias_at(bias, key);
    const Lanes weights = (here - most).exp() / sums;
    store((here == -Eigen::NumTraits<float>::infinity()).select(masked, weights), out + key * kColumns);
  }
}

void strip_shares(const float* strip, std::ptrdiff_t keys, float factor, const float* bias,
                  const float* maximum, float away, double* logarithmic, double* distance) {
  constexpr std::ptrdiff_t kSummed = 8;
  constexpr float kNothing = -200;  // its exponential is 0, and so is their product
  const Lanes most = load(maximum), place = Lanes::LinSpaced(kColumns, 0, kColumns - 1) + away;
  Doubles logarithms = Doubles::Zero(), distances = Doubles::Zero();
  for (std::ptrdiff_t begin = 0; begin < keys; begin += kSummed) {
    Lanes logarithm = Lanes::Zero(), far = Lanes::Zero();
    for (std::ptrdiff_t key = begin; key < std::min(begin + kSummed, keys); ++key) {
      const Lanes below = (load(strip + key * kColumns) * factor + (bias_at(bias, key) - most)).max(kNothing);
      const Lanes share = below.exp();
      logarithm += share * below;
      far += share * (place - static_cast<float>(key)).abs();
    }
    logarithms += logarithm.cast<double>();
    distances += far.cast<double>();
  }
  Eigen::Map<Doubles>(logarithmic, kColumns) += logarithms;
  Eigen::Map<Doubles>(distance, kColumns) += distances;
}

}  // namespace

extern const EigenLoops HEADLIGHT_EIGEN_LOOPS;
const EigenLoops HEADLIGHT_EIGEN_LOOPS = {
    product,
    product_transposed,
    softmax_rows,
    rope,
    {kRows, kColumns, nullptr, sum_weights, exponentiate, widen, transpose, interleave, strip_maximum,
     strip_ends, strip_pool, fold_low, fold_high, fold_sum, strip_exponentials, strip_weights, strip_shares}};

}  // namespace headlight_bench
