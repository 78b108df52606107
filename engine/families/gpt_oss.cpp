#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig gpt_oss_base() {
  NetworkConfig c = llama_base();
  c.experts.clamped = true;
  TensorNames& names = c.tensors;
  names.sinks = "self_attn.sinks";
  names.router = "mlp.router";
  names.packed_gate_up = "mlp.experts.gate_up_proj";
  names.packed_down = "mlp.experts.down_proj";
  return c;
}

// Every second layer has the window, from the first on.
void read_gpt_oss(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  c.experts.count = json.size("num_local_experts", kMostExperts);
  c.experts.chosen = json.size("num_experts_per_tok", kMostExperts);
  c.experts.width = c.mlp_width;
  std::vector<bool> usual;
  for (Index i = 0; i < c.layers; ++i)
    usual.push_back(i % 2 == 0);
  set_windows(c, sliding_layers(json, c.layers, usual), json.size_if("sliding_window", kMostVocabulary));
}

}  // namespace

const Family& gpt_oss_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt_oss";
    family.base = gpt_oss_base();
    family.fields = joined({usual_sizes("131072"),
                            rotary_fields(),
                            {{"tie_word_embeddings", "false", &NetworkConfig::tied},
                             {"num_key_value_heads", "8", &NetworkConfig::kv_heads},
                             {"head_dim", "64", &NetworkConfig::head_width},
                             {"rms_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "150000"},
                             {"attention_bias", "true"},
                             {"sliding_window", "128"},
                             {"layer_types", "null"},
                             {"num_local_experts", "128", {}, "num_experts"},
                             {"num_experts_per_tok", "4", {}, "experts_per_token"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"},
                     {"hidden_act", {"null", "\"silu\""}, "another activation"},
                     {"swiglu_limit", {"null", "7"}, "another limit of the activation"}};
    family.idle = {"initial_context_length"};
    family.read = read_gpt_oss;
    family.needs =
        "sinks in the softmax; experts with a limited activation, packed in one tensor; windows in every "
        "second layer";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
