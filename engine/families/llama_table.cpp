#include "engine/families/llama_table.h"

namespace headlight {

NetworkConfig llama_base() {
  NetworkConfig c;
  c.norm = NormKind::Rms;
  c.gated = true;
  c.position.kind = PositionKind::Rotary;
  c.tensors = llama_tensors();
  return c;
}

TensorNames llama_tensors() {
  TensorNames names;
  names.prefixes = {"model.", ""};
  names.tokens = "embed_tokens";
  names.layer = "layers.#.";
  names.attention_norm = "input_layernorm";
  names.mlp_norm = "post_attention_layernorm";
  names.query = "self_attn.q_proj";
  names.key = "self_attn.k_proj";
  names.value = "self_attn.v_proj";
  names.output = "self_attn.o_proj";
  names.gate = "mlp.gate_proj";
  names.up = "mlp.up_proj";
  names.down = "mlp.down_proj";
  names.final_norm = "norm";
  return names;
}

ConfigFieldList llama_fields(std::string_view positions, std::string_view kv_heads,
                             std::string_view head_width, const ConfigFieldList& more) {
  using C = NetworkConfig;
  return joined({usual_sizes(positions),
                 rotary_fields(),
                 {{"num_key_value_heads", kv_heads, &C::kv_heads},
                  {"head_dim", head_width, &C::head_width},
                  {"rope_theta", "10000"}},
                 more});
}

ConfigFieldList llama_activation(std::string_view tied) {
  using C = NetworkConfig;
  return {{"hidden_act", "\"silu\"", &C::activation}, {"tie_word_embeddings", tied, &C::tied}};
}

void read_attention_bias(const ConfigFields& json, NetworkConfig& c) {
  c.qkv_bias = c.output_bias = json.flag("attention_bias");
}

}  // namespace headlight
