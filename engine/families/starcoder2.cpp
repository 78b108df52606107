#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig starcoder2_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::Layer;
  c.gated = false;
  c.tensors.gate = "";
  c.tensors.up = "mlp.c_fc";
  c.tensors.down = "mlp.c_proj";
  return c;
}

void read_starcoder2(const ConfigFields& json, NetworkConfig& c) {
  c.qkv_bias = c.output_bias = c.mlp_bias = json.flag("use_bias");
  window_in_all_layers(json, c);
}

}  // namespace

const Family& starcoder2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "starcoder2";
    family.base = starcoder2_base();
    family.fields = joined({usual_sizes("4096"),
                            rotary_fields(),
                            {{"hidden_act", "\"gelu_pytorch_tanh\"", &NetworkConfig::activation},
                             {"tie_word_embeddings", "true", &NetworkConfig::tied},
                             {"head_dim", "null", &NetworkConfig::head_width},
                             {"num_key_value_heads", "2", &NetworkConfig::kv_heads},
                             {"norm_epsilon", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "10000"},
                             {"use_bias", "true"},
                             {"sliding_window", "null"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_starcoder2;
    family.idle = {"attention_softmax_in_fp32",
                   "scale_attention_softmax_in_fp32",
                   "scale_attn_weights",
                   "mlp_type",
                   "norm_type",
                   "activation_function"};
    family.needs = "an MLP without a gate between rotary layers";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
