// One tensor out of a .safetensors file: F16, BF16, F32, F64 and integers, as float32.
// Format: 8 bytes little-endian header length, JSON header, raw little-endian data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace headlight {

// Reads only the header and the tensor's own bytes. Throws Error on a malformed header, offsets that overlap,
// leave gaps or leave the file, an unknown type, or a name that is not there (the message names the nearest
// one).
NamedArray read_safetensors(const std::filesystem::path& path, const std::string& name);

// Every tensor in the order of their names, told from the header alone. Throws Error when the header is
// malformed or offsets overlap or leave gaps; what is wrong with one tensor is in its entry.
std::vector<ArrayEntry> list_safetensors(const std::filesystem::path& path);

// One tensor of a file by where its bytes lie, for those who map the file.
struct TensorPlace {
  std::string name;
  std::vector<Index> shape;
  std::string type;                  // "F32", "BF16"
  std::uint64_t begin = 0, end = 0;  // bytes of the file
};

// Every tensor, told from the header alone, with no limit to a tensor's size. Throws Error when the header is
// malformed, offsets overlap or leave the file, or a tensor's bytes are not those of its shape. Types that
// cannot be read are left to the caller.
std::vector<TensorPlace> list_tensor_places(const std::filesystem::path& path);

}  // namespace headlight
