#include "engine/families/decoders/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt2_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  TensorNames& names = c.tensors;
  names.prefixes = {"", "transformer."};
  names.tokens = "wte";
  names.layer = "h.#.";
  names.positions = "wpe";
  names.attention_norm = "ln_1";
  names.mlp_norm = "ln_2";
  names.qkv = QkvLayout::Blocks;
  names.fused = "attn.c_attn";
  names.output = "attn.c_proj";
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  names.columns = true;
  names.final_norm = "ln_f";
  return c;
}

void read_gpt2(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("scale_attn_weights")) c.scale = {ScaleKind::None};
}

}  // namespace

const Family& gpt2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt2";
    family.base = gpt2_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"n_embd", "", &C::width, "hidden_size"},
                     {"n_layer", "", &C::layers, "num_hidden_layers"},
                     {"n_head", "", &C::heads, "num_attention_heads"},
                     {"n_positions", "1024", &C::positions, "max_position_embeddings"},
                     {"n_inner", "null", &C::mlp_width},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"activation_function", "\"gelu_new\"", &C::activation},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"scale_attn_weights", "true"},
                     {"scale_attn_by_inverse_layer_idx", "false", &C::scale_by_layer}};
    family.read = read_gpt2;
    family.needs = "learned positions; norms with biases; matrices with a column for each output";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
