#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/llama_table.h"

namespace headlight {

const Family& mistral_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "mistral";
    family.base = llama_base();
    family.fields = llama_fields(
        "131072", "8", "null",
        joined({llama_activation(),
                {{"rms_norm_eps", "1e-6", &NetworkConfig::epsilon}, {"sliding_window", "4096"}}}));
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = window_in_all_layers;
    family.needs = "a window in every layer";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
