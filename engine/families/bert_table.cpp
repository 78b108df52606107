#include "engine/families/bert_table.h"

namespace headlight {

NetworkConfig bert_base() {
  NetworkConfig c;
  c.norm_place = NormPlace::After;
  c.causal = false;
  c.qkv_bias = c.output_bias = c.mlp_bias = c.logit_bias = true;
  TensorNames& names = c.tensors;
  names.prefixes = {"bert.", ""};
  names.tokens = "embeddings.word_embeddings";
  names.layer = "encoder.layer.#.";
  names.positions = "embeddings.position_embeddings";
  names.types = "embeddings.token_type_embeddings";
  names.embedding_norm = "embeddings.LayerNorm";
  names.query = "attention.self.query";
  names.key = "attention.self.key";
  names.value = "attention.self.value";
  names.output = "attention.output.dense";
  names.attention_norm = "attention.output.LayerNorm";
  names.up = "intermediate.dense";
  names.down = "output.dense";
  names.mlp_norm = "output.LayerNorm";
  return c;
}

ConfigFieldList bert_fields(std::string_view positions, std::string_view token_types,
                            const ConfigFieldList& more) {
  using C = NetworkConfig;
  return joined({usual_sizes(positions),
                 {{"layer_norm_eps", "1e-12", &C::epsilon},
                  {"hidden_act", "\"gelu\"", &C::activation},
                  {"type_vocab_size", token_types, &C::token_types},
                  {"tie_word_embeddings", "true", &C::tied}},
                 more});
}

std::vector<ConfigLimit> bert_limits() {
  return {{"position_embedding_type", {"null", "\"absolute\""}, "positions that are relative"}};
}

void read_decoder(const ConfigFields& json, NetworkConfig& c) {
  c.causal = json.flag("is_decoder");
}

}  // namespace headlight
