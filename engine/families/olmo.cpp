#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig olmo_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::Layer;
  c.norm_weights = false;
  c.epsilon = 1e-5;
  return c;
}

void read_olmo(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  c.clip = json.number_if("clip_qkv").value_or(0);
}

}  // namespace

const Family& olmo_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "olmo";
    family.base = olmo_base();
    family.fields = joined({usual_sizes("2048"),
                            llama_activation(),
                            rotary_fields(),
                            {{"head_dim", "null", &NetworkConfig::head_width},
                             {"num_key_value_heads", "null", &NetworkConfig::kv_heads},
                             {"rope_theta", "10000"},
                             {"attention_bias", "false"},
                             {"clip_qkv", "null"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_olmo;
    family.needs = "norms without weights; queries, keys and values cut off";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
