#include "engine/network/config_rotary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr const char* kOriginal = "original_max_position_embeddings";
constexpr const char* kKnown = "known are linear, dynamic, yarn, llama3 and default";

// rope_parameters or rope_scaling, which must be the same for all layers.
class RopeMembers {
 public:
  explicit RopeMembers(const ConfigFields& json) {
    const Json *before = json.find("rope_scaling"), *now = json.find("rope_parameters");
    if (before && now && *before != *now)
      throw Error("it says other things than rope_parameters", "rope_scaling", "keep the one that is meant");
    if (!before && !now) return;
    name_ = now ? "rope_parameters" : "rope_scaling";
    members_ = of_all_layers(now ? *now : *before);
  }

  const Json* find(const std::string& member) {
    used_.push_back(member);
    const auto found = members_.find(member);
    return found == members_.end() || found->is_null() ? nullptr : &*found;
  }
  std::optional<double> number_if(const std::string& member) {
    const Json* found = find(member);
    return found ? std::optional(number_above_0(*found, place(member))) : std::nullopt;
  }
  double number(const std::string& member) {
    if (const auto found = number_if(member)) return *found;
    throw Error("it does not say " + in_quotes(member), name_, kMendConfig);
  }
  std::optional<Index> positions_if(const std::string& member) {
    const Json* found = find(member);
    if (!found) return std::nullopt;
    constexpr std::int64_t kMost = 1 << 30;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1 || found->get<std::int64_t>() > kMost)
      throw Error("it is " + found->dump() + ", expected a whole number above 0", place(member), kMendConfig);
    return found->get<Index>();
  }
  // rope_type, called type in older files.
  std::string kind() {
    const Json *now = find("rope_type"), *before = find("type");
    if (now && before && *now != *before)
      throw Error("its rope_type and its type are not the same", name_, "keep the one that is meant");
    const Json* found = now ? now : before;
    if (!found && find("factor")) throw Error("it does not say rope_type", name_, kKnown);
    if (!found) return "default";
    if (!found->is_string())
      throw Error("it is " + json_kind(*found) + ", expected text", place("rope_type"), kMendConfig);
    return found->get<std::string>();
  }
  std::string place(const std::string& member) const { return name_ + "." + member; }
  const std::string& name() const { return name_; }
  std::vector<std::string> unread() const {
    std::vector<std::string> names;
    for (const auto& [member, value] : members_.items())
      if (std::find(used_.begin(), used_.end(), member) == used_.end()) names.push_back(place(member));
    return names;
  }

 private:
  // Newer files may have one object per layer type.
  Json of_all_layers(const Json& members) const {
    if (!members.is_object())
      throw Error("it is " + json_kind(members) + ", expected an object", name_, kMendConfig);
    if (members.empty() || !members.begin()->is_object()) return members;
    for (const Json& other : members)
      if (other != *members.begin())
        throw Error("it has layers that turn their positions in different ways, which is not computed here",
                    name_, "the layers can be opened one by one: open the .safetensors file");
    return *members.begin();
  }

  std::string name_ = "rope_scaling";
  Json members_ = Json::object();
  std::vector<std::string> used_;
};

RotaryScaling llama3_scaling(RopeMembers& rope) {
  RotaryScaling scaling;
  scaling.factor = rope.number("factor");
  scaling.low = rope.number("low_freq_factor");
  scaling.high = rope.number("high_freq_factor");
  const auto positions = rope.positions_if(kOriginal);
  if (!positions)
    throw Error("it does not say \"original_max_position_embeddings\"", rope.name(), kMendConfig);
  scaling.positions = *positions;
  if (scaling.high <= scaling.low)
    throw Error("high_freq_factor is not above low_freq_factor", rope.name(), kMendConfig);
  return scaling;
}

