#include "engine/session/attention_field.h"

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

void write_dropout(JsonWriter& out, const Dropout& dropout) {
  out.begin_object();
  out.key("probability");
  out.number(dropout.probability);
  out.key("training");
  out.flag(dropout.training);
  out.key("seed");
  if (dropout.seed)
    out.whole(*dropout.seed);
  else
    out.null();
  out.end_object();
}

void read_mask(const JsonFields& fields, ArrayReader& arrays, Model& model) {
  const Json* value = fields.find("mask");
  if (!value) return;
  if (value->is_array() || value->is_object() || is_packed(*value)) {
    model.attention.mask = MaskKind::Custom;
    model.custom_mask = arrays.matrix(*value, fields.place("mask"));
  } else {
    model.attention.mask = JsonFields::word_value(*value, fields.place("mask"), kMaskWords);
  }
}

void write_mask(JsonWriter& out, const Model& model, ArrayWriter& arrays) {
  if (model.attention.mask == MaskKind::Custom)
    arrays.flags(out, "attention.mask", model.custom_mask);
  else
    out.text(word_of(kMaskWords, model.attention.mask));
}

}  // namespace

Scale scale_value(const Json& value, const std::string& place) {
  if (value.is_number()) return {ScaleKind::Number, value.get<double>()};
  return {JsonFields::word_value(value, place, kScaleWords)};
}

void write_scale(JsonWriter& out, const Scale& scale) {
  if (scale.kind == ScaleKind::Number)
    out.number(scale.number);
  else
    out.text(word_of(kScaleWords, scale.kind));
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

void read_attention(const Json& value, ArrayReader& arrays, Model& model) {
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

void write_attention(JsonWriter& out, const Model& model, ArrayWriter& arrays) {
  const AttentionSettings& a = model.attention;
  out.begin_object();
  out.key("projection");
  // Queries, keys and values that are given stand beside "attention": nothing is projected.
  out.text(word_of(kProjectionWords, a.projection == Projection::Given ? Projection::None : a.projection));
  out.key("d_out");
  out.whole(a.d_out);
  out.key("num_heads");
  out.whole(a.num_heads);
  out.key("qkv_bias");
  out.flag(a.qkv_bias);
  out.key("output_projection");
  out.flag(a.output_projection);
  out.key("scale");
  write_scale(out, a.scale);
  out.key("mask");
  write_mask(out, model, arrays);
  out.key("normalization");
  out.text(word_of(kNormalizationWords, a.normalization));
  out.key("dropout");
  write_dropout(out, a.dropout);
  if (!a.disabled_heads.empty()) {
    out.key("disabled_heads");
    out.wholes(a.disabled_heads);
  }
  out.end_object();
}

}  // namespace headlight
