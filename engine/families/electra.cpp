#include "engine/families/encoders.h"

#include "engine/families/bert_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig electra_base() {
  NetworkConfig c = bert_base();
  TensorNames& names = c.tensors;
  names.prefixes = {"electra.", ""};
  names.head_dense = "generator_predictions.dense";
  names.head_norm = "generator_predictions.LayerNorm";
  names.head = "generator_lm_head";
  names.head_biases = {"generator_lm_head.bias"};
  return c;
}

void read_electra(const ConfigFields& json, NetworkConfig& c) {
  read_decoder(json, c);
  c.embedding_width = json.size("embedding_size", kMostWidth);
  if (c.embedding_width != c.width) c.tensors.embedding_projection = "embeddings_project";
}

}  // namespace

const Family& electra_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "electra";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = electra_base();
    family.fields = bert_fields("512", "2", {{"is_decoder", "false"}, {"embedding_size", "128"}});
    family.limits = bert_limits();
    family.read = read_electra;
    family.needs = "embeddings of another width than the stream";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
