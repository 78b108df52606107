#include "engine/session/attention_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

Dropout read_dropout(const JsonFields& attention) {
  Dropout dropout;
  const Json* value = attention.find("dropout");
  if (!value) return dropout;
  const JsonFields fields(*value, attention.place("dropout"), {"probability", "training", "seed", "build"});
  dropout.probability = fields.number("probability", dropout.probability);
  dropout.training = fields.flag("training", dropout.training);
  if (const Json* seed = fields.find("seed")) dropout.seed = dropout_seed_value(*seed, fields.place("seed"));
  dropout.build = fields.choice("build", kDropoutBuildWords, DropoutBuild::Default);
  return dropout;
}

void write_dropout(JsonWriter& out, const Dropout& dropout) {
  out.begin_object();
  out.key("probability").number(dropout.probability);
  out.key("training").flag(dropout.training);
  out.key("seed");
  if (dropout.seed)
    out.whole(*dropout.seed);
  else
    out.null();
  if (dropout.build != DropoutBuild::Default) {
    out.key("build").text(word_of(kDropoutBuildWords, dropout.build));
  }
  out.end_object();
}

// One number, or a list with one number per sequence. parse_json() may have packed the list.
std::vector<Index> counts(const Json& value, const std::string& place, Index low, Index high) {
  if (!value.is_array() && !is_packed(value)) return {whole_value(value, place, low, high)};
  std::vector<Index> result;
  const Json list = is_packed(value) ? Json(packed_numbers(value)) : value;
  for (const Json& number : list) {
    const std::string where = place + "[" + std::to_string(result.size()) + "]";
    const double exact = number_value(number, where);
    result.push_back(whole_value(exact == std::floor(exact) ? Json(static_cast<std::int64_t>(exact)) : number,
                                 where, low, high));
  }
  if (result.empty()) throw Error("has no numbers", place, "give one for each sequence");
  return result;
}

void read_window(const Json& value, const std::string& place, MaskRules& rules) {
  const Json list = is_packed(value) ? Json(packed_numbers(value)) : value;
  if (!list.is_array() || list.size() != 2)
    throw Error("is " + json_kind(value) + ", expected two numbers", place,
                "write [left, right]: so many keys before and behind, null for an open side");
  const std::array<std::optional<Index>*, 2> sides = {&rules.left, &rules.right};
  for (std::size_t side = 0; side < 2; ++side) {
    if (list[side].is_null()) continue;
    const Index reach = counts(list[side].is_number() ? Json::array({list[side]}) : list[side], place,
                               -kMostTokens, kMostTokens)
                            .front();
    if (reach < 0)
      throw Error("the window reaches " + std::to_string(reach) + " keys", place,
                  "0 is the query's own position; null leaves the side open");
    *sides[side] = reach;
  }
}

// Repeats a broadcast row or column to the full size, because cells of a mask are painted one by one.
void spread(PairArray& array, Index rows, Index columns) {
  for (Matrix& matrix : array.matrices) {
    if (matrix.rows() == 1 && rows > 1) matrix = matrix.replicate(rows, 1).eval();
    if (matrix.cols() == 1 && columns > 1) matrix = matrix.replicate(1, columns).eval();
  }
}

void read_rules(const Json& value, const std::string& place, ArrayReader& arrays, Layer& layer) {
  const JsonFields fields(value, place, {"causal", "offset", "window", "keys", "allowed"});
  layer.attention.mask = MaskKind::Rules;
  MaskRules& rules = layer.attention.rules;
  rules.causal = fields.flag("causal", false);
  if (const Json* offset = fields.find("offset"))
    rules.offsets = counts(*offset, fields.place("offset"), -kMostTokens, kMostTokens);
  if (const Json* window = fields.find("window"); window && !window->is_null())
    read_window(*window, fields.place("window"), rules);
  if (const Json* keys = fields.find("keys"))
    rules.keys = counts(*keys, fields.place("keys"), 0, kMostTokens);
  const Json* allowed = fields.find("allowed");
  if (!allowed) return;
  layer.allowed = arrays.pairs(*allowed, fields.place("allowed"));
  spread(layer.allowed, layer.token_count(), layer.key_count());
}

