// The container GGUF, versions 2 and 3 (github.com/ggml-org/ggml, docs/gguf.md): metadata by key, a list of
// tensors, then their bytes. Little-endian.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/checkpoint/tensor.h"

namespace headlight {

// Numbers of all widths are one of two kinds; a list of truth values is one of 0 and 1. A float32 is the
// float64 with the same shortest text, so that 1e-6 is 1e-6.
using GgufValue =
    std::variant<std::int64_t, double, bool, std::string, std::vector<double>, std::vector<std::string>>;

class GgufMetadata {
 public:
  // Throws Error if the key is there already.
  void add(const std::string& key, GgufValue value);

  bool has(const std::string& key) const { return values_.contains(key); }
  std::vector<std::string> keys() const;
  // nullopt or null if the key is missing. Throws Error, with the key as its place, for a value of another
  // kind; whole_if also for a number outside low to high.
  std::optional<std::int64_t> whole_if(const std::string& key, std::int64_t low, std::int64_t high) const;
  std::optional<double> number_if(const std::string& key) const;  // finite
  std::optional<bool> flag_if(const std::string& key) const;
  const std::string* text_if(const std::string& key) const;
  const std::vector<double>* numbers_if(const std::string& key) const;
  const std::vector<std::string>* texts_if(const std::string& key) const;

 private:
  const GgufValue* find(const std::string& key) const;

  std::map<std::string, GgufValue> values_;
};

struct GgufTensor {
  std::string name;
  std::vector<Index> shape;  // row-major: the file's sizes in reverse
  TensorType type = TensorType::F32;
  std::uint64_t begin = 0, end = 0;  // in the file
};

struct GgufFile {
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // in the file's order
};

// Reads the metadata and the list of tensors. Throws Error, without a place or with a key or a tensor as its
// place, if the file is cut or malformed; of another version or byte order; part of a split set; if a tensor
// is of a type that is not computed here, lies outside the file, is not aligned, overlaps another one, or has
// the name of another one; Stopped.
GgufFile read_gguf(std::string_view bytes);

}  // namespace headlight
