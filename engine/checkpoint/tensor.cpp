#include "engine/checkpoint/tensor.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "files of tensors are little-endian");

std::uint16_t bits_at(const char* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

// IEEE half precision. A multiplication rebiases the exponent, which also normalizes subnormal numbers;
// results of 65536 or above were infinity or NaN. There is no branch in the common case, so that compilers
// can vectorize this.
float float_from_half(std::uint16_t half) {
  constexpr float kExponentMoved = 0x1p112f;
  const float magnitude =
      std::bit_cast<float>(static_cast<std::uint32_t>(half & 0x7fffu) << 13) * kExponentMoved;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude);
  bits |= magnitude >= 65536.0f ? 0x7f800000u : 0u;
  return std::bit_cast<float>(bits | static_cast<std::uint32_t>(half & 0x8000u) << 16);
}

}  // namespace

const char* type_name(TensorType type) {
  switch (type) {
    case TensorType::F16:
      return "F16";
    case TensorType::BF16:
      return "BF16";
    case TensorType::F32:
      break;
  }
  return "F32";
}

void require_unchanged(const Tensor& tensor) {
  if (tensor.file) tensor.file->require_unchanged();
}

void read_numbers(const Tensor& tensor, Index first, Index count, float* to) {
  widen(tensor, first, count, to);
  require_unchanged(tensor);
}

void widen(const Tensor& tensor, Index first, Index count, float* to) {
  const auto size = static_cast<std::size_t>(tensor.type == TensorType::F32 ? 4 : 2);
  const char* const from = tensor.bytes.data() + static_cast<std::size_t>(first) * size;
  switch (tensor.type) {
    case TensorType::F32:
      std::memcpy(to, from, static_cast<std::size_t>(count) * size);
      return;
    case TensorType::F16:
      for (Index i = 0; i < count; ++i)
        to[i] = float_from_half(bits_at(from + 2 * i));
      return;
    case TensorType::BF16:
      for (Index i = 0; i < count; ++i)
        to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits_at(from + 2 * i)) << 16);
      return;
  }
}

const float* as_floats(const Tensor& tensor) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  return tensor.type == TensorType::F32 && aligned ? reinterpret_cast<const float*>(tensor.bytes.data())
                                                   : nullptr;
}

}  // namespace headlight
