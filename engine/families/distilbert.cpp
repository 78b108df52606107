#include "engine/families/encoders.h"

#include "engine/families/bert_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig distilbert_base() {
  NetworkConfig c = bert_base();
  c.epsilon = 1e-12;
  TensorNames& names = c.tensors;
  names.prefixes = {"distilbert.", ""};
  names.types = "";
  names.layer = "transformer.layer.#.";
  names.query = "attention.q_lin";
  names.key = "attention.k_lin";
  names.value = "attention.v_lin";
  names.output = "attention.out_lin";
  names.attention_norm = "sa_layer_norm";
  names.up = "ffn.lin1";
  names.down = "ffn.lin2";
  names.mlp_norm = "output_layer_norm";
  names.head_dense = "vocab_transform";
  names.head_norm = "vocab_layer_norm";
  names.head = "vocab_projector";
  names.head_biases = {"vocab_projector.bias"};
  return c;
}

void read_distilbert(const ConfigFields& /*json*/, NetworkConfig& c) {
  c.head_activation = c.activation;
}

}  // namespace

const Family& distilbert_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "distilbert";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = distilbert_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"dim", "", &C::width, "hidden_size"},
                     {"n_layers", "", &C::layers, "num_hidden_layers"},
                     {"n_heads", "", &C::heads, "num_attention_heads"},
                     {"hidden_dim", "", &C::mlp_width, "intermediate_size"},
                     {"max_position_embeddings", "512", &C::positions},
                     {"activation", "\"gelu\"", &C::activation, "hidden_act"},
                     {"tie_word_embeddings", "true", &C::tied}};
    family.idle = {"sinusoidal_pos_embds", "qa_dropout", "seq_classif_dropout", "tie_weights_",
                   "output_hidden_states"};
    family.read = read_distilbert;
    family.needs = "no token types";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