void read_mask(const JsonFields& fields, ArrayReader& arrays, Layer& layer) {
  const Json* value = fields.find("mask");
  if (!value) return;
  const std::string place = fields.place("mask");
  if (value->is_object() && !value->contains("file")) return read_rules(*value, place, arrays, layer);
  if (!value->is_array() && !value->is_object() && !is_packed(*value)) {
    layer.attention.mask = JsonFields::word_value(*value, place, kMaskWords);
    return;
  }
  PairArray mask = arrays.pairs(*value, place);
  if (mask.matrices.size() == 1) {
    layer.attention.mask = MaskKind::Custom;
    layer.custom_mask = std::move(mask.matrices.front());
  } else {
    layer.attention.mask = MaskKind::Rules;
    layer.allowed = std::move(mask);
    spread(layer.allowed, layer.token_count(), layer.key_count());
  }
}

void write_counts(JsonWriter& out, const char* key, const std::vector<Index>& counts, bool one) {
  if (counts.empty()) return;
  out.key(key);
  if (one && counts.size() == 1)
    out.whole(counts.front());
  else
    out.wholes(counts);
}

void write_window(JsonWriter& out, const MaskRules& rules) {
  if (!rules.left && !rules.right) return;
  out.key("window").begin_list();
  for (const auto& side : {rules.left, rules.right}) {
    out.next_item();
    if (side)
      out.whole(*side);
    else
      out.null();
  }
  out.end_list();
}

void write_rules(JsonWriter& out, const Layer& layer, const std::string& place, ArrayWriter& arrays) {
  const MaskRules& rules = layer.attention.rules;
  out.begin_object();
  out.key("causal").flag(rules.causal);
  write_counts(out, "offset", rules.offsets, true);
  write_window(out, rules);
  write_counts(out, "keys", rules.keys, false);
  if (!layer.allowed.empty()) {
    out.key("allowed");
    arrays.pairs(out, place + ".allowed", layer.allowed, true);
  }
  out.end_object();
}

void write_mask(JsonWriter& out, const Layer& layer, const std::string& place, ArrayWriter& arrays) {
  switch (layer.attention.mask) {
    case MaskKind::Rules:
      return write_rules(out, layer, place, arrays);
    case MaskKind::Custom:
      return arrays.flags(out, place, layer.custom_mask);
    case MaskKind::None:
    case MaskKind::Causal:
      return out.text(word_of(kMaskWords, layer.attention.mask));
  }
}

// A list of one number for each `of`; empty if it is missing or null.
std::vector<double> read_numbers(const JsonFields& fields, const char* name, const std::string& of) {
  std::vector<double> numbers;
  const Json* value = fields.find(name);
  if (!value || value->is_null()) return numbers;
  const Json list = is_packed(*value) ? Json(packed_numbers(*value)) : *value;
  if (!list.is_array())
    throw Error("is " + json_kind(*value) + ", expected a list", fields.place(name),
                "write one number for each " + of);
  for (const Json& number : list)
    numbers.push_back(number_value(number, fields.place(name) + "[" + std::to_string(numbers.size()) + "]"));
  return numbers;
}

RotaryScaling read_scaling(const JsonFields& position) {
  RotaryScaling scaling;
  const Json* value = position.find("scaling");
  if (!value || value->is_null()) return scaling;
  const JsonFields fields(*value, position.place("scaling"),
                          {"factor", "low", "high", "positions", "blend", "magnitude", "factors"});
  scaling.factor = fields.number("factor", scaling.factor);
  scaling.low = fields.number("low", scaling.low);
  scaling.high = fields.number("high", scaling.high);
  scaling.positions = fields.whole("positions", scaling.positions, 1, 1 << 30);
  scaling.blend = fields.choice("blend", kBlendWords, scaling.blend);
  scaling.magnitude = fields.number("magnitude", scaling.magnitude);
  scaling.factors = read_numbers(fields, "factors", "pair that turns");
  return scaling;
}

Position read_position(const JsonFields& attention) {
  Position position;
  const Json* value = attention.find("position");
  if (!value || value->is_null()) return position;
  const JsonFields fields(*value, attention.place("position"),
                          {"kind", "theta", "dims", "pairs", "scaling", "start", "key_start", "slopes"});
  fields.require("kind", "write \"rope\" or \"alibi\"");
  constexpr std::int64_t kFarthest = 1 << 30;
  position.kind = fields.choice("kind", kPositionWords, PositionKind::None);
  position.theta = fields.number("theta", position.theta);
  if (const Json* dims = fields.find("dims"); dims && !dims->is_null())
    position.dims = fields.whole("dims", 0, 2, 1 << 24);
  position.pairs = fields.choice("pairs", kPairsWords, RotaryPairs::Halves);
  position.scaling = read_scaling(fields);
  position.start = fields.whole("start", 0, -kFarthest, kFarthest);
  position.key_start = fields.whole("key_start", 0, -kFarthest, kFarthest);
  position.slopes = read_numbers(fields, "slopes", "head");
  return position;
}

