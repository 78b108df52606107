// The number types of array files and their conversion to float32.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

enum class ElementKind { Bool, Signed, Unsigned, Float, BFloat };

struct ElementType {
  ElementKind kind = ElementKind::Float;
  std::size_t size = 4;  // bytes: 1, 2, 4 or 8; for Float 2, 4 or 8; for BFloat 2
  bool big_endian = false;
};

// The size in bytes of an array of this shape in its file. Throws `Error` when that size, or the size as
// float32, exceeds `limit` or overflows.
std::uint64_t array_bytes(const std::vector<Index>& shape, const ElementType& type, std::uint64_t limit,
                          const std::string& where);

// bytes: a whole number of elements; `before` elements of the array precede them. Throws `Error` when a
// finite value does not fit into float32.
std::vector<float> decode_elements(std::string_view bytes, const ElementType& type, const std::string& where,
                                   std::size_t before = 0);

}  // namespace headlight
