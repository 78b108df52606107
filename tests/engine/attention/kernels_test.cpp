// The kernels at the edges of float32.
#include "engine/attention/kernels.h"
#include "engine/layer/projection.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr auto kAllNormalizations = {Normalization::Softmax, Normalization::NaiveSoftmax, Normalization::Sum};

Matrix row_of(std::initializer_list<float> values) {
  Matrix row(1, static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), row.data());
  return row;
}

// Minus infinity marks a masked cell.
Matrix normalized(const Matrix& masked, Normalization how) {
  const Matrix allowed =
      (masked.array() == -kInfinity).select(Matrix::Zero(masked.rows(), masked.cols()), 1.0f);
  OpenCells open;
  open.allowed = &allowed;
  Matrix weights(masked.rows(), masked.cols());
  normalize_rows(masked, how, open, 0, weights);
  return weights;
}

bool all_nan(const Matrix& matrix) {
  return matrix.array().isNaN().all();
}

}  // namespace

TEST_CASE("kernels: a masked cell weighs exactly nothing, wherever it stands in its row") {
  for (Index width = 1; width <= 20; ++width)
    for (Index open = 0; open < width; ++open) {
      Matrix masked = Matrix::Constant(1, width, -kInfinity);
      masked(0, open) = 1.5f;
      Matrix expected = Matrix::Zero(1, width);
      expected(0, open) = 1.0f;
      for (Normalization how : kAllNormalizations)
        REQUIRE(same_bits(normalized(masked, how), expected));
    }
}

TEST_CASE("kernels: a fully masked row gives zeros") {
  for (Index width = 1; width <= 20; ++width)
    for (Normalization how : kAllNormalizations)
      CHECK(same_bits(normalized(Matrix::Constant(3, width, -kInfinity), how), Matrix::Zero(3, width)));
}

TEST_CASE("kernels: equal scores get equal weights at every place of a row") {
  for (Index width = 1; width <= 20; ++width) {
    Matrix masked = Matrix::Constant(1, width, -3.7f);
    masked(0, 0) = 0.3f;
    for (Normalization how : kAllNormalizations) {
      const Matrix weights = normalized(masked, how);
      for (Index column = 2; column < width; ++column)
        CHECK(weights(0, column) == weights(0, 1));
    }
  }
}

TEST_CASE("kernels: the stable softmax survives scores that the naive one does not") {
  const Matrix large = row_of({89.0f, 88.0f, 1000.0f, 1000.0f, -1000.0f, 0.0f, 3.0f, 4.0f, 5.0f});
  const Matrix stable = normalized(large, Normalization::Softmax);
  CHECK(stable(0, 2) == 0.5f);
  CHECK(stable(0, 3) == 0.5f);
  CHECK(stable(0, 4) == 0.0f);

  // As in PyTorch: exp(89) is infinite in float32, infinity / infinity is NaN and 1 / infinity is 0.
  const Matrix naive = normalized(large, Normalization::NaiveSoftmax);
  CHECK(std::isnan(naive(0, 0)));
  CHECK(naive(0, 1) == 0.0f);
  CHECK(std::isnan(naive(0, 2)));
  CHECK(naive(0, 8) == 0.0f);
}

TEST_CASE("kernels: the naive softmax of scores too low for float32 is NaN, zero over zero") {
  for (Index width = 1; width <= 12; ++width) {
    CHECK(all_nan(normalized(Matrix::Constant(1, width, -104.0f), Normalization::NaiveSoftmax)));
    CHECK(normalized(Matrix::Constant(1, width, -104.0f), Normalization::Softmax).sum() > 0.99f);
  }
}

TEST_CASE("kernels: exp reaches down to the smallest numbers") {
  Matrix masked = Matrix::Zero(1, 9);
  masked(0, 1) = masked(0, 8) = -95.0f;
  const Matrix weights = normalized(masked, Normalization::Softmax);
  CHECK_THAT(weights(0, 1) / 1e-42f, WithinAbs(std::exp(-95.0) / 7.0 / 1e-42, 0.01));
  CHECK(weights(0, 1) == weights(0, 8));
}

