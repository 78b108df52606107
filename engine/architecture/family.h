// A family of whole models as data: which members of config.json it reads, what its architecture is, and how
// its tensors are called. One computation serves all families (engine/network).
#pragma once

#include <string_view>
#include <vector>

#include "engine/architecture/config_fields.h"
#include "engine/architecture/network_config.h"

namespace headlight {

// Members with the rotary positions' numbers; an empty one: the family has no such member.
struct RotaryMembers {
  std::string_view theta = "rope_theta", other_theta = {};  // the second one is for the same number
  std::string_view share = {}, other_share = {};            // of a head's numbers that turn
  std::string_view local_theta = {};  // of layers with a window; null: that of the others
};

struct Family {
  std::string_view name;                               // model_type
  std::string_view saved_by = "AutoModelForCausalLM";  // the library's class that saves such a model
  // What does not depend on config.json.
  NetworkConfig base = {};
  std::vector<ConfigField> fields = {};
  // Members that demand another computation at any value but these, beside those of all families
  // (config_fields.cpp), which do not limit what the family reads.
  std::vector<ConfigLimit> limits = {};
  // Members that change nothing in this family, beside those of is_idle_field().
  std::vector<std::string_view> idle = {};
  RotaryMembers rotary = {};
  // Reads what no target of a field states; the sizes are set. Null: nothing.
  void (*read)(const ConfigFields& json, NetworkConfig& c) = nullptr;
  // For the manual: what the family needed beside GPT-2's or Llama's computation.
  std::string_view needs = {};
};

// The architecture of the model that a config.json of this family describes. Throws Error if a size is
// missing or out of range, if members are inconsistent, if weights are quantized, or if a member demands a
// computation that is not supported.
NetworkConfig config_of(const Family& family, const Json& document);

}  // namespace headlight
