// Products with weights as they are stored, against plain loops, for each supported instruction set.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/checkpoint/half.h"
#include "engine/simd/panel_product.h"
#include "engine/simd/stored_product.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr StoredType kTypes[] = {StoredType::F32, StoredType::BF16, StoredType::F16};

// Bytes of weights, inputs x outputs, and the numbers that they are.
struct Stored {
  std::string bytes;
  StoredFactor factor;
  Matrix numbers;
};

float number_of(StoredType type, std::uint16_t bits) {
  return type == StoredType::F16 ? float_from_half(bits)
                                 : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Halves whose numbers are from 2^-15 to 4, with either sign, and zero.
std::uint16_t small_bits(Dice& dice, StoredType type) {
  const auto sign = static_cast<std::uint16_t>(dice.chance(0.5) ? 0x8000 : 0);
  if (dice.chance(0.05)) return sign;
  if (type == StoredType::F16) return static_cast<std::uint16_t>(sign | dice.between(0x200, 0x43ff));
  return static_cast<std::uint16_t>(sign | dice.between(0x3800, 0x4080));
}

// At an odd address if `shifted`; with `gap` numbers between two rows.
Stored random_weights(Dice& dice, StoredType type, bool transposed, Index inputs, Index outputs, Index gap,
                      bool shifted) {
  Stored made;
  made.numbers.resize(inputs, outputs);
  const Index rows = transposed ? outputs : inputs, columns = (transposed ? inputs : outputs) + gap;
  const std::size_t size = type == StoredType::F32 ? 4 : 2;
  made.bytes.resize(static_cast<std::size_t>(rows * columns) * size + 1, '\x7f');  // gaps: huge numbers
  char* const data = made.bytes.data() + (shifted ? 1 : 0);
  for (Index input = 0; input < inputs; ++input)
    for (Index output = 0; output < outputs; ++output) {
      const Index at = transposed ? output * columns + input : input * columns + output;
      char* const to = data + static_cast<std::size_t>(at) * size;
      if (type == StoredType::F32) {
        const float number = dice.matrix(1, 1)(0, 0);
        std::memcpy(to, &number, size);
        made.numbers(input, output) = number;
      } else {
        const std::uint16_t bits = small_bits(dice, type);
        std::memcpy(to, &bits, size);
        made.numbers(input, output) = number_of(type, bits);
      }
    }
  made.factor = {data, type, columns, transposed, inputs, outputs};
  return made;
}

Matrix product(InstructionSet set, const Matrix& x, const StoredFactor& w, Workspace& workspace) {
  PackedRows packed(workspace, set);
  if (!takes_few_rows(x.rows())) packed.take(x, PackedRows::Threads::One);
  // NaN shows that the product does not depend on the previous contents, and what lies around it.
  Matrix around = Matrix::Constant(x.rows() + 1, w.outputs + 1, std::numeric_limits<float>::quiet_NaN());
  multiply_stored(x, packed, w, around.topLeftCorner(x.rows(), w.outputs), workspace, set);
  CHECK(around.row(x.rows()).array().isNaN().all());
  CHECK(around.col(w.outputs).array().isNaN().all());
  return around.topLeftCorner(x.rows(), w.outputs);
}

// The largest difference from sums in double precision, in units of the float32 rounding of the terms.
double error_of(const Matrix& x, const Matrix& w, const Matrix& y) {
  const Eigen::MatrixXd a = x.cast<double>(), b = w.cast<double>(), sizes = a.cwiseAbs() * b.cwiseAbs();
  const Eigen::MatrixXd away = (a * b - y.cast<double>()).cwiseAbs();
  const double rounding = static_cast<double>(std::numeric_limits<float>::epsilon());
  return y.size() == 0 ? 0 : (away.array() / (sizes.array() * rounding + 1e-300)).maxCoeff();
}

std::string name_of(const StoredFactor& w, Index rows, InstructionSet set) {
  return std::string(instruction_set_name(set)) + ": " + std::to_string(rows) + " x " +
         std::to_string(w.inputs) + " times " + std::to_string(w.outputs) + ", type " +
         std::to_string(static_cast<int>(w.type)) + (w.transposed ? ", a row per output" : "");
}

}  // namespace

TEST_CASE("stored product: of every type, layout and number of rows it is the sum of products") {
  Workspace workspace;
  Dice dice(71);
  for (Index rows = 1; rows <= 70; ++rows)
    for (const StoredType type : kTypes)
      for (const bool transposed : {false, true}) {
        const Index inputs = dice.chance(0.2) ? dice.between(250, 1100) : dice.between(1, 70);
        const Index outputs = dice.between(1, 100);
        const Matrix x = dice.matrix(rows, inputs);
        const Stored w =
            random_weights(dice, type, transposed, inputs, outputs, dice.between(0, 3), dice.chance(0.3));
        for (const InstructionSet set : instruction_sets()) {
          INFO(name_of(w.factor, rows, set));
          CHECK(error_of(x, w.numbers, product(set, x, w.factor, workspace)) <
                static_cast<double>(inputs) + 1);
        }
      }
}