TEST_CASE("kernels: NaN in a row makes the whole row NaN and no other") {
  for (Index width = 1; width <= 12; ++width)
    for (Index place = 0; place < width; ++place) {
      Matrix masked = Matrix::Constant(2, width, 0.5f);
      masked(0, place) = kNan;
      for (Normalization how : kAllNormalizations) {
        const Matrix weights = normalized(masked, how);
        CHECK(all_nan(weights.row(0)));
        CHECK(weights.row(1).allFinite());
      }
    }
}

TEST_CASE("kernels: sum divides by the sum of what is not masked") {
  CHECK(same_bits(normalized(row_of({1.0f, -kInfinity, 3.0f, -kInfinity}), Normalization::Sum),
                  row_of({0.25f, 0.0f, 0.75f, 0.0f})));
  CHECK(same_bits(normalized(row_of({-1.0f, 3.0f}), Normalization::Sum), row_of({-0.5f, 1.5f})));
  CHECK(std::isinf(normalized(row_of({1.0f, -1.0f}), Normalization::Sum)(0, 0)));
}

TEST_CASE("kernels: sum divides scores that overflowed to minus infinity, and leaves out what is masked") {
  OpenCells causal;
  causal.band.to = 1;
  Matrix weights(2, 4);  // of the second and third query
  normalize_rows(row_of({1.0f, -kInfinity, -kInfinity, -kInfinity, 1.0f, 3.0f, -4.0f, -kInfinity})
                     .reshaped<Eigen::RowMajor>(2, 4),
                 Normalization::Sum, causal, 1, weights);
  CHECK(weights(0, 0) == 0.0f);  // 1 / minus infinity
  CHECK(std::isnan(weights(0, 1)));
  CHECK((weights.row(0).tail(2).array() == 0.0f).all());
  CHECK(all_nan(weights.row(1).tail(1)));  // 0 / 0
  CHECK(std::isinf(weights(1, 0)));
}

TEST_CASE("kernels: the mask selects, so that infinite scores leave no NaN behind") {
  const Matrix allowed = row_of({1.0f, 0.0f, 0.0f, 1.0f}).reshaped<Eigen::RowMajor>(2, 2);
  const Matrix scaled = row_of({1.0f, kInfinity, kNan, 2.0f}).reshaped<Eigen::RowMajor>(2, 2);
  Matrix masked(2, 2);
  OpenCells open;
  open.allowed = &allowed;
  apply_mask(scaled, open, 0, masked);
  CHECK(same_bits(masked, row_of({1.0f, -kInfinity, -kInfinity, 2.0f}).reshaped<Eigen::RowMajor>(2, 2)));
  open = {};
  open.band.to = 1;
  apply_mask(scaled, open, 0, masked);
  CHECK(masked(0, 1) == -kInfinity);
  CHECK(std::isnan(masked(1, 0)));
  apply_mask(scaled, {}, 0, masked);
  CHECK(same_bits(masked, scaled));
}

TEST_CASE("kernels: both layouts give the same product") {
  Dice dice(9);
  const Matrix x = dice.matrix(5, 3), w = dice.matrix(3, 4), bias = dice.matrix(1, 4);
  const Matrix turned = w.transpose();
  Matrix in_out(5, 4), out_in(5, 4), without(5, 4);
  Workspace workspace;
  project(x, w, WeightLayout::InOut, &bias, in_out, workspace);
  project(x, turned, WeightLayout::OutIn, &bias, out_in, workspace);
  project(x, w, WeightLayout::InOut, nullptr, without, workspace);
  CHECK(in_out.isApprox(out_in, 1e-6f));
  for (Index row = 0; row < 5; ++row)
    CHECK(same_bits(in_out.row(row), without.row(row) + bias));
}
