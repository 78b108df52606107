#include "engine/checkpoint/tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/checkpoint/half.h"
#include "engine/checkpoint/quantized_blocks.h"

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "files of tensors are little-endian");

std::uint16_t bits_at(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

// Calls part(number of the matrix, how many, where they are stored) for numbers [first, first + count): one
// call for all of them in plain order, else one for each row.
template <class Part>
void for_each_stored_part(const Tensor& tensor, Index first, Index count, Part part) {
  if (tensor.order.is_plain()) return part(first, count, first);
  const Index columns = tensor.columns();
  for (Index at = first, end = first + count; at < end;) {
    const Index row = at / columns, column = at % columns, here = std::min(end - at, columns - column);
    part(at, here, tensor.order.stored(row) * columns + column);
    at += here;
  }
}

void widen_plainly(const Tensor& tensor, Index first, Index count, float* to) {
  if (block_numbers(tensor.type) > 1) return widen_blocks(tensor.type, tensor.bytes, first, count, to);
  const auto size = static_cast<std::size_t>(block_bytes(tensor.type));
  const char* const from = tensor.bytes.data() + static_cast<std::size_t>(first) * size;
  if (tensor.type == TensorType::F32) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * size);
  } else if (tensor.type == TensorType::F16) {
    for (Index i = 0; i < count; ++i)
      to[i] = float_from_half(bits_at(from + 2 * i));
  } else {
    for (Index i = 0; i < count; ++i)
      to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(from + 2 * i)) << 16);
  }
}

// Numbers of rows [top, top + rows) and columns [left, left + columns) of a turned tensor.
void widen_turned(const Tensor& tensor, Index top, Index rows, Index left, Index columns, float* to) {
  std::vector<float> line(static_cast<std::size_t>(rows));
  for (Index column = 0; column < columns; ++column) {
    widen_plainly(tensor, (left + column) * tensor.rows() + top, rows, line.data());
    for (Index row = 0; row < rows; ++row)
      to[row * columns + column] = line[static_cast<std::size_t>(row)];
  }
}

struct TypeFacts {
  TensorType type;
  const char* name;
  Index numbers;  // of a block
  std::uint64_t bytes;
};
constexpr std::array kTypes = {
    TypeFacts{TensorType::F32, "F32", 1, 4},      TypeFacts{TensorType::F16, "F16", 1, 2},
    TypeFacts{TensorType::BF16, "BF16", 1, 2},    TypeFacts{TensorType::Q8_0, "Q8_0", 32, 34},
    TypeFacts{TensorType::Q4_0, "Q4_0", 32, 18},  TypeFacts{TensorType::Q4_K, "Q4_K", 256, 144},
    TypeFacts{TensorType::Q6_K, "Q6_K", 256, 210}};

const TypeFacts& facts_of(TensorType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

const char* type_name(TensorType type) {
  return facts_of(type).name;
}

Index block_numbers(TensorType type) {
  return facts_of(type).numbers;
}

std::uint64_t block_bytes(TensorType type) {
  return facts_of(type).bytes;
}

void require_unchanged(const Tensor& tensor) {
  if (tensor.file) tensor.file->require_unchanged();
}

void read_numbers(const Tensor& tensor, Index first, Index count, float* to) {
  widen(tensor, first, count, to);
  require_unchanged(tensor);
}

void widen_stored(const Tensor& tensor, Index first, Index count, float* to) {
  for_each_stored_part(tensor, first, count, [&](Index at, Index here, Index stored) {
    widen_plainly(tensor, stored, here, to + (at - first));
  });
}

void widen(const Tensor& tensor, Index first, Index count, float* to) {
  if (!tensor.turned) return widen_stored(tensor, first, count, to);
  const Index columns = tensor.columns();
  while (count > 0) {  // whole rows together, and parts of the first and the last row
    const Index row = first / columns, column = first % columns;
    const bool whole = column == 0 && count >= columns;
    const Index rows = whole ? count / columns : 1,
                wide = whole ? columns : std::min(count, columns - column);
    widen_turned(tensor, row, rows, column, wide, to);
    first += rows * wide;
    to += rows * wide;
    count -= rows * wide;
  }
}

const float* as_floats(const Tensor& tensor) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  return tensor.type == TensorType::F32 && aligned && tensor.order.is_plain()
             ? reinterpret_cast<const float*>(tensor.bytes.data())
             : nullptr;
}

}  // namespace headlight
