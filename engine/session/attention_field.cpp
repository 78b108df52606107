#include "engine/session/attention_field.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/session/attention_members.h"

namespace headlight {
namespace form {

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
    Seed().write(out, side);
  }
  out.end_list();
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

// Reads the mask and the bias with their matrices.
struct LayerInput {
  ArrayReader& arrays;
  Layer& layer;
  bool has_bias = true;

  void read(const Json& json, const std::string& place, const std::tuple<>&) const {
    if (!json.is_null()) layer.score_bias = arrays.pairs(json, place);
  }
  void read(const Json& json, const std::string& place,
            const std::tuple<MaskKind&, MaskRules&>& settings) const {
    auto& [mask, rules] = settings;
    if (json.is_object() && !json.contains("file")) {
      mask = MaskKind::Rules;
      return read_rules(json, place, rules);
    }
    if (!json.is_array() && !json.is_object() && !is_packed(json)) {
      mask = JsonFields::word_value(json, place, kMaskWords);
      return;
    }
    PairArray painted = arrays.pairs(json, place);
    const bool custom = painted.matrices.size() == 1;
    mask = custom ? MaskKind::Custom : MaskKind::Rules;
    if (custom)
      layer.custom_mask = std::move(painted.matrices.front());
    else
      allow(std::move(painted));
  }

 private:
  void read_rules(const Json& json, const std::string& place, MaskRules& rules) const {
    std::vector<std::string> known = member_names<MaskRules>();
    known.emplace_back("allowed");
    const JsonFields object(json, place, known);
    MemberReader reader(object);
    members(reader, rules);
    if (const Json* allowed = object.find("allowed")) allow(arrays.pairs(*allowed, object.place("allowed")));
  }
  void allow(PairArray&& pairs) const {
    layer.allowed = std::move(pairs);
    spread(layer.allowed, layer.token_count(), layer.key_count());
  }
};

// Writes the mask and the bias with their matrices.
struct LayerOutput {
  ArrayWriter& arrays;
  const Layer& layer;
  const std::string& place;  // of the settings
  bool has_bias = !layer.score_bias.empty();

  void write(JsonWriter& out, const std::tuple<>&) const {
    arrays.pairs(out, place + ".bias", layer.score_bias);
  }
  void write(JsonWriter& out, const std::tuple<const MaskKind&, const MaskRules&>& settings) const {
    const auto& [mask, rules] = settings;
    switch (mask) {
      case MaskKind::Rules:
        return write_rules(out, rules);
      case MaskKind::Custom:
        return arrays.flags(out, place + ".mask", layer.custom_mask);
      case MaskKind::None:
      case MaskKind::Causal:
        return out.text(word_of(kMaskWords, mask));
    }
  }

 private:
  void write_rules(JsonWriter& out, const MaskRules& rules) const {
    out.begin_object();
    MemberWriter writer(out);
    members(writer, rules);
    if (!layer.allowed.empty()) {
      out.key("allowed");
      arrays.pairs(out, place + ".mask.allowed", layer.allowed, true);
    }
    out.end_object();
  }
};

void read_settings_of(Layer& layer, const JsonFields& object, ArrayReader& arrays) {
  MemberReader reader(object);
  members(reader, layer.attention, LayerInput{arrays, layer});
}

void write_settings_of(const Layer& layer, JsonWriter& out, const std::string& place, ArrayWriter& arrays,
                       std::string_view only = {}) {
  out.begin_object();
  MemberWriter writer(out, only);
  members(writer, layer.attention, LayerOutput{arrays, layer, place});
  out.end_object();
}

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
  read_settings_of(layer, fields, arrays);
  OwnSettings settings;
  for (const LayerSetting setting : kLayerSettings)
    if (fields.has(setting_name(setting)))
      settings[static_cast<std::size_t>(setting)] = setting_of(setting, layer);
  return settings;
}

void write_layer_setting(JsonWriter& out, LayerSetting setting, const Layer& value, const std::string& place,
                         ArrayWriter& arrays) {
  write_settings_of(value, out, place, arrays, setting_name(setting));
}

void read_attention(const Json& value, ArrayReader& arrays, Layer& layer) {
  layer.attention.d_out = layer.d_in();
  read_settings_of(layer, {value, "attention", member_names<AttentionSettings>()}, arrays);
}

void write_attention(JsonWriter& out, const Layer& layer, ArrayWriter& arrays) {
  write_settings_of(layer, out, "attention", arrays);
}

}  // namespace headlight
