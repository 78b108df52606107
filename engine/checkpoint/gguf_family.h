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

// Without ".weight" or ".bias"; N stands for the layer. E in the library's name: the tensor in the file is a
// stack of several of the library's, along its first axis.
struct TensorName {
  std::string_view gguf, hub;
  TensorChange change = TensorChange::None;
  bool optional = false;
};

// Without the architecture: "block_count". A dot in the library's name: a member of a member of config.json.
struct SettingName {
  std::string_view gguf, hub;
  bool optional = false;
};

// A member of config.json whose value llama.cpp has in its program.
struct FixedMember {
  std::string_view hub, json;
};

struct GgufFamily {
  std::string_view architecture, model_type;
  std::vector<TensorName> tensors = {};
  std::vector<SettingName> settings = {};
  // A member of config.json that is true where the file has the tensor.
  std::vector<SettingName> flags = {};
  // Settings that are read elsewhere (gguf_config.cpp) or change nothing.
  std::vector<std::string_view> others = {};
  std::vector<FixedMember> fixed = {};
  // The member for the share of a head's numbers that turn; empty: all of them turn.
  std::string_view rotary_share = {};
  // Scores are scaled by the width of a head, but in the model of so many layers by the width of the stream;
  // 0: the family has no such scale.
  int largest_layers = 0;
  bool has_experts = false;
  bool has_head_width = true;  // in config.json; else heads share the width of the stream
};

// Of the families of that architecture the one that has experts or has none. Throws Error, naming the known
// ones, for another architecture.
const GgufFamily& gguf_family(const std::string& architecture, bool has_experts);

}  // namespace headlight
