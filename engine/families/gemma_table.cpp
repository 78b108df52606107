#include "engine/families/gemma_table.h"

#include <cmath>

namespace headlight {

NetworkConfig gemma_around_base() {
  NetworkConfig c = llama_base();
  c.norm = NormKind::RmsPlusOne;
  c.norm_place = NormPlace::Around;
  TensorNames& names = c.tensors;
  names.attention_out_norm = "post_attention_layernorm";
  names.mlp_norm = "pre_feedforward_layernorm";
  names.mlp_out_norm = "post_feedforward_layernorm";
  return c;
}

ConfigFieldList gemma_fields(std::string_view positions, std::string_view softcap,
                             std::string_view final_softcap) {
  using C = NetworkConfig;
  return llama_fields(positions, "4", "256",
                      {{"hidden_activation", "\"gelu_pytorch_tanh\"", &C::activation},
                       {"tie_word_embeddings", "true", &C::tied},
                       {"rms_norm_eps", "1e-6", &C::epsilon},
                       {"attention_bias", "false"},
                       {"query_pre_attn_scalar", "256"},
                       {"sliding_window", "4096"},
                       {"layer_types", "null"},
                       {"final_logit_softcapping", final_softcap, &C::final_softcap},
                       {"attn_logit_softcapping", softcap, &C::softcap}});
}

void read_gemma_scales(const ConfigFields& json, NetworkConfig& c) {
  read_attention_bias(json, c);
  c.scale = {ScaleKind::Number, 1 / std::sqrt(json.number("query_pre_attn_scalar"))};
  c.embedding_factor = std::sqrt(static_cast<double>(c.width));
}

}  // namespace headlight