// 0.1 ln s + 1, as in the paper; `weight` scales the logarithm.
double magnitude_of(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

RotaryScaling yarn_scaling(RopeMembers& rope, const ConfigFields& json, Index positions) {
  RotaryScaling scaling;
  scaling.factor = rope.number("factor");
  scaling.low = rope.number_if("beta_slow").value_or(1);
  scaling.high = rope.number_if("beta_fast").value_or(32);
  const auto first = rope.positions_if(kOriginal);
  scaling.positions = first.value_or(positions);
  if (first) json.require_same(kOriginal, static_cast<double>(*first), rope.name());
  // Some versions of the library use this ratio instead of the factor.
  constexpr double kRounding = 1e-6;
  const double share = static_cast<double>(positions) / static_cast<double>(scaling.positions);
  if (first && std::abs(share - scaling.factor) > kRounding * share)
    throw Error(
        "yarn's factor is " + Json(scaling.factor).dump() + ", but max_position_embeddings is " +
            Json(share).dump() +
            " times original_max_position_embeddings: versions of the library take the one or the other",
        rope.name(), "let them go together");
  const Json* whole = rope.find("truncate");
  if (whole && !whole->is_boolean())
    throw Error("it is " + json_kind(*whole) + ", expected true or false", rope.place("truncate"),
                kMendConfig);
  scaling.blend = !whole || whole->get<bool>() ? RotaryBlend::WholePairs : RotaryBlend::Pairs;
  const auto weight = rope.number_if("mscale"), of_all = rope.number_if("mscale_all_dim");
  scaling.magnitude = weight && of_all
                          ? magnitude_of(scaling.factor, *weight) / magnitude_of(scaling.factor, *of_all)
                          : magnitude_of(scaling.factor, 1);
  if (const auto said = rope.number_if("attention_factor")) scaling.magnitude = *said;
  if (scaling.high <= scaling.low)
    throw Error("yarn's beta_fast is not above beta_slow", rope.name(), kMendConfig);
  return scaling;
}

double dynamic_factor(RopeMembers& rope, const ConfigFields& json, Index positions, Index dims) {
  const double factor = rope.number("factor");
  const auto first = rope.positions_if(kOriginal);
  if (first && *first != positions)
    throw Error("it is " + std::to_string(*first) + ", but max_position_embeddings is " +
                    std::to_string(positions) + ": versions of the library take the one or the other",
                rope.place(kOriginal), "let both be the same");
  json.require_same(kOriginal, static_cast<double>(positions), "max_position_embeddings");
  if (dims < 4)
    throw Error("positions that grow need at least four numbers of a head that are turned", rope.name(),
                kMendConfig);
  return factor;
}

void read_scaling(RopeMembers& rope, const ConfigFields& json, Index positions, ConfigRotary& rotary) {
  const std::string kind = rope.kind();
  RotaryScaling& scaling = rotary.position.scaling;
  if (kind == "default") return;
  if (kind == "yarn" && rotary.position.theta <= 1)
    throw Error("yarn needs a theta above 1", "rope_theta", kMendConfig);
  if (kind == "linear")
    scaling = RotaryScaling::linear(rope.number("factor"));
  else if (kind == "llama3")
    scaling = llama3_scaling(rope);
  else if (kind == "yarn")
    scaling = yarn_scaling(rope, json, positions);
  else if (kind == "dynamic")
    rotary.dynamic = dynamic_factor(rope, json, positions, rotary.position.dims);
  else
    throw Error("positions scaled in the way of " + in_quotes(kind) + " are not known here", rope.name(),
                kKnown);
}

// A number that may appear at top level, in rope_parameters, or in both.
double number_given_once(const ConfigFields& json, const std::string& beside, RopeMembers& rope,
                         const std::string& member) {
  const auto nested = rope.number_if(member);
  if (!nested) return json.number(beside);
  json.require_same(beside, *nested, rope.place(member));
  return *nested;
}

}  // namespace

ConfigRotary read_rotary(const ConfigFields& json, Index head_width, Index positions) {
  RopeMembers rope(json);
  ConfigRotary rotary;
  Position& position = rotary.position;
  const bool neox = json.family() == Family::GptNeoX;
  position.kind = PositionKind::Rotary;
  position.theta = number_given_once(json, neox ? "rotary_emb_base" : "rope_theta", rope, "rope_theta");
  double share = rope.number_if("partial_rotary_factor").value_or(1);
  if (neox) {
    share = number_given_once(json, "rotary_pct", rope, "partial_rotary_factor");
    json.require_same("partial_rotary_factor", share, "rotary_pct");
    json.require_same("rope_theta", position.theta, "rotary_emb_base");
  } else if (share != 1) {
    throw Error("heads that are turned in part are not computed here", rope.place("partial_rotary_factor"),
                "the layers can be opened one by one: open the .safetensors file");
  }
  position.dims = static_cast<Index>(static_cast<double>(head_width) * std::min(share, 2.0));
  if (share > 1 || position.dims < 2 || position.dims % 2 != 0)
    throw Error(std::to_string(position.dims) + " numbers of a head are turned, which are no pairs of its " +
                    std::to_string(head_width),
                neox ? "rotary_pct" : "head_dim", kMendConfig);
  read_scaling(rope, json, positions, rotary);
  rotary.unread = rope.unread();
  const bool of_original = rotary.dynamic > 0 || position.scaling.blend != RotaryBlend::Turns;
  if (json.find(kOriginal) && !of_original) rotary.unread.emplace_back(kOriginal);
  return rotary;
}

}  // namespace headlight
