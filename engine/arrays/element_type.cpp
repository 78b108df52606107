#include "engine/arrays/element_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

template <class T>
T load(const char* at, bool swap) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof(T));
  if (swap) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// IEEE half precision: 1 sign, 5 exponent, 10 fraction bits.
float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {  // zero and subnormals: fraction x 2^-24, exact in float32
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 0xffu : exponent + 112u;  // 31: infinity, NaN
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float float_from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float float_from_double(double value, std::size_t index, const std::string& where) {
  // The lowest number of its type, as additive masks contain it, becomes the lowest float32.
  if (value == std::numeric_limits<double>::lowest()) return std::numeric_limits<float>::lowest();
  const float narrow = static_cast<float>(value);
  if (std::isfinite(value) && !std::isfinite(narrow))
    throw Error("value " + std::to_string(index + 1) + " is too large for float32", where,
                "values stay below 3.4e38 in size: rescale the array");
  return narrow;
}

template <class T, class Convert>
void decode(std::string_view bytes, bool swap, std::vector<float>& values, Convert convert) {
  constexpr std::size_t kStretch = 1 << 16;  // elements between two calls of throw_if_stopped
  for (std::size_t begin = 0; begin < values.size(); begin += kStretch) {
    throw_if_stopped();
    const std::size_t end = std::min(begin + kStretch, values.size());
    for (std::size_t i = begin; i < end; ++i)
      values[i] = convert(load<T>(bytes.data() + i * sizeof(T), swap));
  }
}

template <class T>
void decode_integers(std::string_view bytes, bool swap, std::vector<float>& values) {
  decode<T>(bytes, swap, values, [](T value) { return static_cast<float>(value); });
}

void decode_signed(std::string_view bytes, std::size_t size, bool swap, std::vector<float>& values) {
  if (size == 1) decode_integers<std::int8_t>(bytes, swap, values);
  if (size == 2) decode_integers<std::int16_t>(bytes, swap, values);
  if (size == 4) decode_integers<std::int32_t>(bytes, swap, values);
  if (size == 8) decode_integers<std::int64_t>(bytes, swap, values);
}

void decode_unsigned(std::string_view bytes, std::size_t size, bool swap, std::vector<float>& values) {
  if (size == 1) decode_integers<std::uint8_t>(bytes, swap, values);
  if (size == 2) decode_integers<std::uint16_t>(bytes, swap, values);
  if (size == 4) decode_integers<std::uint32_t>(bytes, swap, values);
  if (size == 8) decode_integers<std::uint64_t>(bytes, swap, values);
}

}  // namespace

std::string shape_text(const std::vector<Index>& shape) {
  if (shape.empty()) return "a single number";
  std::string text;
  for (Index size : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

std::uint64_t array_bytes(const std::vector<Index>& shape, const ElementType& type, std::uint64_t limit,
                          const std::string& where) {
  const std::uint64_t most = limit / std::max(type.size, sizeof(float));
  std::uint64_t count = 1;
  bool too_large = false;
  for (Index size : shape) {
    if (size == 0) return 0;
    // Divide instead of multiplying: the product of an absurd shape overflows.
    if (too_large || count > most / static_cast<std::uint64_t>(size))
      too_large = true;
    else
      count *= static_cast<std::uint64_t>(size);
  }
  if (too_large)
    throw Error(
        "an array of shape " + shape_text(shape) + " is larger than " + std::to_string(limit) + " bytes",
        where, "the file is damaged, or the array is too large to be opened here: save a part of it");
  return count * type.size;
}

std::vector<float> decode_elements(std::string_view bytes, const ElementType& type, const std::string& where,
                                   std::size_t before) {
  std::vector<float> values(bytes.size() / type.size);
  const bool swap = type.big_endian != (std::endian::native == std::endian::big);
  switch (type.kind) {
    case ElementKind::Bool:
      decode<std::uint8_t>(bytes, swap, values, [](std::uint8_t value) { return value != 0 ? 1.0f : 0.0f; });
      break;
    case ElementKind::Signed:
      decode_signed(bytes, type.size, swap, values);
      break;
    case ElementKind::Unsigned:
      decode_unsigned(bytes, type.size, swap, values);
      break;
    case ElementKind::BFloat:
      decode<std::uint16_t>(bytes, swap, values, float_from_bfloat);
      break;
    case ElementKind::Float:
      if (type.size == 2) decode<std::uint16_t>(bytes, swap, values, float_from_half);
      if (type.size == 4) decode<float>(bytes, swap, values, [](float value) { return value; });
      if (type.size == 8) {
        std::size_t index = before;
        decode<double>(bytes, swap, values,
                       [&](double value) { return float_from_double(value, index++, where); });
      }
      break;
  }
  return values;
}

}  // namespace headlight
