#include "engine/families/decoders.h"
#include "engine/families/gpt_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt2_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  c.tensors = gpt_tensors();
  c.tensors.prefixes = {"", "transformer."};
  c.tensors.qkv = QkvLayout::Blocks;
  c.tensors.fused = "attn.c_attn";
  c.tensors.columns = true;
  return c;
}

void read_gpt2(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("scale_attn_weights")) c.scale = {ScaleKind::None};
}

}  // namespace

const Family& gpt2_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt2";
    family.base = gpt2_base();
    family.fields = gpt_fields(
        "1024", "\"gelu_new\"", "true",
        {{"scale_attn_weights", "true"}, {"scale_attn_by_inverse_layer_idx", "false", &C::scale_by_layer}});
    family.read = read_gpt2;
    family.needs = "learned positions; norms with biases; matrices with a column for each output";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
