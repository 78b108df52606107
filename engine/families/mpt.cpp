#include "engine/families/decoders.h"

#include <cmath>

#include "engine/core/error.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig mpt_base() {
  NetworkConfig c;
  c.norm_bias = false;
  c.activation = Activation::Gelu;
  c.position.kind = PositionKind::Alibi;
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "wte";
  names.layer = "blocks.#.";
  names.attention_norm = "norm_1";
  names.mlp_norm = "norm_2";
  names.qkv = QkvLayout::Blocks;
  names.fused = "attn.Wqkv";
  names.output = "attn.out_proj";
  names.up = "ffn.up_proj";
  names.down = "ffn.down_proj";
  names.final_norm = "norm_f";
  return c;
}

// The slopes 2^(-most i/n) for i = 1 to n, with n the next power of two; if there are fewer heads, every
// second one from the second on, then the others.
std::vector<double> mpt_slopes(Index heads, double most) {
  Index power = 1;
  while (power < heads)
    power *= 2;
  std::vector<double> all;
  for (Index i = 1; i <= power; ++i)
    all.push_back(std::exp2(-most * static_cast<double>(i) / static_cast<double>(power)));
  if (power == heads) return all;
  std::vector<double> slopes;
  for (const std::size_t first : {std::size_t{1}, std::size_t{0}})
    for (std::size_t i = first; i < all.size(); i += 2)
      slopes.push_back(all[i]);
  slopes.resize(static_cast<std::size_t>(heads));
  return slopes;
}

double attention_number(const Json& members, const char* name, double usual) {
  const auto found = members.find(name);
  if (found == members.end() || found->is_null()) return usual;
  return number_above_0(*found, std::string("attn_config.") + name);
}

// Members that only the program of the family's makers reads: the library leaves them out.
void require_usual(const Json& members, const char* name, const Json& usual) {
  const auto found = members.find(name);
  if (found == members.end() || found->is_null() || *found == usual) return;
  throw Error("it is " + found->dump() + ", which is not computed here", std::string("attn_config.") + name,
              "it is " + usual.dump() + " in models that are");
}

void read_mpt(const ConfigFields& json, NetworkConfig& c) {
  const Json members = json.value("attn_config");
  if (!members.is_object())
    throw Error("it is " + json_kind(members) + ", expected an object", "attn_config", kMendConfig);
  require_usual(members, "alibi", true);
  require_usual(members, "qk_ln", false);
  require_usual(members, "prefix_lm", false);
  require_usual(members, "attn_type", "multihead_attention");
  c.clip = attention_number(members, "clip_qkv", 0);
  const double scale = attention_number(members, "softmax_scale", 0);
  if (scale > 0) c.scale = {ScaleKind::Number, scale};
  c.position.slopes = mpt_slopes(c.heads, attention_number(members, "alibi_bias_max", 8));
}

}  // namespace

const Family& mpt_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "mpt";
    family.base = mpt_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"d_model", "", &C::width, "hidden_size"},
                     {"n_layers", "", &C::layers, "num_hidden_layers"},
                     {"n_heads", "", &C::heads, "num_attention_heads"},
                     {"max_seq_len", "2048", &C::positions},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"attn_config", "{}"}};
    family.limits = {{"expansion_ratio", {"null", "4"}, "an MLP of another width"},
                     {"no_bias", {"null", "true"}, "biases"},
                     {"norm_type", {"null", "\"low_precision_layernorm\"", "\"layernorm\""}, "another norm"}};
    family.idle = {"tokenizer_name",  "emb_pdrop",     "embedding_fraction", "init_device",
                   "learned_pos_emb", "verbose",       "init_config",        "ffn_config",
                   "fc_type",         "use_norm_bias", "use_pad_tok_in_ffn"};
    family.read = read_mpt;
    family.needs =
        "ALiBi with slopes in another order; no biases; queries, keys and values that may be cut off";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
