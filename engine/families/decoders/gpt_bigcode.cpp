#include "engine/families/decoders/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt_bigcode_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "wte";
  names.layer = "h.#.";
  names.positions = "wpe";
  names.attention_norm = "ln_1";
  names.mlp_norm = "ln_2";
  names.fused = "attn.c_attn";
  names.output = "attn.c_proj";
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  names.final_norm = "ln_f";
  return c;
}

// With multi_query one head of keys and values, in blocks; else fused head by head.
void read_gpt_bigcode(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("scale_attn_weights")) c.scale = {ScaleKind::None};
  const bool one = json.flag("multi_query");
  c.kv_heads = one ? 1 : c.heads;
  c.tensors.qkv = one ? QkvLayout::Blocks : QkvLayout::Groups;
}

}  // namespace

const Family& gpt_bigcode_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt_bigcode";
    family.base = gpt_bigcode_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"n_embd", "", &C::width, "hidden_size"},
                     {"n_layer", "", &C::layers, "num_hidden_layers"},
                     {"n_head", "", &C::heads, "num_attention_heads"},
                     {"n_positions", "1024", &C::positions, "max_position_embeddings"},
                     {"n_inner", "null", &C::mlp_width},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"activation_function", "\"gelu_pytorch_tanh\"", &C::activation},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"scale_attn_weights", "true"},
                     {"multi_query", "true"}};
    family.idle = {"attention_softmax_in_fp32",
                   "scale_attention_softmax_in_fp32",
                   "num_key_value_heads",
                   "inference_runner",
                   "validate_runner_input",
                   "pre_allocate_kv_cache",
                   "max_sequence_length",
                   "max_batch_size",
                   "pad_key_length"};
    family.read = read_gpt_bigcode;
    family.needs = "GPT-2 with one head of keys and values, or fused head by head";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
