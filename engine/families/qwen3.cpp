#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"
#include "engine/families/qwen_windows.h"

namespace headlight {

namespace {

NetworkConfig qwen3_base() {
  NetworkConfig c = llama_base();
  c.head_norms = HeadNorm::Heads;
  c.tensors.query_norm = "self_attn.q_norm";
  c.tensors.key_norm = "self_attn.k_norm";
  return c;
}

void read_qwen3(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  read_qwen_windows(json, c);
}

}  // namespace

const Family& qwen3_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "qwen3";
    family.base = qwen3_base();
    family.fields = llama_fields("32768", "32", "128",
                                 joined({llama_activation(),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"use_sliding_window", "false"},
                                          {"sliding_window", "4096"},
                                          {"max_window_layers", "28"},
                                          {"layer_types", "null"},
                                          {"attention_bias", "false"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_qwen3;
    family.needs = "norms of the queries and keys of each head";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
