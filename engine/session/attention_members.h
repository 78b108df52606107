// What the "attention" object of a session file holds, and the objects in it. The recovery journal stores the
// same members. Each declaration begins with the names of all members of its struct, so that a new one does
// not compile until it is declared.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "engine/architecture/layer_setting.h"
#include "engine/json/json_members.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace form {

// A number, or a list with one per sequence; `plain`: a single one is written without a list.
struct Counts {
  Index low, high;
  bool plain = false;
  void read(const Json& json, const std::string& place, std::vector<Index>& value) const;
  void write(JsonWriter& out, const std::vector<Index>& value) const;
};

// [left, right], with null for an open side.
struct WindowSides {
  using Sides = std::tuple<std::optional<Index>&, std::optional<Index>&>;
  using WrittenSides = std::tuple<const std::optional<Index>&, const std::optional<Index>&>;
  void read(const Json& json, const std::string& place, const Sides& sides) const;
  void write(JsonWriter& out, const WrittenSides& sides) const;
};

// A number, or null for none.
struct Seed {
  void read(const Json& json, const std::string& place, std::optional<std::int64_t>& value) const {
    using Limits = std::numeric_limits<std::int64_t>;
    value.reset();
    if (!json.is_null()) value = whole_value(json, place, Limits::min(), Limits::max());
  }
  void write(JsonWriter& out, const std::optional<std::int64_t>& value) const {
    if (value)
      out.whole(*value);
    else
      out.null();
  }
};

// A word or a number.
struct ScaleValue {
  void read(const Json& json, const std::string& place, Scale& value) const {
    if (json.is_number())
      value = {ScaleKind::Number, json.get<double>()};
    else
      value = {JsonFields::word_value(json, place, kScaleWords)};
  }
  void write(JsonWriter& out, const Scale& value) const {
    if (value.kind == ScaleKind::Number)
      out.number(value.number);
    else
      out.text(word_of(kScaleWords, value.kind));
  }
};

// Heads in their order, counted from 0.
struct Heads : List<Whole> {
  explicit Heads(Index count) : List{Whole{0, count - 1}, "write [1]: counted from 0", "a list of heads"} {}
  void read(const Json& json, const std::string& place, std::vector<Index>& value) const {
    List::read(json, place, value);
    std::sort(value.begin(), value.end());
  }
};

// Given queries, keys and values are in the "given" object beside "attention": nothing is projected.
struct ProjectionWord : OneWord<Projection, kProjectionWords.size()> {
  ProjectionWord() : OneWord{kProjectionWords} {}
  void write(JsonWriter& out, Projection value) const {
    OneWord::write(out, value == Projection::Given ? Projection::None : value);
  }
};

// Of a mask, and of what is added to the scores: their matrices stand in JSON too, but are the layer's.
struct InLayer {
  bool has_bias = false;
};

}  // namespace form

void members(auto& member, Of<Dropout> auto& dropout) {
  auto& [probability, training, seed, build] = dropout;
  member("probability", probability, form::Plain());
  member("training", training, form::Plain());
  member("seed", seed, form::Seed());
  member("build", build, form::OneWord{kDropoutBuildWords}, build != DropoutBuild::Default);
}

void members(auto& member, Of<MaskRules> auto& rules) {
  auto& [causal, offsets, left, right, keys] = rules;
  member("causal", causal, form::Plain());
  member("offset", offsets, form::Counts{-kMostTokens, kMostTokens, true}, !offsets.empty());
  member("window", std::tie(left, right), form::OrNull{form::WindowSides()}, left || right);
  member("keys", keys, form::Counts{0, kMostTokens}, !keys.empty());
}

void members(auto& member, Of<RotaryScaling> auto& scaling) {
  auto& [factor, low, high, positions, blend, magnitude, factors] = scaling;
  const form::List numbers{form::Plain(), "write one number for each pair that turns"};
  member("factor", factor, form::Plain());
  member("low", low, form::Plain());
  member("high", high, form::Plain());
  member("positions", positions, form::Whole{1, 1 << 30});
  member("blend", blend, form::OneWord{kBlendWords}, blend != RotaryBlend::Turns);
  member("magnitude", magnitude, form::Plain(), magnitude != 1);
  member("factors", factors, form::OrNull{numbers}, !factors.empty());
}

void members(auto& member, Of<Position> auto& position) {
  auto& [kind, theta, dims, pairs, scaling, start, key_start, slopes] = position;
  const bool turns = kind != PositionKind::Alibi;
  const form::Whole anywhere{-(1 << 30), 1 << 30};
  const form::List numbers{form::Plain(), "write one number for each head"};
  member("kind", kind, form::Required{form::OneWord{kPositionWords}, "write \"rope\" or \"alibi\""});
  member("theta", theta, form::Plain(), turns);
  member("dims", dims, form::OrNull{form::Whole{2, 1 << 24}}, turns && dims > 0);
  member("pairs", pairs, form::OneWord{kPairsWords}, turns);
  member("scaling", scaling, form::OrNull{form::Plain()}, turns && scaling != RotaryScaling{});
  member("start", start, anywhere, turns);
  member("key_start", key_start, anywhere, turns);
  member("slopes", slopes, form::OrNull{numbers}, !turns && !slopes.empty());
}

// in_layer: the form of the mask and of what is added to the scores.
template <class InLayer = form::InLayer>
void members(auto& member, Of<AttentionSettings> auto& settings, const InLayer& in_layer = {}) {
  auto& [projection, d_out, num_heads, num_kv_heads, d_k, d_v, position, qkv_bias, output_projection, scale,
         softcap, sinks, mask, rules, normalization, dropout, disabled_heads] = settings;
  const form::Whole width{1, 1 << 24};
  const char* const d_out_hint = "give the width of queries, keys and values, such as \"d_out\": 2";
  const form::List numbers{form::Plain(), "write one number for each head"};
  member("projection", projection, form::ProjectionWord());
  member("d_out", d_out, form::Required{width, projection == Projection::Linear ? d_out_hint : nullptr});
  member("num_heads", num_heads, width);
  member("num_kv_heads", num_kv_heads, width, num_kv_heads != 0);
  member("d_k", d_k, width, d_k != 0);
  member("d_v", d_v, width, d_v != 0);
  member(setting_name(LayerSetting::Position), position, form::OrNull{form::Plain()},
         position.kind != PositionKind::None);
  member(setting_name(LayerSetting::Softcap), softcap, form::OrNull{form::Plain()}, softcap != 0);
  member(setting_name(LayerSetting::Sinks), sinks, form::OrNull{numbers}, !sinks.empty());
  member(setting_name(LayerSetting::Bias), std::tie(), in_layer, in_layer.has_bias);
  member("qkv_bias", qkv_bias, form::Plain());
  member("output_projection", output_projection, form::Plain());
  member(setting_name(LayerSetting::Scale), scale, form::ScaleValue());
  member(setting_name(LayerSetting::Mask), std::tie(mask, rules), in_layer);
  member(setting_name(LayerSetting::Normalization), normalization, form::OneWord{kNormalizationWords});
  member(setting_name(LayerSetting::Dropout), dropout, form::Plain());
  member("disabled_heads", disabled_heads, form::Heads{num_heads}, !disabled_heads.empty());
}

}  // namespace headlight
