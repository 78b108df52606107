#include "engine/families/decoders.h"

#include "engine/core/error.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig falcon_base() {
  NetworkConfig c;
  c.position.kind = PositionKind::Rotary;
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "word_embeddings";
  names.layer = "h.#.";
  names.attention_norm = "input_layernorm";
  names.qkv = QkvLayout::Groups;
  names.fused = "self_attention.query_key_value";
  names.output = "self_attention.dense";
  names.up = "mlp.dense_h_to_4h";
  names.down = "mlp.dense_4h_to_h";
  names.final_norm = "ln_f";
  return c;
}

// With new_decoder_architecture the queries of each head of keys and values are beside it; without, there is
// one such head for all, or one for each.
void read_heads_of_falcon(const ConfigFields& json, NetworkConfig& c) {
  if (json.flag("new_decoder_architecture"))
    c.kv_heads = json.size_if("num_kv_heads", kMostWidth).value_or(c.heads);
  else
    c.kv_heads = json.flag("multi_query") ? 1 : c.heads;
}

// One norm for attention and MLP, two beside each other, or one behind the other.
void read_norms_of_falcon(const ConfigFields& json, NetworkConfig& c) {
  const bool newer = json.flag("new_decoder_architecture"), parallel = json.flag("parallel_attn");
  const Index norms = json.size_if("num_ln_in_parallel_attn", 2).value_or(newer ? 2 : 1);
  if (newer && !parallel)
    throw Error("it is false with new_decoder_architecture, which the library does not compute",
                "parallel_attn", "let it be true, or new_decoder_architecture false");
  if (!newer && parallel && norms == 2)
    throw Error("it is 2 without new_decoder_architecture, which the library does not compute",
                "num_ln_in_parallel_attn", "leave it out, or let new_decoder_architecture be true");
  c.parallel = parallel;
  TensorNames& names = c.tensors;
  if (!parallel) {
    names.mlp_norm = "post_attention_layernorm";
  } else if (norms == 2) {
    names.attention_norm = "ln_attn";
    names.mlp_norm = "ln_mlp";
  } else {
    names.mlp_norm = names.attention_norm;
  }
}

void read_falcon(const ConfigFields& json, NetworkConfig& c) {
  c.qkv_bias = c.output_bias = c.mlp_bias = json.flag("bias");
  read_heads_of_falcon(json, c);
  read_norms_of_falcon(json, c);
  if (!json.flag("alibi")) return;
  c.position.kind = PositionKind::None;
  c.rounded_alibi = true;
}

}  // namespace

const Family& falcon_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "falcon";
    family.base = falcon_base();
    family.fields = joined({rotary_fields(),
                            {{"vocab_size", "", &C::vocabulary},
                             {"hidden_size", "", &C::width},
                             {"num_hidden_layers", "", &C::layers, "n_layer"},
                             {"num_attention_heads", "", &C::heads, "n_head"},
                             {"ffn_hidden_size", "null", &C::mlp_width},
                             {"max_position_embeddings", "2048", &C::positions},
                             {"layer_norm_epsilon", "1e-5", &C::epsilon},
                             {"activation", "\"gelu\"", &C::activation},
                             {"tie_word_embeddings", "true", &C::tied},
                             {"rope_theta", "10000"},
                             {"bias", "false"},
                             {"alibi", "false"},
                             {"multi_query", "true"},
                             {"new_decoder_architecture", "false"},
                             {"num_kv_heads", "null", {}, "n_head_kv"},
                             {"parallel_attn", "true"},
                             {"num_ln_in_parallel_attn", "null"}}});
    family.limits = {{"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.idle = {"apply_residual_connection_post_layernorm"};
    family.read = read_falcon;
    family.needs =
        "three layouts of queries, keys and values; one norm or two; rotary positions, or ALiBi in bfloat16";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
