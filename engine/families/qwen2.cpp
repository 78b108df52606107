#include "engine/families/llamas.h"

#include "engine/families/llama_table.h"
#include "engine/families/qwen_windows.h"

namespace headlight {

namespace {

NetworkConfig qwen2_base() {
  NetworkConfig c = llama_base();
  c.qkv_bias = true;
  return c;
}

}  // namespace

const Family& qwen2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "qwen2";
    family.base = qwen2_base();
    family.fields = llama_fields("32768", "32", "null",
                                 joined({llama_activation(),
                                         {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                          {"use_sliding_window", "false"},
                                          {"sliding_window", "4096"},
                                          {"max_window_layers", "28"},
                                          {"layer_types", "null"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_qwen_windows;
    family.needs = "biases of queries, keys and values; windows from a layer on";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
