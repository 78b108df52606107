#include "engine/families/encoders.h"

#include "engine/families/bert_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig roberta_base() {
  NetworkConfig c = bert_base();
  TensorNames& names = c.tensors;
  names.prefixes = {"roberta.", ""};
  names.head_dense = "lm_head.dense";
  names.head_norm = "lm_head.layer_norm";
  names.head = "lm_head.decoder";
  names.head_biases = {"lm_head.bias", "lm_head.decoder.bias"};
  return c;
}

// Positions are counted from behind the row of the padding token.
void read_roberta(const ConfigFields& json, NetworkConfig& c) {
  read_decoder(json, c);
  c.padding = static_cast<std::int32_t>(json.count("pad_token_id", kMostVocabulary));
  c.position_offset = *c.padding + 1;
}

}  // namespace

const Family& roberta_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "roberta";
    family.saved_by = "AutoModelForMaskedLM";
    family.base = roberta_base();
    family.fields = bert_fields("512", "2", {{"is_decoder", "false"}, {"pad_token_id", "1"}});
    family.limits = bert_limits();
    family.read = read_roberta;
    family.needs = "positions counted from behind the padding token";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
