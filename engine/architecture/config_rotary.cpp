#include "engine/architecture/config_rotary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/architecture/family.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr const char *kFullLayers = "full_attention", *kSlidingLayers = "sliding_attention";
constexpr const char* kOriginal = "original_max_position_embeddings";
constexpr const char* kKnown = "known are linear, dynamic, yarn, longrope, llama3 and default";

// rope_parameters or rope_scaling, of all layers or of one type of them.
class RopeMembers {
 public:
  // type: that of the layers, in a family with several; else null.
  RopeMembers(const ConfigFields& json, const char* type) {
    if (!json.reads(name_)) return;
    const Json *before = json.find("rope_scaling"), *now = json.find("rope_parameters");
    if (before && now && *before != *now)
      throw Error("it says other things than rope_parameters", "rope_scaling", "keep the one that is meant");
    if (!before && !now) return;
    name_ = now ? "rope_parameters" : "rope_scaling";
    members_ = of_layers(now ? *now : *before, type);
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
  // Newer files may have one object per layer type; without one, rope_scaling is that of full layers.
  Json of_layers(const Json& members, const char* type) {
    if (!members.is_object())
      throw Error("it is " + json_kind(members) + ", expected an object", name_, kMendConfig);
    if (members.empty() || !members.begin()->is_object())
      return type && type != std::string_view(kFullLayers) ? Json::object() : members;
    if (type) {
      const auto own = members.find(type);
      if (own == members.end() || !own->is_object())
        throw Error("it does not say " + in_quotes(type), name_, kMendConfig);
      name_ += std::string(".") + type;
      return *own;
    }
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

std::vector<double> pair_factors(RopeMembers& rope, const std::string& member, Index pairs) {
  const Json* found = rope.find(member);
  if (!found) throw Error("it does not say " + in_quotes(member), rope.name(), kMendConfig);
  const Json list = is_packed(*found) ? Json(packed_numbers(*found)) : *found;
  if (!list.is_array() || static_cast<Index>(list.size()) != pairs)
    throw Error("it is " + json_kind(list) + (list.is_array() ? " of " + std::to_string(list.size()) : "") +
                    ", expected a list of one number for each of the " + std::to_string(pairs) +
                    " pairs that turn",
                rope.place(member), kMendConfig);
  std::vector<double> factors;
  for (const Json& factor : list)
    factors.push_back(number_above_0(factor, rope.place(member)));
  return factors;
}

// Shorter texts have the short factors; cosines and sines are scaled in all texts.
void read_longrope(RopeMembers& rope, const ConfigFields& json, NetworkConfig& c) {
  RotaryScaling& scaling = c.position.scaling;
  scaling.factors = pair_factors(rope, "short_factor", c.position.dims / 2);
  c.long_factors = pair_factors(rope, "long_factor", c.position.dims / 2);
  const auto nested = rope.positions_if(kOriginal);
  if (nested) json.require_same(kOriginal, static_cast<double>(*nested), rope.name());
  const auto original = nested ? nested : json.size_if(kOriginal, kMostVocabulary);
  c.short_positions = original.value_or(c.positions);
  double factor = rope.number_if("factor").value_or(1);
  if (original) factor = static_cast<double>(c.positions) / static_cast<double>(*original);
  const double usual =
      factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(static_cast<double>(c.short_positions)));
  scaling.magnitude = rope.number_if("attention_factor").value_or(usual);
}

void read_scaling(RopeMembers& rope, const ConfigFields& json, NetworkConfig& c) {
  const std::string kind = rope.kind();
  RotaryScaling& scaling = c.position.scaling;
  if (kind == "default") return;
  if (kind == "yarn" && c.position.theta <= 1)
    throw Error("yarn needs a theta above 1", "rope_theta", kMendConfig);
  if (kind == "linear")
    scaling = RotaryScaling::linear(rope.number("factor"));
  else if (kind == "llama3")
    scaling = llama3_scaling(rope);
  else if (kind == "yarn")
    scaling = yarn_scaling(rope, json, c.positions);
  else if (kind == "dynamic")
    c.dynamic = dynamic_factor(rope, json, c.positions, c.position.dims);
  else if (kind == "longrope" || kind == "su")
    read_longrope(rope, json, c);
  else
    throw Error("positions scaled in the way of " + in_quotes(kind) + " are not known here", rope.name(),
                kKnown);
}

// A number that may appear at top level, in the family's other member for it, in rope_parameters, or in
// several of them.
double number_given_once(const ConfigFields& json, std::string_view beside, std::string_view other,
                         RopeMembers& rope, const std::string& member) {
  const auto nested = rope.number_if(member);
  if (nested) json.require_same(beside, *nested, rope.place(member));
  const double number = nested ? *nested : json.number(beside);
  if (!other.empty()) json.require_same(other, number, beside);
  return number;
}

void read_dims(const ConfigFields& json, RopeMembers& rope, NetworkConfig& c) {
  const RotaryMembers& names = json.family().rotary;
  const char* const share_member = "partial_rotary_factor";
  double share = rope.number_if(share_member).value_or(1);
  if (!names.share.empty())
    share = number_given_once(json, names.share, names.other_share, rope, share_member);
  else if (share != 1)
    throw Error("heads that are turned in part are not computed here", rope.place(share_member),
                "the layers can be opened one by one: open the .safetensors file");
  Index& dims = c.position.dims;
  if (dims == 0) dims = static_cast<Index>(static_cast<double>(c.head_width) * std::min(share, 2.0));
  if (share > 1 || dims < 2 || dims % 2 != 0 || dims > c.head_width)
    throw Error(std::to_string(dims) + " numbers of a head are turned, which are no pairs of its " +
                    std::to_string(c.head_width),
                names.share.empty() ? "head_dim" : std::string(names.share), kMendConfig);
}

// Rotations of layers with a window.
void read_local(const ConfigFields& json, NetworkConfig& c, std::vector<std::string>& unread) {
  RopeMembers rope(json, kSlidingLayers);
  const auto nested = rope.number_if("rope_theta"), beside = json.number_if(json.family().rotary.local_theta);
  NetworkConfig local = c;
  local.position.scaling = {};
  local.dynamic = 0;
  local.position.theta = nested ? *nested : beside.value_or(c.position.theta);
  if (nested) json.require_same(json.family().rotary.local_theta, *nested, rope.place("rope_theta"));
  read_scaling(rope, json, local);
  if (local.dynamic > 0 || !local.position.scaling.factors.empty())
    throw Error("positions of layers with a window that grow with a text are not computed here", rope.name(),
                "the layers can be opened one by one: open the .safetensors file");
  c.local_position = std::move(local.position);
  const std::vector<std::string> more = rope.unread();
  unread.insert(unread.end(), more.begin(), more.end());
}

}  // namespace

void read_rotary(const ConfigFields& json, NetworkConfig& c, std::vector<std::string>& unread) {
  const RotaryMembers& names = json.family().rotary;
  const bool local = !names.local_theta.empty();
  RopeMembers rope(json, local ? kFullLayers : nullptr);
  if (!names.theta.empty())
    c.position.theta = number_given_once(json, names.theta, names.other_theta, rope, "rope_theta");
  read_dims(json, rope, c);
  read_scaling(rope, json, c);
  unread = rope.unread();
  const bool of_original =
      c.dynamic > 0 || !c.long_factors.empty() || c.position.scaling.blend != RotaryBlend::Turns;
  if (json.find(kOriginal) && !of_original && json.tells_unused(kOriginal)) unread.emplace_back(kOriginal);
  if (local) read_local(json, c, unread);
}

}  // namespace headlight