void write_scaling(JsonWriter& out, const RotaryScaling& scaling) {
  if (scaling == RotaryScaling{}) return;
  out.key("scaling").begin_object();
  out.key("factor").number(scaling.factor);
  out.key("low").number(scaling.low);
  out.key("high").number(scaling.high);
  out.key("positions").whole(scaling.positions);
  if (scaling.blend != RotaryBlend::Turns) {
    out.key("blend").text(word_of(kBlendWords, scaling.blend));
  }
  if (scaling.magnitude != 1) {
    out.key("magnitude").number(scaling.magnitude);
  }
  if (!scaling.factors.empty()) {
    out.key("factors").numbers(scaling.factors);
  }
  out.end_object();
}

void write_position(JsonWriter& out, const Position& position) {
  out.begin_object();
  out.key("kind").text(word_of(kPositionWords, position.kind));
  if (position.kind == PositionKind::Alibi) {
    if (!position.slopes.empty()) {
      out.key("slopes").numbers(position.slopes);
    }
    return out.end_object();
  }
  out.key("theta").number(position.theta);
  if (position.dims > 0) {
    out.key("dims").whole(position.dims);
  }
  out.key("pairs").text(word_of(kPairsWords, position.pairs));
  write_scaling(out, position.scaling);
  out.key("start").whole(position.start);
  out.key("key_start").whole(position.key_start);
  out.end_object();
}

