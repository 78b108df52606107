#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

const Family& llama_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "llama";
    family.base = llama_base();
    family.fields = llama_fields("2048", "null", "null",
                                 joined({llama_activation(),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"attention_bias", "false"},
                                          {"mlp_bias", "false", &NetworkConfig::mlp_bias}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_attention_bias;
    family.needs = "norms by the root mean square, rotary positions, a gated MLP, grouped keys and values";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
