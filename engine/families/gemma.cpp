#include "engine/families/llamas.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/families/llama_table.h"

namespace headlight {

namespace {

NetworkConfig gemma_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::RmsPlusOne;
  return c;
}

void read_gemma(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  c.embedding_factor = std::sqrt(static_cast<double>(c.width));
  const Json* other = json.find("hidden_activation");
  if (other && json.activation("hidden_activation") != c.activation)
    throw Error("it is " + other->dump() +
                    ", but hidden_act is another activation: versions of the library "
                    "take the one or the other",
                "hidden_activation", "keep the one that is meant, or let both be the same");
}

}  // namespace

const Family& gemma_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gemma";
    family.base = gemma_base();
    family.fields = llama_fields("8192", "16", "256",
                                 {{"hidden_activation", "null"},
                                  {"hidden_act", "\"gelu_pytorch_tanh\"", &NetworkConfig::activation},
                                  {"tie_word_embeddings", "true", &NetworkConfig::tied},
                                  {"rms_norm_eps", "1e-6", &NetworkConfig::epsilon},
                                  {"attention_bias", "false"}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.idle = {"layer_types"};
    family.read = read_gemma;
    family.needs = "norms that multiply by 1 + w; embeddings times √d";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
