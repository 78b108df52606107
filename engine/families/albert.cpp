#include "engine/families/encoders.h"

#include "engine/core/error.h"
#include "engine/families/bert_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig albert_base() {
  NetworkConfig c = bert_base();
  TensorNames& names = c.tensors;
  names.prefixes = {"albert.", ""};
  names.embedding_projection = "encoder.embedding_hidden_mapping_in";
  names.query = "attention.query";
  names.key = "attention.key";
  names.value = "attention.value";
  names.output = "attention.dense";
  names.attention_norm = "attention.LayerNorm";
  names.up = "ffn";
  names.down = "ffn_output";
  names.mlp_norm = "full_layer_layer_norm";
  names.head_dense = "predictions.dense";
  names.head_norm = "predictions.LayerNorm";
  names.head = "predictions.decoder";
  names.head_biases = {"predictions.bias", "predictions.decoder.bias"};
  return c;
}

// Layers share the weights of their group; in each of them the text passes through all layers of the group.
void read_albert(const ConfigFields& json, NetworkConfig& c) {
  c.embedding_width = json.size("embedding_size", kMostWidth);
  c.head_activation = c.activation;
  const Index passes = c.layers, groups = json.size("num_hidden_groups", passes),
              inner = json.size("inner_group_num", kMostLayers);
  c.layers = passes * inner;
  if (c.layers > kMostLayers)
    throw Error("the text passes through " + std::to_string(c.layers) + " layers, more than " +
                    std::to_string(kMostLayers),
                "inner_group_num", kMendConfig);
  for (Index i = 0; i < passes; ++i)
    for (Index j = 0; j < inner; ++j)
      c.tensors.layers.push_back("encoder.albert_layer_groups." + std::to_string(i * groups / passes) +
                                 ".albert_layers." + std::to_string(j) + ".");
  c.windows.resize(static_cast<std::size_t>(c.layers));
}

}  // namespace

const Family& albert_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "albert";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = albert_base();
    family.fields = joined({usual_sizes("512"),
                            {{"layer_norm_eps", "1e-12", &C::epsilon},
                             {"hidden_act", "\"gelu_new\"", &C::activation},
                             {"type_vocab_size", "2", &C::token_types},
                             {"tie_word_embeddings", "true", &C::tied},
                             {"embedding_size", "128"},
                             {"num_hidden_groups", "1"},
                             {"inner_group_num", "1"}}});
    family.limits = bert_limits();
    family.idle = {"net_structure_type", "gap_size", "num_memory_blocks", "down_scale_factor"};
    family.read = read_albert;
    family.needs = "layers that share their weights; embeddings of another width than the stream";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
