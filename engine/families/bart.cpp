#include "engine/families/encoders.h"

#include <cmath>

#include "engine/core/error.h"

namespace headlight {
namespace {

using C = NetworkConfig;

// Of both sides.
NetworkConfig bart_base() {
  NetworkConfig c;
  c.norm_place = NormPlace::After;
  c.epsilon = 1e-5;
  c.position_offset = 2;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  TensorNames& names = c.tensors;
  names.prefixes = {"model.", ""};
  names.tokens = "shared";
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

void read_side(const ConfigFields& json, const std::string& side, NetworkConfig& c) {
  c.layers = json.size(side + "_layers", kMostLayers);
  c.heads = json.size(side + "_attention_heads", kMostWidth);
  c.mlp_width = json.size(side + "_ffn_dim", kMostWidth);
  c.windows.resize(static_cast<std::size_t>(c.layers));
  TensorNames& names = c.tensors;
  names.layer = side + ".layers.#.";
  names.positions = side + ".embed_positions";
  names.embedding_norm = side + ".layernorm_embedding";
}

void read_bart(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("is_encoder_decoder"))
    throw Error("it is false: one side alone is not computed here", "is_encoder_decoder",
                "open a model of both sides");
  c.position_rows = c.positions + c.position_offset;
  if (json.flag("scale_embedding")) c.embedding_factor = std::sqrt(static_cast<double>(c.width));
  NetworkConfig encoder = c;
  encoder.causal = false;
  read_side(json, "encoder", encoder);
  read_side(json, "decoder", c);
  c.cross = true;
  c.tensors.cross_norm = "encoder_attn_layer_norm";
  c.tensors.cross_query = "encoder_attn.q_proj";
  c.tensors.cross_key = "encoder_attn.k_proj";
  c.tensors.cross_value = "encoder_attn.v_proj";
  c.tensors.cross_output = "encoder_attn.out_proj";
  c.logit_bias = true;
  c.tensors.head_biases = {"final_logits_bias"};
  c.encoder = std::make_shared<const NetworkConfig>(std::move(encoder));
}

}  // namespace

const Family& bart_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "bart";
    family.saved_by = "AutoModelForSeq2SeqLM";
    family.base = bart_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"d_model", "", &C::width, "hidden_size"},
                     {"encoder_layers", ""},
                     {"encoder_attention_heads", ""},
                     {"encoder_ffn_dim", ""},
                     {"decoder_layers", ""},
                     {"decoder_attention_heads", ""},
                     {"decoder_ffn_dim", ""},
                     {"max_position_embeddings", "1024", &C::positions},
                     {"activation_function", "\"gelu\"", &C::activation},
                     {"scale_embedding", "false"},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"is_encoder_decoder", "true"}};
    family.limits = {{"normalize_before", {"null", "false"}, "norms before what they read"},
                     {"add_final_layer_norm", {"null", "false"}, "a final norm"},
                     {"normalize_embedding", {"null", "true"}, "embeddings without a norm"},
                     {"static_position_embeddings", {"null", "false"}, "positions that are not learned"}};
    family.idle = {"num_hidden_layers",
                   "num_attention_heads",
                   "encoder_layerdrop",
                   "decoder_layerdrop",
                   "classif_dropout",
                   "add_bias_logits",
                   "force_bos_token_to_be_generated",
                   "extra_pos_embeddings",
                   "gradient_checkpointing"};
    family.read = read_bart;
    family.needs = "two sides; positions from row 2 on; norms behind the sums; a bias of the logits";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
