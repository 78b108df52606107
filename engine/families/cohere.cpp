#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig cohere_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::Layer;
  c.norm_bias = false;
  c.parallel = true;
  c.position.pairs = RotaryPairs::Neighbours;
  c.tensors.mlp_norm = c.tensors.attention_norm;
  return c;
}

void read_cohere(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  if (!json.flag("use_qk_norm")) return;
  c.head_norms = HeadNorm::EachHead;
  c.tensors.query_norm = "self_attn.q_norm";
  c.tensors.key_norm = "self_attn.k_norm";
}

}  // namespace

const Family& cohere_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "cohere";
    family.base = cohere_base();
    family.fields = joined({usual_sizes("8192"),
                            llama_activation("true"),
                            rotary_fields(),
                            {{"head_dim", "null", &NetworkConfig::head_width},
                             {"num_key_value_heads", "null", &NetworkConfig::kv_heads},
                             {"layer_norm_eps", "1e-5", &NetworkConfig::epsilon},
                             {"rope_theta", "10000"},
                             {"attention_bias", "false"},
                             {"use_qk_norm", "false"},
                             {"logit_scale", "0.0625", &NetworkConfig::logit_factor}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_cohere;
    family.needs =
        "attention and MLP beside each other behind one norm without bias; neighbouring pairs; logits times "
        "a factor";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
