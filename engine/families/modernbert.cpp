#include "engine/families/encoders.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig modernbert_base() {
  NetworkConfig c;
  c.causal = false;
  c.gated = true;
  c.first_norm = false;
  c.position.kind = PositionKind::Rotary;
  TensorNames& names = c.tensors;
  names.prefixes = {"model.", ""};
  names.tokens = "embeddings.tok_embeddings";
  names.layer = "layers.#.";
  names.embedding_norm = "embeddings.norm";
  names.attention_norm = "attn_norm";
  names.mlp_norm = "mlp_norm";
  names.qkv = QkvLayout::Blocks;
  names.fused = "attn.Wqkv";
  names.output = "attn.Wo";
  names.gate_up = "mlp.Wi";
  names.down = "mlp.Wo";
  names.final_norm = "final_norm";
  names.head_dense = "head.dense";
  names.head_norm = "head.norm";
  names.head = "decoder";
  names.head_biases = {"decoder.bias"};
  return c;
}

// Every global_attn_every_n_layers-th layer sees the whole text, from the first one on.
void read_modernbert(const ConfigFields& json, NetworkConfig& c) {
  c.qkv_bias = c.output_bias = json.flag("attention_bias");
  const Index every = json.size("global_attn_every_n_layers", kMostLayers),
              window = json.size("local_attention", kMostVocabulary);
  for (Index i = 0; i < c.layers; ++i)
    if (i % every != 0) c.windows[static_cast<std::size_t>(i)] = window / 2 + 1;
}

}  // namespace

const Family& modernbert_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "modernbert";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = modernbert_base();
    family.fields = joined({usual_sizes("8192"),
                            rotary_fields(),
                            {{"norm_eps", "1e-5", &C::epsilon},
                             {"norm_bias", "false", &C::norm_bias},
                             {"hidden_activation", "\"gelu\"", &C::activation},
                             {"classifier_activation", "\"gelu\"", &C::head_activation},
                             {"classifier_bias", "false", &C::head_dense_bias},
                             {"decoder_bias", "true", &C::logit_bias},
                             {"tie_word_embeddings", "true", &C::tied},
                             {"attention_bias", "false"},
                             {"mlp_bias", "false", &C::mlp_bias},
                             {"global_attn_every_n_layers", "3"},
                             {"local_attention", "128"},
                             {"global_rope_theta", "160000"},
                             {"local_rope_theta", "10000"}}});
    family.limits = {
        {"layer_types", {"null"}, "layers by a list"},
        {"position_embedding_type", {"null", "\"absolute\"", "\"rope\"", "\"sans_pos\""}, "other positions"},
        {"partial_rotary_factor", {"null", "1"}, "heads that are turned in part"}};
    family.rotary.theta = "global_rope_theta";
    family.rotary.local_theta = "local_rope_theta";
    family.idle = {"initializer_cutoff_factor", "deterministic_flash_attn", "sparse_prediction",
                   "sparse_pred_ignore_index",  "reference_compile",        "repad_logits_with_grad"};
    family.read = read_modernbert;
    family.needs =
        "rotary positions and a gated MLP in an encoder; local layers see to both sides and turn by another "
        "theta";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
