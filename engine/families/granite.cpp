#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"

namespace headlight {

namespace {

void read_granite(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  c.scale = {ScaleKind::Number, json.number("attention_multiplier")};
  c.logit_factor = 1 / json.number("logits_scaling");
}

}  // namespace

const Family& granite_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "granite";
    family.base = llama_base();
    family.fields = llama_fields("2048", "null", "null",
                                 joined({llama_activation(),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"attention_bias", "false"},
                                          {"mlp_bias", "false", &NetworkConfig::mlp_bias},
                                          {"attention_multiplier", "1"},
                                          {"embedding_multiplier", "1", &NetworkConfig::embedding_factor},
                                          {"residual_multiplier", "1", &NetworkConfig::residual_factor},
                                          {"logits_scaling", "1"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_granite;
    family.needs = "factors of scores, embeddings, what is added to the stream, and logits";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
