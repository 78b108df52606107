// The architectures of GGUF files that are known, each as one table: which family of the hub's library it is,
// how its tensors and settings are called there, and what the converter of llama.cpp has changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// How the tensor in the file differs from the library's.
enum class TensorChange {
  None,
  QueryPairs,  // within each head, the two numbers that a rotary position turns are neighbours
  KeyPairs,    // the same in the heads of keys
  FusedHeads,  // all queries, then all keys, then all values; in the library head by head
  Turned,      // transposed
  PlusOne      // 1 is added to a norm's weights
};

struct TensorName {
  std::string_view gguf, hub;  // without ".weight" or ".bias"; N stands for the layer
  TensorChange change = TensorChange::None;
  bool optional = false;
};

struct SettingName {
  std::string_view gguf, hub;  // without the architecture: "block_count"
  bool optional = false;
};

struct GgufFamily {
  std::string_view architecture, model_type;
  std::vector<TensorName> tensors;
  std::vector<SettingName> settings;
  // A member of config.json that is true where the file has the tensor.
  std::vector<SettingName> flags = {};
  // Settings that are read elsewhere (gguf_config.cpp) or change nothing.
  std::vector<std::string_view> others = {};
};

// Throws Error, naming the known ones, for another architecture.
const GgufFamily& gguf_family(const std::string& architecture);

}  // namespace headlight
