#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig stablelm_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::Layer;
  return c;
}

void read_stablelm(const ConfigFields& json, NetworkConfig& c) {
  if (c.parallel) c.tensors.mlp_norm = c.tensors.attention_norm;
  if (!json.flag("qk_layernorm")) return;
  c.head_norms = HeadNorm::EachHead;
  c.tensors.query_norm = "self_attn.q_layernorm.norms.#";
  c.tensors.key_norm = "self_attn.k_layernorm.norms.#";
}

}  // namespace

const Family& stablelm_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "stablelm";
    family.base = stablelm_base();
    family.fields = joined({usual_sizes("4096"),
                            llama_activation(),
                            rotary_fields(),
                            {{"num_key_value_heads", "32", &NetworkConfig::kv_heads},
                             {"layer_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "10000"},
                             {"partial_rotary_factor", "0.25"},
                             {"use_qkv_bias", "false", &NetworkConfig::qkv_bias},
                             {"use_parallel_residual", "false", &NetworkConfig::parallel},
                             {"qk_layernorm", "false"}}});
    family.rotary.share = "partial_rotary_factor";
    family.read = read_stablelm;
    family.needs =
        "a share of each head turns; norms of queries and keys with weights for each head; a parallel form";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
