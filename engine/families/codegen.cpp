#include "engine/core/error.h"
#include "engine/families/decoders.h"
#include "engine/families/gpt_table.h"

namespace headlight {
namespace {

NetworkConfig codegen_base() {
  NetworkConfig c = gptj_like_base();
  c.tensors.qkv = QkvLayout::Quarters;
  c.tensors.fused = "attn.qkv_proj";
  return c;
}

void read_codegen(const ConfigFields& json, NetworkConfig& c) {
  read_rotary_dim(json, c);
  if (c.heads % 4 != 0)
    throw Error(std::to_string(c.heads) + " heads are not four equal blocks", "n_head", kMendConfig);
}

}  // namespace

const Family& codegen_family() {
  static const Family kFamily = [] {
    Family family = gptj_like_family("codegen", codegen_base(),
                                     "GPT-J with queries, values and keys fused in four blocks");
    family.read = read_codegen;
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
