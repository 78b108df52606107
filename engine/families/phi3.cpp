#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig phi3_base() {
  NetworkConfig c = llama_base();
  c.tensors.qkv = QkvLayout::Blocks;
  c.tensors.fused = "self_attn.qkv_proj";
  c.tensors.gate_up = "mlp.gate_up_proj";
  return c;
}

}  // namespace

const Family& phi3_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "phi3";
    family.base = phi3_base();
    family.fields = joined({usual_sizes("4096"),
                            llama_activation(),
                            {{"head_dim", "null", &NetworkConfig::head_width},
                             {"num_key_value_heads", "null", &NetworkConfig::kv_heads},
                             {"rms_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "10000"},
                             {"rope_scaling", "null"},
                             {"rope_parameters", "null"},
                             {"original_max_position_embeddings", "4096"},
                             {"partial_rotary_factor", "1"},
                             {"sliding_window", "null"}}});
    family.limits = {{"attention_bias", {"null", "false"}, "biases of the projections"}};
    family.rotary.share = "partial_rotary_factor";
    family.read = window_in_all_layers;
    family.needs = "fused matrices; longrope, whose factors depend on the length of the text";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
