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
  std::size_t data_offset = 0;  // of the values in the file, in bytes
};

// The longest header that is read, including the bytes before its text.
inline constexpr std::size_t kMaxNpyHead = 12 + 65536;

// bytes: the file from its first byte, at least up to the values. Throws `Error`; the type may still be one
// that is not supported.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& where);

// The type that descr names. Throws `Error` when it is not supported; for pickled objects the hint names what
// to save instead.
ElementType npy_element_type(const NpyHeader& header, const std::string& where);

// The layout of text in the file: fixed fields of `length` characters, padded with zeros.
struct NpyText {
  std::size_t length = 0;
  bool wide = false;  // four bytes per character (U), else one (S)
  bool big_endian = false;
};
// Empty for an array of numbers. Throws `Error` for a malformed length or one above 2^20.
std::optional<NpyText> npy_text_type(const NpyHeader& header, const std::string& where);

// The size in bytes of the values or the text in the file. Throws `Error` for an unsupported type, when the
// size exceeds `limit`, and for more than 2^20 texts.
std::uint64_t npy_data_bytes(const NpyHeader& header, std::uint64_t limit, const std::string& where);

// Each text in UTF-8, without trailing zeros; the bytes of type S are assumed to be UTF-8.
std::vector<std::string> npy_texts(std::string_view bytes, const NpyText& type, std::size_t count);

// Throws `Error` unless `found`, the number of bytes after the header, equals `expected`.
void require_npy_data(std::uint64_t found, std::uint64_t expected, const NpyHeader& header,
                      const std::string& where);

// values: in Fortran order, the first index running fastest. Returns them in C order.
std::vector<float> npy_c_order(const std::vector<float>& values, const std::vector<Index>& shape);

// The bytes before the values of a version 1.0 file, in C order; by default of little-endian float32.
std::string npy_header_bytes(const std::vector<Index>& shape, const std::string& descr = "<f4");

}  // namespace headlight