TEST_CASE("stored product: of so many rows that strips are packed whole") {
  Workspace workspace;
  Dice dice(72);
  for (const Index rows : {160, 161, 300})
    for (const StoredType type : kTypes)
      for (const bool transposed : {false, true}) {
        const Index inputs = dice.between(1, 900), outputs = dice.between(1, 400);
        const Matrix x = dice.matrix(rows, inputs);
        const Stored w = random_weights(dice, type, transposed, inputs, outputs, 0, false);
        for (const InstructionSet set : instruction_sets()) {
          INFO(name_of(w.factor, rows, set));
          CHECK(error_of(x, w.numbers, product(set, x, w.factor, workspace)) <
                static_cast<double>(inputs) + 1);
        }
      }
}

TEST_CASE("stored product: a weight that is infinite or no number reaches its own output alone") {
  Workspace workspace;
  Dice dice(73);
  for (const StoredType type : kTypes)
    for (const bool transposed : {false, true})
      for (const Index rows : {1, 2, 3, 4, 16, 200}) {
        const Index inputs = 37, outputs = 45;
        const Matrix x = dice.matrix(rows, inputs).cwiseAbs() + Matrix::Constant(rows, inputs, 0.5f);
        Stored w = random_weights(dice, type, transposed, inputs, outputs, 0, false);
        const auto set_bits = [&](Index input, Index output, std::uint32_t single, std::uint16_t half) {
          const Index at = transposed ? output * inputs + input : input * outputs + output;
          if (type == StoredType::F32) {
            std::memcpy(w.bytes.data() + at * 4, &single, 4);
            return;
          }
          const auto bits = type == StoredType::F16 ? half : static_cast<std::uint16_t>(single >> 16);
          std::memcpy(w.bytes.data() + at * 2, &bits, 2);
        };
        set_bits(36, 44, 0x7f800000, 0x7c00);  // infinity, in the last row and column
        set_bits(3, 1, 0xff800000, 0xfc00);    // minus infinity
        set_bits(20, 40, 0x7fc00000, 0x7e00);  // no number
        for (const InstructionSet set : instruction_sets()) {
          INFO(name_of(w.factor, rows, set));
          const Matrix y = product(set, x, w.factor, workspace);
          CHECK((y.col(44).array() == std::numeric_limits<float>::infinity()).all());
          CHECK((y.col(1).array() == -std::numeric_limits<float>::infinity()).all());
          CHECK(y.col(40).array().isNaN().all());
          CHECK(all_finite(y.leftCols(1)));
          CHECK(all_finite(y.middleCols(2, 38)));
          CHECK(all_finite(y.middleCols(41, 3)));
        }
      }
}

TEST_CASE("stored product: every half-precision number is widened exactly") {
  Workspace workspace;
  std::string bytes(std::size_t{65536} * 2, '\0');
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    std::memcpy(bytes.data() + std::size_t{2} * bits, &half, 2);
  }
  const Matrix one = Matrix::Ones(1, 1);
  for (const StoredType type : {StoredType::BF16, StoredType::F16})
    for (const InstructionSet set : instruction_sets()) {
      const Matrix y = product(set, one, {bytes.data(), type, 65536, false, 1, 65536}, workspace);
      std::size_t wrong = 0;
      for (Index i = 0; i < 65536; ++i) {
        const float wanted = number_of(type, static_cast<std::uint16_t>(i));
        if (std::isnan(wanted) ? !std::isnan(y(0, i)) : y(0, i) != wanted) ++wrong;
      }
      INFO(instruction_set_name(set));
      CHECK(wrong == 0);
    }
}

TEST_CASE("stored product: without inputs it is zero") {
  Workspace workspace;
  for (const Index rows : {1, 8, 200})
    for (const InstructionSet set : instruction_sets())
      CHECK((product(set, Matrix(rows, 0), {nullptr, StoredType::F32, 5, false, 0, 5}, workspace).array() ==
             0.0f)
                .all());
}

TEST_CASE("panel product: of any number of rows it is the sum of products") {
  Workspace workspace;
  Dice dice(73);
  for (Index rows = 1; rows <= 460; rows += rows < 40 ? 1 : 60)
    for (const InstructionSet set : instruction_sets()) {
      const Index inputs = dice.chance(0.3) ? dice.between(700, 1700) : dice.between(0, 70);
      const Index outputs = dice.between(1, 100);
      const Matrix x = dice.matrix(rows, inputs);
      const auto type = dice.pick<StoredType>({StoredType::F32, StoredType::BF16, StoredType::F16});
      const Stored w = random_weights(dice, type, dice.chance(0.5), inputs, outputs, 0, false);
      INFO(name_of(w.factor, rows, set));
      const std::size_t bytes = panel_bytes(type, inputs, outputs, set);
      std::vector<float> room(bytes / sizeof(float) + 1);
      room.back() = 7;
      char* const panels = reinterpret_cast<char*>(room.data());
      pack_stored_panels(w.factor, panels, set);
      CHECK(room.back() == 7);
      PackedRows packed(workspace, set);
      packed.take(x, PackedRows::Threads::One);
      Matrix around = Matrix::Constant(rows + 1, outputs + 1, std::numeric_limits<float>::quiet_NaN());
      multiply_panels(packed, {panels, type, inputs, outputs}, around.topLeftCorner(rows, outputs), workspace,
                      set);
      CHECK(around.row(rows).array().isNaN().all());
      CHECK(around.col(outputs).array().isNaN().all());
      const Matrix y = around.topLeftCorner(rows, outputs);
      CHECK(error_of(x, w.numbers, y) < static_cast<double>(inputs) + 1);
    }
}
