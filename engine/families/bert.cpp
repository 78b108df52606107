#include "engine/families/encoders.h"

#include "engine/families/bert_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig bert_family_base() {
  NetworkConfig c = bert_base();
  TensorNames& names = c.tensors;
  names.head_dense = "cls.predictions.transform.dense";
  names.head_norm = "cls.predictions.transform.LayerNorm";
  names.head = "cls.predictions.decoder";
  names.head_biases = {"cls.predictions.bias", "cls.predictions.decoder.bias"};
  return c;
}

void read_bert(const ConfigFields& json, NetworkConfig& c) {
  read_decoder(json, c);
  c.head_activation = c.activation;
}

}  // namespace

const Family& bert_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "bert";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = bert_family_base();
    family.fields = bert_fields("512", "2", {{"is_decoder", "false"}});
    family.limits = bert_limits();
    family.read = read_bert;
    family.needs = "norms behind the sums; token types; attention both ways, or as a decoder";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
