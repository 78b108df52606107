#include "engine/families/decoders/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gptj_base() {
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
  names.query = "attn.q_proj";
  names.key = "attn.k_proj";
  names.value = "attn.v_proj";
  names.output = "attn.out_proj";
  names.up = "mlp.fc_in";
  names.down = "mlp.fc_out";
  names.final_norm = "ln_f";
  names.head_biases = {"lm_head.bias"};
  return c;
}

void read_gptj(const ConfigFields& json, NetworkConfig& c) {
  c.position.dims = json.size("rotary_dim", kMostWidth);
}

}  // namespace

const Family& gptj_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gptj";
    family.base = gptj_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"n_embd", "", &C::width, "hidden_size"},
                     {"n_layer", "", &C::layers, "num_hidden_layers"},
                     {"n_head", "", &C::heads, "num_attention_heads"},
                     {"n_positions", "2048", &C::positions, "max_position_embeddings"},
                     {"n_inner", "null", &C::mlp_width},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"activation_function", "\"gelu_new\"", &C::activation},
                     {"tie_word_embeddings", "false", &C::tied},
                     {"rotary_dim", "64"}};
    family.rotary.theta = "";
    family.read = read_gptj;
    family.idle = {"rotary", "scale_attn_weights"};
    family.needs =
        "attention and MLP beside each other behind one norm; neighbouring pairs; a bias of the logits";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
