// Blocked matrix products against plain loops, for each supported instruction set.
#include "engine/simd/product.h"

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The largest difference from sums in double precision, in units of the float32 rounding of the terms.
double product_error(const Matrix& a, const Matrix& b, const Matrix& c) {
  constexpr double kRounding = std::numeric_limits<float>::epsilon();
  double worst = 0;
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      double sum = 0, size = 0;
      for (Index k = 0; k < a.cols(); ++k) {
        const double product = static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
        sum += product;
        size += std::abs(product);
      }
      const double away = std::abs(sum - static_cast<double>(c(i, j)));
      worst = std::max(worst, size > 0 ? away / (size * kRounding) : away);
    }
  return worst;
}

}  // namespace

TEST_CASE("product: by blocks of any shape, with every set of instructions, it is the sum of products") {
  Workspace workspace;
  Dice dice(41);
  for (int round = 0; round < 120; ++round) {
    const Index rows = dice.between(1, 150), columns = dice.between(1, 80);
    const Index depth = dice.chance(0.1) ? dice.between(250, 600) : dice.between(0, 40);
    const Matrix a = dice.matrix(rows, depth), b = dice.matrix(depth, columns), turned = b.transpose();
    for (const InstructionSet set : instruction_sets()) {
      INFO(instruction_set_name(set) << ": " << rows << " x " << depth << " times " << columns);
      // NaN shows that the product does not depend on the previous contents.
      Matrix c = Matrix::Constant(rows, columns, std::numeric_limits<float>::quiet_NaN());
      multiply_by_blocks(set, a, {b}, c, workspace);
      CHECK(product_error(a, b, c) < static_cast<double>(depth) + 1);
      c.setConstant(std::numeric_limits<float>::quiet_NaN());
      multiply_by_blocks(set, a, {turned, true}, c, workspace);
      CHECK(product_error(a, b, c) < static_cast<double>(depth) + 1);
    }
  }
}

TEST_CASE("product: parts of matrices, and into a part whose surroundings stay") {
  Workspace workspace;
  Dice dice(42);
  const Matrix a = dice.matrix(70, 90), b = dice.matrix(90, 70);
  Matrix c = Matrix::Zero(70, 70);
  multiply(a.block(3, 5, 40, 60), b.block(7, 2, 60, 50), c.block(1, 9, 40, 50), workspace);
  const Matrix left = a.block(3, 5, 40, 60), right = b.block(7, 2, 60, 50);
  CHECK(product_error(left, right, c.block(1, 9, 40, 50)) < 61);
  c.block(1, 9, 40, 50).setZero();
  CHECK((c.array() == 0.0f).all());

  multiply_transposed(a.block(3, 5, 40, 60), b.transpose().eval().block(2, 7, 50, 60), c.block(1, 9, 40, 50),
                      workspace);
  CHECK(product_error(left, right, c.block(1, 9, 40, 50)) < 61);
}

TEST_CASE("product: it is added to what is there, of factors as they are and transposed") {
  Workspace workspace;
  Dice dice(44);
  for (int round = 0; round < 60; ++round) {
    const Index rows = dice.between(1, 260), columns = dice.between(1, 70);
    const Index depth = dice.chance(0.2) ? dice.between(700, 900) : dice.between(1, 40);
    const Matrix a = dice.matrix(rows, depth), b = dice.matrix(depth, columns);
    const Matrix turned_a = a.transpose(), turned_b = b.transpose();
    // The numbers that are there are those of one more product.
    Matrix whole_a(rows, depth + 1), whole_b(depth + 1, columns);
    whole_a << a, Matrix::Ones(rows, 1);
    whole_b << b, dice.matrix(1, columns);
    for (const bool left : {false, true})
      for (const bool right : {false, true}) {
        INFO(rows << " x " << depth << " times " << columns << (left ? ", left" : "")
                  << (right ? ", right" : ""));
        Matrix c = whole_b.bottomRows(1).replicate(rows, 1);
        add_product({left ? turned_a : a, left}, {right ? turned_b : b, right}, c, workspace);
        CHECK(product_error(whole_a, whole_b, c) < static_cast<double>(depth) + 2);
      }
  }
}

TEST_CASE("product: NaN and infinity reach exactly the cells that they belong to") {
  Workspace workspace;
  Dice dice(43);
  for (const InstructionSet set : instruction_sets()) {
    Matrix a = dice.matrix(31, 20), b = dice.matrix(20, 45), c(31, 45);
    a(4, 7) = std::numeric_limits<float>::quiet_NaN();
    b(3, 40) = std::numeric_limits<float>::infinity();
    multiply_by_blocks(set, a, {b}, c, workspace);
    for (Index i = 0; i < c.rows(); ++i)
      for (Index j = 0; j < c.cols(); ++j)
        CHECK(std::isfinite(c(i, j)) == (i != 4 && j != 40));
  }
}

#ifdef HEADLIGHT_OPTIMISED  // unoptimised builds do not fuse
TEST_CASE("product: where the processor can, a product is added in one rounding") {
  Workspace workspace;
  // The second product is 1 + 2^-11 + 2^-24; rounding it separately would lose the last term.
  Matrix a(12, 2), b(2, 32), c(12, 32);
  a.col(0).setConstant(-(1.0f + 0x1p-11f));
  b.row(0).setOnes();
  a.col(1).setConstant(1.0f + 0x1p-12f);
  b.row(1).setConstant(1.0f + 0x1p-12f);
  for (const InstructionSet set : instruction_sets()) {
    INFO(instruction_set_name(set));
    multiply_by_blocks(set, a, {b}, c, workspace);
    CHECK(c == Matrix::Constant(12, 32, set == InstructionSet::Baseline ? 0.0f : 0x1p-24f));
  }
}
#endif
