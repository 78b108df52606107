#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig olmo2_base() {
  NetworkConfig c = llama_base();
  c.norm_place = NormPlace::Around;
  c.head_norms = HeadNorm::Whole;
  TensorNames& names = c.tensors;
  names.attention_norm = names.mlp_norm = "";
  names.attention_out_norm = "post_attention_layernorm";
  names.mlp_out_norm = "post_feedforward_layernorm";
  names.query_norm = "self_attn.q_norm";
  names.key_norm = "self_attn.k_norm";
  return c;
}

}  // namespace

const Family& olmo2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "olmo2";
    family.base = olmo2_base();
    family.fields = joined({usual_sizes("2048"),
                            llama_activation(),
                            rotary_fields(),
                            {{"head_dim", "null", &NetworkConfig::head_width},
                             {"num_key_value_heads", "null", &NetworkConfig::kv_heads},
                             {"rms_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "10000"},
                             {"attention_bias", "false"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_attention_bias;
    family.needs =
        "norms of what attention and MLP add alone; queries and keys normed over their whole width";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
