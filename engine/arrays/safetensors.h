// Reads tensors of a .safetensors file: F64, F32, F16, BF16, integers and BOOL, as float32.
// Format: 8 bytes little-endian header length, JSON header, raw little-endian data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/core/file.h"

namespace headlight {

// Reads only the header and the tensor's own bytes. Throws `Error` on a malformed header, offsets that
// overlap, leave gaps or exceed the file, an unknown type, or an unknown name (the message gives the nearest
// one).
NamedArray read_safetensors(const std::filesystem::path& path, const std::string& name);

// Every tensor, sorted by name, from the header alone. Throws `Error` when the header is malformed or offsets
// overlap or leave gaps; an error in one tensor is stored in its entry.
std::vector<ArrayEntry> list_safetensors(const std::filesystem::path& path);

// The location of a tensor's bytes, for callers that map the file.
struct TensorPlace {
  std::string name;
  std::vector<Index> shape;
  std::string type;                  // "F32", "BF16"
  std::uint64_t begin = 0, end = 0;  // byte range in the file
};

// Every tensor, from the header alone, without a limit on a tensor's size. Throws `Error` when the header is
// malformed, offsets overlap, leave gaps or exceed the file, or a tensor's bytes do not match its shape.
// Types that cannot be read are not an error here. metadata: receives the texts of the file's metadata.
std::vector<TensorPlace> list_tensor_places(const std::filesystem::path& path,
                                            std::map<std::string, std::string>* metadata = nullptr);

// A tensor to write; `values` must live until it is written.
struct TensorValues {
  std::string name;
  std::vector<Index> shape;
  const float* values = nullptr;  // as many as the product of shape
};
enum class SavedFloat { F32, F16 };
// Writes them in this order, as the format's own library does: with the metadata {"format": "pt"} that
// transformers expects. F16 rounds to the nearest number. The caller commits the file. Throws `Error` as
// AtomicFile does, and for a number that F16 cannot hold.
void write_safetensors(const std::vector<TensorValues>& tensors, SavedFloat type, AtomicFile& file);

}  // namespace headlight
