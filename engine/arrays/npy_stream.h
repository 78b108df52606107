// A .npy file read from its beginning on, straight to where its values are to lie: it takes no memory beside
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/arrays/npy_header.h"

namespace headlight {

class NpyStream {
 public:
  // Up to `count` bytes into `target`; fewer only at the end.
  using Read = std::function<std::size_t(char* target, std::size_t count)>;

  // size: of the whole file. most_numbers: what may be read at most. Reads the header. Throws Error as
  // parse_npy does, before there is anything to fill.
  NpyStream(Read read, std::uint64_t size, std::uint64_t most_numbers, std::string where);

  const std::vector<Index>& shape() const { return header_.shape; }
  // The next `count` values, in C order. Throws Error when the file ends too early.
  void next(float* target, std::size_t count);
  // Throws Error when bytes follow the values; a checksum at the end is looked at.
  void finish();

 private:
  void read_bytes(char* target, std::size_t count);
  void decode(float* target, std::size_t count);

  Read read_;
  std::string where_;
  std::string head_;           // read together with the header
  std::size_t head_used_ = 0;  // of it
  NpyHeader header_;
  ElementType type_;
  std::size_t decoded_ = 0;       // values so far
  std::vector<float> reordered_;  // all values of an array in Fortran order
  std::size_t reordered_used_ = 0;
  bool plain_ = false;  // float32 as it lies in memory
};

}  // namespace headlight
