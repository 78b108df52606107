// The header of a .npy file: a Python dictionary that describes the array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/array.h"
#include "engine/formats/element_type.h"

namespace headlight {

struct NpyHeader {
  ElementType type;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_offset = 0;  // where the values begin in the file
};

// bytes: the file from its first byte on. Throws Error.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

// The bytes before the values of a version 1.0 file: little-endian float32, C order.
std::string npy_header_bytes(const std::vector<Index>& shape);

}  // namespace headlight
