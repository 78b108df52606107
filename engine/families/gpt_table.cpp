#include "engine/families/gpt_table.h"

namespace headlight {

using C = NetworkConfig;

ConfigFieldList gpt_fields(std::string_view positions, std::string_view activation, std::string_view tied,
                           const ConfigFieldList& more) {
  return joined({{{"vocab_size", "", &C::vocabulary},
                  {"n_embd", "", &C::width, "hidden_size"},
                  {"n_layer", "", &C::layers, "num_hidden_layers"},
                  {"n_head", "", &C::heads, "num_attention_heads"},
                  {"n_positions", positions, &C::positions, "max_position_embeddings"},
                  {"n_inner", "null", &C::mlp_width},
                  {"layer_norm_epsilon", "1e-5", &C::epsilon},
                  {"activation_function", activation, &C::activation},
                  {"tie_word_embeddings", tied, &C::tied}},
                 more});
}

TensorNames gpt_tensors() {
  TensorNames names;
  names.prefixes = {"transformer.", ""};
  names.tokens = "wte";
  names.layer = "h.#.";
  names.positions = "wpe";
  names.attention_norm = "ln_1";
  names.mlp_norm = "ln_2";
  names.output = "attn.c_proj";
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  names.final_norm = "ln_f";
  return names;
}

NetworkConfig gptj_like_base() {
  NetworkConfig c;
  c.mlp_bias = c.logit_bias = true;
  c.parallel = true;
  c.position.kind = PositionKind::Rotary;
  c.position.pairs = RotaryPairs::Neighbours;
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "wte";
  names.layer = "h.#.";
  names.attention_norm = "ln_1";
  names.mlp_norm = "ln_1";
  names.output = "attn.out_proj";
  names.up = "mlp.fc_in";
  names.down = "mlp.fc_out";
  names.final_norm = "ln_f";
  names.head_biases = {"lm_head.bias"};
  return c;
}

Family gptj_like_family(std::string_view name, const NetworkConfig& base, std::string_view needs) {
  Family family;
  family.name = name;
  family.base = base;
  family.fields = gpt_fields("2048", "\"gelu_new\"", "false", {{"rotary_dim", "64"}});
  family.rotary.theta = "";
  family.read = read_rotary_dim;
  family.idle = {"rotary", "scale_attn_weights"};
  family.needs = needs;
  return family;
}

void read_rotary_dim(const ConfigFields& json, NetworkConfig& c) {
  c.position.dims = json.size("rotary_dim", kMostWidth);
}

}  // namespace headlight
