#include "engine/session/attention_reader.h"

#include <algorithm>
#include <limits>

#include "engine/core/error.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

Dropout read_dropout(const JsonFields& attention) {
  Dropout dropout;
  const Json* value = attention.find("dropout");
  if (!value) return dropout;
  const JsonFields fields(*value, attention.place("dropout"), {"probability", "training", "seed"});
  dropout.probability = fields.number("probability", dropout.probability);
  dropout.training = fields.flag("training", dropout.training);
  if (const Json* seed = fields.find("seed")) dropout.seed = dropout_seed_value(*seed, fields.place("seed"));
  return dropout;
}

void read_mask(const JsonFields& fields, const ArrayField& arrays, Model& model) {
  const Json* value = fields.find("mask");
  if (!value) return;
  if (value->is_array() || value->is_object()) {
    model.attention.mask = MaskKind::Custom;
    model.custom_mask = arrays.matrix(*value, fields.place("mask"));
  } else {
    model.attention.mask = JsonFields::word_value(*value, fields.place("mask"), kMaskWords);
  }
}

}  // namespace

Scale scale_value(const Json& value, const std::string& place) {
  if (value.is_number()) return {ScaleKind::Number, value.get<double>()};
  return {JsonFields::word_value(value, place, kScaleWords)};
}

std::optional<std::int64_t> dropout_seed_value(const Json& value, const std::string& place) {
  if (value.is_null()) return std::nullopt;
  return whole_value(value, place, std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max());
}

std::vector<Index> head_list(const Json& value, const std::string& place, Index head_count) {
  if (!value.is_array())
    throw Error("is " + json_kind(value) + ", expected a list of heads", place, "write [1]: counted from 0");
  std::vector<Index> heads;
  for (const Json& head : value)
    heads.push_back(whole_value(head, place + "[" + std::to_string(heads.size()) + "]", 0, head_count - 1));
  std::sort(heads.begin(), heads.end());
  return heads;
}

void read_attention(const Json& value, const ArrayField& arrays, Model& model) {
  const JsonFields fields(value, "attention",
                          {"projection", "d_out", "num_heads", "qkv_bias", "output_projection", "scale",
                           "mask", "normalization", "dropout", "disabled_heads"});
  constexpr std::int64_t kMost = 1 << 24;
  AttentionSettings& a = model.attention;
  a.projection = fields.choice("projection", kProjectionWords, Projection::None);
  if (a.projection == Projection::Linear)
    fields.require("d_out", "give the width of queries, keys and values, such as \"d_out\": 2");
  a.d_out = fields.whole("d_out", model.d_in(), 1, kMost);
  a.num_heads = fields.whole("num_heads", 1, 1, kMost);
  a.qkv_bias = fields.flag("qkv_bias", false);
  a.output_projection = fields.flag("output_projection", false);
  if (const Json* scale = fields.find("scale")) a.scale = scale_value(*scale, fields.place("scale"));
  a.normalization = fields.choice("normalization", kNormalizationWords, Normalization::Softmax);
  a.dropout = read_dropout(fields);
  if (const Json* heads = fields.find("disabled_heads"))
    a.disabled_heads = head_list(*heads, fields.place("disabled_heads"), a.num_heads);
  read_mask(fields, arrays, model);
}

}  // namespace headlight
