#include "engine/families/decoders.h"
#include "engine/families/gpt_table.h"

namespace headlight {
namespace {

NetworkConfig gptj_base() {
  NetworkConfig c = gptj_like_base();
  c.tensors.query = "attn.q_proj";
  c.tensors.key = "attn.k_proj";
  c.tensors.value = "attn.v_proj";
  return c;
}

}  // namespace

const Family& gptj_family() {
  static const Family kFamily = gptj_like_family(
      "gptj", gptj_base(),
      "attention and MLP beside each other behind one norm; neighbouring pairs; a bias of the logits");
  return kFamily;
}

}  // namespace headlight
