// Reads a .npy file from its beginning directly into the caller's memory. Only values in Fortran order need a
// second copy of all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/arrays/npy_header.h"

namespace headlight {

class NpyStream {
 public:
  // Reads up to `count` bytes into `target` and returns their number; fewer only at the end.
  using Read = std::function<std::size_t(char* target, std::size_t count)>;

  // size: of the whole file. most_numbers: the limit for the number of values. Reads the header. Throws
  // `Error` as parse_npy does, before the caller allocates memory for the values.
  NpyStream(Read read, std::uint64_t size, std::uint64_t most_numbers, std::string where);

  const std::vector<Index>& shape() const { return header_.shape; }
  // Reads the next `count` values, in C order. Throws `Error` when the file ends too early.
  void next(float* target, std::size_t count);
  // Throws `Error` when bytes follow the values; reading to the end makes the source verify its checksum.
  void finish();

 private:
  void read_bytes(char* target, std::size_t count);
  void decode(float* target, std::size_t count);

  Read read_;
  std::string where_;
  std::string head_;           // the bytes read together with the header
  std::size_t head_used_ = 0;  // bytes of head_ already consumed
  NpyHeader header_;
  ElementType type_;
  std::size_t decoded_ = 0;       // values so far
  std::vector<float> reordered_;  // all values of an array in Fortran order, converted to C order
  std::size_t reordered_used_ = 0;
  bool plain_ = false;  // float32 in this machine's byte order
};

}  // namespace headlight
