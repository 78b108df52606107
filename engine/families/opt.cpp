#include "engine/families/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig opt_base() {
  NetworkConfig c;
  c.epsilon = 1e-5;
  c.position_offset = 2;
  TensorNames& names = c.tensors;
  names.prefixes = {"model.decoder.", "decoder.", ""};
  names.tokens = "embed_tokens";
  names.layer = "layers.#.";
  names.positions = "embed_positions";
  names.attention_norm = "self_attn_layer_norm";
  names.mlp_norm = "final_layer_norm";
  names.query = "self_attn.q_proj";
  names.key = "self_attn.k_proj";
  names.value = "self_attn.v_proj";
  names.output = "self_attn.out_proj";
  names.up = "fc1";
  names.down = "fc2";
  return c;
}

// Post-norm models have no final norm. Embeddings of another width than the stream are projected to it, and
// back before the logits.
void read_opt(const ConfigFields& json, NetworkConfig& c) {
  c.position_rows = c.positions + c.position_offset;
  c.qkv_bias = c.output_bias = c.mlp_bias = json.flag("enable_bias");
  const bool before = json.flag("do_layer_norm_before");
  c.norm_place = before ? NormPlace::Before : NormPlace::After;
  if (before && !json.flag("_remove_final_layer_norm")) c.tensors.final_norm = "final_layer_norm";
  c.embedding_width = json.size_if("word_embed_proj_dim", kMostWidth).value_or(c.width);
  if (c.embedding_width == c.width) return;
  c.projected_first = true;
  c.tensors.embedding_projection = "project_in";
  c.tensors.head_projection = "project_out";
}

}  // namespace

const Family& opt_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "opt";
    family.base = opt_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"hidden_size", "", &C::width},
                     {"num_hidden_layers", "", &C::layers},
                     {"num_attention_heads", "", &C::heads},
                     {"ffn_dim", "", &C::mlp_width},
                     {"max_position_embeddings", "2048", &C::positions},
                     {"activation_function", "\"relu\"", &C::activation},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"do_layer_norm_before", "true"},
                     {"enable_bias", "true"},
                     {"layer_norm_elementwise_affine", "true", &C::norm_weights},
                     {"_remove_final_layer_norm", "false"},
                     {"word_embed_proj_dim", "null"}};
    family.read = read_opt;
    family.needs = "positions from row 2 on; norms behind the sums in some; embeddings of another width";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
