#include "engine/families/decoders.h"

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig gpt_neo_base() {
  NetworkConfig c;
  c.output_bias = c.mlp_bias = true;
  c.scale = {ScaleKind::None};
  TensorNames& names = c.tensors;
  names.prefixes = {"transformer.", ""};
  names.tokens = "wte";
  names.layer = "h.#.";
  names.positions = "wpe";
  names.attention_norm = "ln_1";
  names.mlp_norm = "ln_2";
  names.query = "attn.attention.q_proj";
  names.key = "attn.attention.k_proj";
  names.value = "attn.attention.v_proj";
  names.output = "attn.attention.out_proj";
  names.up = "mlp.c_fc";
  names.down = "mlp.c_proj";
  names.final_norm = "ln_f";
  return c;
}

[[noreturn]] void refuse_types(const Json& types) {
  throw Error("it is " + types.dump() + ", expected lists of [[\"global\", \"local\"], how often]",
              "attention_types", kMendConfig);
}

// attention_types: [[["global", "local"], 12]] is these two, twelve times.
std::vector<std::string> layer_words(const Json& types) {
  std::vector<std::string> words;
  if (!types.is_array()) refuse_types(types);
  for (const Json& part : types) {
    if (!part.is_array() || part.size() != 2 || !part[0].is_array() || !part[1].is_number_integer())
      refuse_types(types);
    const auto times = part[1].get<std::int64_t>();
    if (times < 0 || times > kMostLayers) refuse_types(types);
    for (std::int64_t i = 0; i < times; ++i)
      for (const Json& word : part[0])
        words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  }
  return words;
}

void read_gpt_neo(const ConfigFields& json, NetworkConfig& c) {
  const std::vector<std::string> words = layer_words(json.value("attention_types"));
  if (static_cast<Index>(words.size()) != c.layers)
    throw Error(
        "it has " + std::to_string(words.size()) + " layers, but there are " + std::to_string(c.layers),
        "attention_types", kMendConfig);
  const Index window = json.size("window_size", kMostVocabulary);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "global" && words[i] != "local")
      throw Error("a layer of the type " + in_quotes(words[i]) + " is not computed here", "attention_types",
                  "known are global and local");
    if (words[i] == "local") c.windows[i] = window;
  }
}

}  // namespace

const Family& gpt_neo_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "gpt_neo";
    family.base = gpt_neo_base();
    family.fields = {{"vocab_size", "", &C::vocabulary},
                     {"hidden_size", "", &C::width},
                     {"num_layers", "", &C::layers, "num_hidden_layers"},
                     {"num_heads", "", &C::heads, "num_attention_heads"},
                     {"max_position_embeddings", "2048", &C::positions},
                     {"intermediate_size", "null", &C::mlp_width},
                     {"layer_norm_epsilon", "1e-5", &C::epsilon},
                     {"activation_function", "\"gelu_new\"", &C::activation},
                     {"tie_word_embeddings", "true", &C::tied},
                     {"window_size", "256"},
                     {"attention_types", "[[[\"global\", \"local\"], 12]]"}};
    family.idle = {"attention_layers"};
    family.read = read_gpt_neo;
    family.needs = "scores without a scale; windows in local layers";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