void write_if_set(JsonWriter& out, const char* key, Index value) {
  if (value == 0) return;
  out.key(key).whole(value);
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

namespace {

void read_setting(LayerSetting setting, const JsonFields& fields, ArrayReader& arrays, Layer& layer) {
  AttentionSettings& a = layer.attention;
  const char* const name = setting_name(setting);
  const Json* const value = fields.find(name);
  const bool given = value && !value->is_null();
  switch (setting) {
    case LayerSetting::Position:
      a.position = read_position(fields);
      return;
    case LayerSetting::Softcap:
      if (given) a.softcap = fields.number(name, 0);
      return;
    case LayerSetting::Sinks:
      a.sinks = read_numbers(fields, name, "head");
      return;
    case LayerSetting::Bias:
      if (given) layer.score_bias = arrays.pairs(*value, fields.place(name));
      return;
    case LayerSetting::Scale:
      if (value) a.scale = scale_value(*value, fields.place(name));
      return;
    case LayerSetting::Mask:
      return read_mask(fields, arrays, layer);
    case LayerSetting::Normalization:
      a.normalization = fields.choice(name, kNormalizationWords, Normalization::Softmax);
      return;
    case LayerSetting::Dropout:
      a.dropout = read_dropout(fields);
      return;
  }
}

// Whether a session's file says nothing about it.
bool is_left_out(LayerSetting setting, const Layer& layer) {
  const AttentionSettings& a = layer.attention;
  return (setting == LayerSetting::Position && a.position.kind == PositionKind::None) ||
         (setting == LayerSetting::Softcap && a.softcap == 0) ||
         (setting == LayerSetting::Sinks && a.sinks.empty()) ||
         (setting == LayerSetting::Bias && layer.score_bias.empty());
}

void write_value(JsonWriter& out, LayerSetting setting, const Layer& layer, const std::string& place,
                 ArrayWriter& arrays) {
  const AttentionSettings& a = layer.attention;
  switch (setting) {
    case LayerSetting::Position:
      return write_position(out, a.position);
    case LayerSetting::Softcap:
      return out.number(a.softcap);
    case LayerSetting::Sinks:
      return out.numbers(a.sinks);
    case LayerSetting::Bias:
      return arrays.pairs(out, place, layer.score_bias);
    case LayerSetting::Scale:
      return write_scale(out, a.scale);
    case LayerSetting::Mask:
      return write_mask(out, layer, place, arrays);
    case LayerSetting::Normalization:
      return out.text(word_of(kNormalizationWords, a.normalization));
    case LayerSetting::Dropout:
      return write_dropout(out, a.dropout);
  }
}

void write_member(JsonWriter& out, LayerSetting setting, const Layer& layer, const std::string& place,
                  ArrayWriter& arrays) {
  out.key(setting_name(setting));
  write_value(out, setting, layer, place + "." + setting_name(setting), arrays);
}

}  // namespace

OwnSettings read_layer_settings(const Json& value, const std::string& place, Index tokens, Index keys,
                                ArrayReader& arrays) {
  std::vector<std::string> members;
  members.reserve(std::size(kLayerSettings));
  for (const LayerSetting setting : kLayerSettings)
    members.emplace_back(setting_name(setting));
  const JsonFields fields(value, place, members);
  Layer read;
  read.tokens.resize(static_cast<std::size_t>(tokens));
  read.key_tokens.resize(static_cast<std::size_t>(keys));
  OwnSettings settings;
  for (const LayerSetting setting : kLayerSettings) {
    if (!fields.has(setting_name(setting))) continue;
    read_setting(setting, fields, arrays, read);
    settings[static_cast<std::size_t>(setting)] = setting_of(setting, read);
  }
  return settings;
}

void write_layer_setting(JsonWriter& out, LayerSetting setting, const Layer& value, const std::string& place,
                         ArrayWriter& arrays) {
  out.begin_object();
  if (is_left_out(setting, value)) {
    out.key(setting_name(setting));
    out.null();
  } else {
    write_member(out, setting, value, place, arrays);
  }
  out.end_object();
}

void read_attention(const Json& value, ArrayReader& arrays, Layer& layer) {
  const JsonFields fields(value, "attention",
                          {"projection", "d_out", "num_heads", "num_kv_heads", "d_k", "d_v", "position",
                           "softcap", "sinks", "bias", "qkv_bias", "output_projection", "scale", "mask",
                           "normalization", "dropout", "disabled_heads"});
  constexpr std::int64_t kMost = 1 << 24;
  AttentionSettings& a = layer.attention;
  a.projection = fields.choice("projection", kProjectionWords, Projection::None);
  if (a.projection == Projection::Linear)
    fields.require("d_out", "give the width of queries, keys and values, such as \"d_out\": 2");
  a.d_out = fields.whole("d_out", layer.d_in(), 1, kMost);
  a.num_heads = fields.whole("num_heads", 1, 1, kMost);
  a.num_kv_heads = fields.whole("num_kv_heads", 0, 1, kMost);
  a.d_k = fields.whole("d_k", 0, 1, kMost);
  a.d_v = fields.whole("d_v", 0, 1, kMost);
  a.qkv_bias = fields.flag("qkv_bias", false);
  a.output_projection = fields.flag("output_projection", false);
  for (const LayerSetting setting : kLayerSettings)
    read_setting(setting, fields, arrays, layer);
  if (const Json* heads = fields.find("disabled_heads"))
    a.disabled_heads = head_list(*heads, fields.place("disabled_heads"), a.num_heads);
}

void write_attention(JsonWriter& out, const Layer& layer, ArrayWriter& arrays) {
  const AttentionSettings& a = layer.attention;
  out.begin_object();
  out.key("projection");
  // Given queries, keys and values are in the "given" object beside "attention": nothing is projected.
  out.text(word_of(kProjectionWords, a.projection == Projection::Given ? Projection::None : a.projection));
  out.key("d_out").whole(a.d_out);
  out.key("num_heads").whole(a.num_heads);
  write_if_set(out, "num_kv_heads", a.num_kv_heads);
  write_if_set(out, "d_k", a.d_k);
  write_if_set(out, "d_v", a.d_v);
  const auto write = [&](LayerSetting setting) {
    if (!is_left_out(setting, layer)) write_member(out, setting, layer, "attention", arrays);
  };
  for (const LayerSetting setting :
       {LayerSetting::Position, LayerSetting::Softcap, LayerSetting::Sinks, LayerSetting::Bias})
    write(setting);
  out.key("qkv_bias").flag(a.qkv_bias);
  out.key("output_projection").flag(a.output_projection);
  for (const LayerSetting setting :
       {LayerSetting::Scale, LayerSetting::Mask, LayerSetting::Normalization, LayerSetting::Dropout})
    write(setting);
  if (!a.disabled_heads.empty()) {
    out.key("disabled_heads").wholes(a.disabled_heads);
  }
  out.end_object();
}

}  // namespace headlight
