#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig mixtral_base() {
  NetworkConfig c = llama_base();
  c.epsilon = 1e-5;
  TensorNames& names = c.tensors;
  names.router = "block_sparse_moe.gate";
  names.expert = "block_sparse_moe.experts.#.";
  names.expert_gate = "w1";
  names.expert_up = "w3";
  names.expert_down = "w2";
  return c;
}

void read_mixtral(const ConfigFields& json, NetworkConfig& c) {
  c.experts.count = json.size("num_local_experts", kMostExperts);
  c.experts.chosen = json.size("num_experts_per_tok", kMostExperts);
  c.experts.width = c.mlp_width;
  window_in_all_layers(json, c);
}

}  // namespace

const Family& mixtral_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "mixtral";
    family.base = mixtral_base();
    family.fields = joined({llama_activation(),
                            usual_sizes("131072"),
                            rotary_fields(),
                            {{"num_key_value_heads", "8", &NetworkConfig::kv_heads},
                             {"head_dim", "null", &NetworkConfig::head_width},
                             {"rope_theta", "1e6"},
                             {"rms_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"sliding_window", "null"},
                             {"num_local_experts", "8"},
                             {"num_experts_per_tok", "2"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_mixtral;
    family.needs = "experts in the place of the MLP, whose shares sum to 1";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
