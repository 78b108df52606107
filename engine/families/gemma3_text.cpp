#include "engine/families/llamas.h"

#include "engine/architecture/config_windows.h"
#include "engine/families/gemma_table.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig gemma3_base() {
  NetworkConfig c = gemma_around_base();
  c.head_norms = HeadNorm::Heads;
  c.tensors.query_norm = "self_attn.q_norm";
  c.tensors.key_norm = "self_attn.k_norm";
  return c;
}

// All layers have the window but every sliding_window_pattern-th.
void read_gemma3(const ConfigFields& json, NetworkConfig& c) {
  read_gemma_scales(json, c);
  const Index pattern = json.size("sliding_window_pattern", kMostLayers);
  std::vector<bool> usual;
  for (Index i = 0; i < c.layers; ++i)
    usual.push_back((i + 1) % pattern != 0);
  set_windows(c, sliding_layers(json, c.layers, usual), json.size_if("sliding_window", kMostVocabulary));
}

}  // namespace

const Family& gemma3_text_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gemma3_text";
    family.base = gemma3_base();
    family.fields = joined({gemma_fields("131072", "null", "null"),
                            {{"sliding_window_pattern", "6", {}, "_sliding_window_pattern"},
                             {"rope_local_base_freq", "10000"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    for (ConfigField& field : family.fields)
      if (field.name == "rope_theta") field.missing = "1000000";
    // The library has the member and does not use it.
    std::erase_if(family.fields,
                  [](const ConfigField& field) { return field.name == "attn_logit_softcapping"; });
    family.limits.push_back({"attn_logit_softcapping", {"null"}, "a softcap of the scores"});
    family.rotary.local_theta = "rope_local_base_freq";
    family.read = read_gemma3;
    family.needs = "norms of queries and keys; layers with a window turn by another theta";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
