#include "engine/session/attention_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/error.h"
#include "engine/session/attention_members.h"

namespace headlight {
namespace form {

void Numbers::read(const Json& json, const std::string& place, std::vector<double>& value) const {
  value.clear();
  if (json.is_null()) return;
  const Json list = is_packed(json) ? Json(packed_numbers(json)) : json;
  if (!list.is_array())
    throw Error("is " + json_kind(json) + ", expected a list", place,
                "write one number for each " + std::string(of));
  for (const Json& number : list)
    value.push_back(number_value(number, place + "[" + std::to_string(value.size()) + "]"));
}

// parse_json() may have packed the list.
void Counts::read(const Json& json, const std::string& place, std::vector<Index>& value) const {
  value.clear();
  if (!json.is_array() && !is_packed(json)) {
    value.push_back(whole_value(json, place, low, high));
    return;
  }
  const Json list = is_packed(json) ? Json(packed_numbers(json)) : json;
  for (const Json& number : list) {
    const std::string where = place + "[" + std::to_string(value.size()) + "]";
    const double exact = number_value(number, where);
    value.push_back(whole_value(exact == std::floor(exact) ? Json(static_cast<std::int64_t>(exact)) : number,
                                where, low, high));
  }
  if (value.empty()) throw Error("has no numbers", place, "give one for each sequence");
}

void Counts::write(JsonWriter& out, const std::vector<Index>& value) const {
  if (plain && value.size() == 1)
    out.whole(value.front());
  else
    out.wholes(value);
}

void WindowSides::read(const Json& json, const std::string& place, const Sides& sides) const {
  const Json list = is_packed(json) ? Json(packed_numbers(json)) : json;
  if (!list.is_array() || list.size() != 2)
    throw Error("is " + json_kind(json) + ", expected two numbers", place,
                "write [left, right]: so many keys before and behind, null for an open side");
  const auto read_side = [&](const Json& side, std::optional<Index>& value) {
    if (side.is_null()) return;
    std::vector<Index> reach;
    Counts{-kMostTokens, kMostTokens}.read(side.is_number() ? Json::array({side}) : side, place, reach);
    if (reach.front() < 0)
      throw Error("the window reaches " + std::to_string(reach.front()) + " keys", place,
                  "0 is the query's own position; null leaves the side open");
    value = reach.front();
  };
  read_side(list[0], std::get<0>(sides));
  read_side(list[1], std::get<1>(sides));
}

void WindowSides::write(JsonWriter& out, const WrittenSides& sides) const {
  out.begin_list();
  for (const std::optional<Index>& side : {std::get<0>(sides), std::get<1>(sides)}) {
    out.next_item();
    if (side)
      out.whole(*side);
    else
      out.null();
  }
  out.end_list();
}

void Seed::read(const Json& json, const std::string& place, std::optional<std::int64_t>& value) const {
  if (json.is_null())
    value.reset();
  else
    value = whole_value(json, place, std::numeric_limits<std::int64_t>::min(),
                        std::numeric_limits<std::int64_t>::max());
}

void Seed::write(JsonWriter& out, const std::optional<std::int64_t>& value) const {
  if (value)
    out.whole(*value);
  else
    out.null();
}

void ScaleValue::read(const Json& json, const std::string& place, Scale& value) const {
  if (json.is_number())
    value = {ScaleKind::Number, json.get<double>()};
  else
    value = {JsonFields::word_value(json, place, kScaleWords)};
}

void ScaleValue::write(JsonWriter& out, const Scale& value) const {
  if (value.kind == ScaleKind::Number)
    out.number(value.number);
  else
    out.text(word_of(kScaleWords, value.kind));
}

void Heads::read(const Json& json, const std::string& place, std::vector<Index>& value) const {
  if (!json.is_array())
    throw Error("is " + json_kind(json) + ", expected a list of heads", place, "write [1]: counted from 0");
  value.clear();
  for (const Json& head : json)
    value.push_back(whole_value(head, place + "[" + std::to_string(value.size()) + "]", 0, count - 1));
  std::sort(value.begin(), value.end());
}

}  // namespace form

namespace {

// Repeats a broadcast row or column to the full size, because cells of a mask are painted one by one.
void spread(PairArray& array, Index rows, Index columns) {
  for (Matrix& matrix : array.matrices) {
    if (matrix.rows() == 1 && rows > 1) matrix = matrix.replicate(rows, 1).eval();
    if (matrix.cols() == 1 && columns > 1) matrix = matrix.replicate(1, columns).eval();
  }
}

void read_rules(const Json& value, const std::string& place, ArrayReader& arrays, Layer& layer) {
  std::vector<std::string> known = member_names<MaskRules>();
  known.emplace_back("allowed");
  const JsonFields fields(value, place, known);
  layer.attention.mask = MaskKind::Rules;
  MemberReader reader(fields);
  members(reader, layer.attention.rules);
  const Json* allowed = fields.find("allowed");
  if (!allowed) return;
  layer.allowed = arrays.pairs(*allowed, fields.place("allowed"));
  spread(layer.allowed, layer.token_count(), layer.key_count());
}

void read_mask(const Json& value, const std::string& place, ArrayReader& arrays, Layer& layer) {
  if (value.is_object() && !value.contains("file")) return read_rules(value, place, arrays, layer);
  if (!value.is_array() && !value.is_object() && !is_packed(value)) {
    layer.attention.mask = JsonFields::word_value(value, place, kMaskWords);
    return;
  }
  PairArray mask = arrays.pairs(value, place);
  if (mask.matrices.size() == 1) {
    layer.attention.mask = MaskKind::Custom;
    layer.custom_mask = std::move(mask.matrices.front());
  } else {
    layer.attention.mask = MaskKind::Rules;
    layer.allowed = std::move(mask);
    spread(layer.allowed, layer.token_count(), layer.key_count());
  }
}

void write_rules(JsonWriter& out, const Layer& layer, const std::string& place, ArrayWriter& arrays) {
  out.begin_object();
  MemberWriter writer(out);
  members(writer, layer.attention.rules);
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

// Reads the settings of `layer`, and the matrices that stand among them.
class LayerReader : public MemberReader {
 public:
  LayerReader(const JsonFields& object, ArrayReader& arrays, Layer& layer)
      : MemberReader(object), arrays_(arrays), layer_(layer) {}

  using MemberReader::operator();
  template <class T>
  void operator()(const char* name, T&&, const form::LayerMask&) {
    if (const Json* json = object_.find(name)) read_mask(*json, object_.place(name), arrays_, layer_);
  }
  template <class T>
  void operator()(const char* name, T&&, const form::ScoreBias&) {
    const Json* json = object_.find(name);
    if (json && !json->is_null()) layer_.score_bias = arrays_.pairs(*json, object_.place(name));
  }

 private:
  ArrayReader& arrays_;
  Layer& layer_;
};

// Writes the settings of `layer`, and its matrices; `only`: this setting alone, null if it is none.
class LayerWriter {
 public:
  LayerWriter(JsonWriter& out, const Layer& layer, std::string place, ArrayWriter& arrays,
              std::string_view only = {})
      : out_(out), layer_(layer), place_(std::move(place)), arrays_(arrays), only_(only) {}

  template <class T, class Form>
  void operator()(const char* name, const T& value, const Form& form, bool written = true) {
    write(name, written, [&] { form.write(out_, value); });
  }
  template <class T>
  void operator()(const char* name, const T&, const form::LayerMask&) {
    write(name, true, [&] { write_mask(out_, layer_, place_ + "." + name, arrays_); });
  }
  template <class T>
  void operator()(const char* name, const T&, const form::ScoreBias&) {
    write(name, !layer_.score_bias.empty(),
          [&] { arrays_.pairs(out_, place_ + "." + name, layer_.score_bias); });
  }

 private:
  template <class WriteValue>
  void write(std::string_view name, bool written, WriteValue write_value) {
    if (only_.empty() ? !written : name != only_) return;
    out_.key(name);
    if (written)
      write_value();
    else
      out_.null();
  }

  JsonWriter& out_;
  const Layer& layer_;
  std::string place_;
  ArrayWriter& arrays_;
  std::string_view only_;
};

}  // namespace

OwnSettings read_layer_settings(const Json& value, const std::string& place, Index tokens, Index keys,
                                ArrayReader& arrays) {
  std::vector<std::string> names;
  names.reserve(std::size(kLayerSettings));
  for (const LayerSetting setting : kLayerSettings)
    names.emplace_back(setting_name(setting));
  const JsonFields fields(value, place, names);
  Layer layer;
  layer.tokens.resize(static_cast<std::size_t>(tokens));
  layer.key_tokens.resize(static_cast<std::size_t>(keys));
  LayerReader reader(fields, arrays, layer);
  members(reader, layer.attention);
  OwnSettings settings;
  for (const LayerSetting setting : kLayerSettings)
    if (fields.has(setting_name(setting)))
      settings[static_cast<std::size_t>(setting)] = setting_of(setting, layer);
  return settings;
}

void write_layer_setting(JsonWriter& out, LayerSetting setting, const Layer& value, const std::string& place,
                         ArrayWriter& arrays) {
  out.begin_object();
  LayerWriter writer(out, value, place, arrays, setting_name(setting));
  members(writer, value.attention);
  out.end_object();
}

void read_attention(const Json& value, ArrayReader& arrays, Layer& layer) {
  const JsonFields fields(value, "attention", member_names<AttentionSettings>());
  layer.attention.d_out = layer.d_in();
  LayerReader reader(fields, arrays, layer);
  members(reader, layer.attention);
}

void write_attention(JsonWriter& out, const Layer& layer, ArrayWriter& arrays) {
  out.begin_object();
  LayerWriter writer(out, layer, "attention", arrays);
  members(writer, layer.attention);
  out.end_object();
}

}  // namespace headlight
