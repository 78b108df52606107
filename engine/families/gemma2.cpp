#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/gemma_table.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

// Every second layer has the window, from the first on.
void read_gemma2(const ConfigFields& json, NetworkConfig& c) {
  read_gemma_scales(json, c);
  std::vector<bool> usual;
  for (Index i = 0; i < c.layers; ++i)
    usual.push_back(i % 2 == 0);
  set_windows(c, sliding_layers(json, c.layers, usual), json.size_if("sliding_window", kMostVocabulary));
}

}  // namespace

const Family& gemma2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gemma2";
    family.base = gemma_around_base();
    family.fields = gemma_fields("8192", "50", "30");
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.read = read_gemma2;
    family.needs =
        "norms around attention and MLP; softcaps of scores and logits; a window in every second layer";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
