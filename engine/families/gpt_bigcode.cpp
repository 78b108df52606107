#include "engine/families/decoders.h"
#include "engine/families/gpt_table.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt_bigcode_base() {
  NetworkConfig c;
  c.qkv_bias = c.output_bias = c.mlp_bias = true;
  c.tensors = gpt_tensors();
  c.tensors.fused = "attn.c_attn";
  return c;
}

// With multi_query one head of keys and values, in blocks; else fused head by head.
void read_gpt_bigcode(const ConfigFields& json, NetworkConfig& c) {
  if (!json.flag("scale_attn_weights")) c.scale = {ScaleKind::None};
  const bool one = json.flag("multi_query");
  c.kv_heads = one ? 1 : c.heads;
  c.tensors.qkv = one ? QkvLayout::Blocks : QkvLayout::Groups;
}

}  // namespace

const Family& gpt_bigcode_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt_bigcode";
    family.base = gpt_bigcode_base();
    family.fields = gpt_fields("1024", "\"gelu_pytorch_tanh\"", "true",
                               {{"scale_attn_weights", "true"}, {"multi_query", "true"}});
    family.idle = {"attention_softmax_in_fp32",
                   "scale_attention_softmax_in_fp32",
                   "num_key_value_heads",
                   "inference_runner",
                   "validate_runner_input",
                   "pre_allocate_kv_cache",
                   "max_sequence_length",
                   "max_batch_size",
                   "pad_key_length"};
    family.read = read_gpt_bigcode;
    family.needs = "GPT-2 with one head of keys and values, or fused head by head";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
