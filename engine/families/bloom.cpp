#include "engine/families/decoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig bloom_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  c.activation = Activation::GeluTanh;
  c.position.kind = PositionKind::Alibi;
  c.positions = kMostTokens;
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "word_embeddings";
  names.layer = "h.#.";
  names.embedding_norm = "word_embeddings_layernorm";
  names.attention_norm = "input_layernorm";
  names.mlp_norm = "post_attention_layernorm";
  names.qkv = QkvLayout::Groups;
  names.fused = "self_attention.query_key_value";
  names.output = "self_attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  names.final_norm = "ln_f";
  return c;
}

}  // namespace

const Family& bloom_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "bloom";
    family.base = bloom_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"hidden_size", "", &C::width, "n_embed"},
                     {"n_layer", "", &C::layers, "num_hidden_layers"},
                     {"n_head", "", &C::heads, "num_attention_heads"},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"apply_residual_connection_post_layernorm", "false", &C::residual_after_norm}};
    family.idle = {"n_inner",
                   "slow_but_exact",
                   "seq_length",
                   "offset_alibi",
                   "attention_softmax_in_fp32",
                   "masked_softmax_fusion",
                   "bias_dropout_fusion",
                   "unk_token_id",
                   "skip_bias_add",
                   "skip_bias_add_qkv"};
    family.needs = "ALiBi; a norm of the embeddings; a stream that may continue from behind its norms";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
