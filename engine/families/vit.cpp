#include "engine/families/encoders.h"

#include <cmath>
#include <tuple>

#include "engine/core/error.h"

namespace headlight {
namespace {

using C = NetworkConfig;

NetworkConfig vit_base() {
  NetworkConfig c;
  c.causal = false;
  c.output_bias = c.mlp_bias = c.logit_bias = true;
  TensorNames& names = c.tensors;
  names.prefixes = {"vit.", ""};
  names.tokens = "";
  names.layer = "encoder.layer.#.";
  names.class_token = "embeddings.cls_token";
  names.patches = "embeddings.patch_embeddings.projection";
  names.positions = "embeddings.position_embeddings";
  names.attention_norm = "layernorm_before";
  names.mlp_norm = "layernorm_after";
  names.query = "attention.attention.query";
  names.key = "attention.attention.key";
  names.value = "attention.attention.value";
  names.output = "attention.output.dense";
  names.up = "intermediate.dense";
  names.down = "output.dense";
  names.final_norm = "layernorm";
  names.head = "classifier";
  names.head_biases = {"classifier.bias"};
  return c;
}

// A number for height and width, or a list of both.
std::pair<Index, Index> read_pair(const ConfigFields& json, const char* name) {
  constexpr Index kMostSide = 1 << 14;
  const Json value = json.value(name);
  const Json list = is_packed(value) ? Json(packed_numbers(value)) : value;
  if (!list.is_array()) return {json.size(name, kMostSide), json.size(name, kMostSide)};
  const auto side = [&](std::size_t i) {
    const double number = number_above_0(list.at(i), name);
    if (number > kMostSide || number != std::floor(number))
      throw Error("it is " + list.dump() + ", expected whole numbers up to " + std::to_string(kMostSide),
                  name, kMendConfig);
    return static_cast<Index>(number);
  };
  if (list.size() != 2)
    throw Error("it is a list of " + std::to_string(list.size()) + ", expected height and width", name,
                kMendConfig);
  return {side(0), side(1)};
}

// The number of classes is that of the labels.
Index class_count(const ConfigFields& json) {
  const Json labels = json.value("id2label");
  if (labels.is_object() && !labels.empty()) return static_cast<Index>(labels.size());
  return json.size("num_labels", kMostVocabulary);
}

void read_vit(const ConfigFields& json, NetworkConfig& c) {
  constexpr Index kMostChannels = 64;
  ImageShape& image = c.image;
  image.channels = json.size("num_channels", kMostChannels);
  std::tie(image.height, image.width) = read_pair(json, "image_size");
  std::tie(image.patch_height, image.patch_width) = read_pair(json, "patch_size");
  if (image.rows() < 1 || image.columns() < 1)
    throw Error("the patches are larger than the image", "patch_size", kMendConfig);
  c.positions = c.position_rows = image.rows() * image.columns() + 1;
  require_token_count(static_cast<std::size_t>(c.positions));
  c.vocabulary = class_count(json);
}

}  // namespace

const Family& vit_family() {
  static const Family kFamily = [] {
    Family family;
    family.name = "vit";
    family.saved_by = "AutoModelForImageClassification";
    family.base = vit_base();
    family.fields = {{"hidden_size", "", &C::width},
                     {"num_hidden_layers", "", &C::layers},
                     {"num_attention_heads", "", &C::heads},
                     {"intermediate_size", "", &C::mlp_width},
                     {"layer_norm_eps", "1e-12", &C::epsilon},
                     {"hidden_act", "\"gelu\"", &C::activation},
                     {"qkv_bias", "true", &C::qkv_bias},
                     {"image_size", "224"},
                     {"patch_size", "16"},
                     {"num_channels", "3"},
                     {"id2label", "null"},
                     {"num_labels", "2"}};
    family.idle = {"encoder_stride", "pooler_act", "pooler_output_size"};
    family.read = read_vit;
    family.needs = "patches of an image as tokens, behind a class token; logits of that token alone";
    return family;
  }();
  return kFamily;
}

}  // namespace headlight
