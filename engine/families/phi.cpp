#include "engine/families/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig phi_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = c.logit_bias = true;
  c.parallel = true;
  c.position.kind = PositionKind::Rotary;
  TensorNames& names = c.tensors;
  names.prefixes = {"model.", ""};
  names.tokens = "embed_tokens";
  names.layer = "layers.#.";
  names.attention_norm = "input_layernorm";
  names.mlp_norm = "input_layernorm";
  names.query = "self_attn.q_proj";
  names.key = "self_attn.k_proj";
  names.value = "self_attn.v_proj";
  names.output = "self_attn.dense";
  names.up = "mlp.fc1";
  names.down = "mlp.fc2";
  names.final_norm = "final_layernorm";
  names.head_biases = {"lm_head.bias"};
  return c;
}

void read_phi(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("qk_layernorm")) return;
  c.head_norms = HeadNorm::Heads;
  c.head_norm_bias = true;
  c.tensors.query_norm = "self_attn.q_layernorm";
  c.tensors.key_norm = "self_attn.k_layernorm";
}

}  // namespace

const Family& phi_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "phi";
    family.base = phi_base();
    family.fields = joined({usual_sizes("2048"),
                            rotary_fields(),
                            {{"head_dim", "null", &C::head_width},
                             {"num_key_value_heads", "null", &C::kv_heads},
                             {"layer_norm_eps", "1e-5", &C::epsilon},
                             {"hidden_act", "\"gelu_new\"", &C::activation},
                             {"tie_word_embeddings", "false", &C::tied},
                             {"rope_theta", "10000"},
                             {"partial_rotary_factor", "0.5"},
                             {"qk_layernorm", "false"}}});
    family.rotary.share = "partial_rotary_factor";
    family.read = read_phi;
    family.needs =
        "attention and MLP beside each other behind one norm; a share of each head turns; a bias of the "
        "logits";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
