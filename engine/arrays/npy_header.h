// The header of a .npy file: a Python dictionary that describes the array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/arrays/element_type.h"

namespace headlight {

struct NpyHeader {
  std::string descr;  // the type as the file writes it: "<f4"
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_offset = 0;  // where the values begin in the file
};

// No header that is read is longer, together with what stands before it.
inline constexpr std::size_t kMaxNpyHead = 12 + 65536;

// bytes: the file from its first byte on, as far as the values. Throws Error; the type may still be one that
// cannot be read.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

// The type that descr names. Throws Error when it cannot be read; of pickled objects with what to save
// instead.
ElementType npy_element_type(const NpyHeader& header, const std::string& where);

// How text lies in the file: fixed places of `length` characters, filled up with zeros.
struct NpyText {
  std::size_t length = 0;
  bool wide = false;  // four bytes a character (U), else one (S)
  bool big_endian = false;
};
// None for an array of numbers. Throws Error for a length that cannot be.
std::optional<NpyText> npy_text_type(const NpyHeader& header, const std::string& where);

// How many bytes the values or the text take in the file. Throws Error for a type that cannot be read, and
// when it exceeds `limit`.
std::uint64_t npy_data_bytes(const NpyHeader& header, std::uint64_t limit, const std::string& where);

// Each text in UTF-8, without the zeros behind it; bytes are taken to be UTF-8.
std::vector<std::string> npy_texts(std::string_view bytes, const NpyText& type, std::size_t count);

// Throws Error unless as many bytes follow the header as the values take.
void require_npy_data(std::uint64_t found, std::uint64_t expected, const NpyHeader& header,
                      const std::string& where);

// values: in Fortran order, the first index running fastest. Returns them in C order.
std::vector<float> npy_c_order(const std::vector<float>& values, const std::vector<Index>& shape);

// The bytes before the values of a version 1.0 file: little-endian float32 or another type, C order.
std::string npy_header_bytes(const std::vector<Index>& shape, const std::string& descr = "<f4");

}  // namespace headlight
