#include "engine/families/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt_neox_base() {
  NetworkConfig c;
  c.mlp_bias = true;
  c.position.kind = PositionKind::Rotary;
  TensorNames& names = c.tensors;
  names.prefixes = {"gpt_neox.", ""};
  names.tokens = "embed_in";
  names.layer = "layers.#.";
  names.attention_norm = "input_layernorm";
  names.mlp_norm = "post_attention_layernorm";
  names.qkv = QkvLayout::Groups;
  names.fused = "attention.query_key_value";
  names.output = "attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  names.final_norm = "final_layer_norm";
  names.head = "embed_out";
  return c;
}

void read_gpt_neox(const ConfigFields& json, NetworkConfig& c) {
  c.qkv_bias = c.output_bias = json.flag("attention_bias");
}

}  // namespace

const Family& gpt_neox_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt_neox";
    family.base = gpt_neox_base();
    family.fields = joined({usual_sizes("2048"),
                            rotary_fields(),
                            {{"layer_norm_eps", "1e-5", &C::epsilon},
                             {"hidden_act", "\"gelu\"", &C::activation},
                             {"use_parallel_residual", "true", &C::parallel},
                             {"attention_bias", "true"},
                             {"tie_word_embeddings", "false", &C::tied},
                             {"rotary_pct", "0.25"},
                             {"partial_rotary_factor", "null"},
                             {"rotary_emb_base", "10000"},
                             {"rope_theta", "null"}}});
    family.rotary = {"rotary_emb_base", "rope_theta", "rotary_pct", "partial_rotary_factor"};
    family.read = read_gpt_neox;
    family.needs = "attention and MLP beside each other; a share of each head turns; fused head by head";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
