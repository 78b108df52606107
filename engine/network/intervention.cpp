#include "engine/network/intervention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// Where something of an intervention is wrong: "changes[2].layer".
std::string place_of(const Intervention& of, const char* member) {
  return of.name.empty() ? member : of.name + "." + member;
}

const char* unit_name(InterventionPlace place) {
  return place == InterventionPlace::Neuron ? "neuron" : "head";
}

bool has_units(InterventionPlace place) {
  return place != InterventionPlace::Residual && place != InterventionPlace::Mlp;
}

Index numbers_of(const NetworkConfig& c, InterventionPlace place, Index tokens) {
  switch (place) {
    case InterventionPlace::Residual:
    case InterventionPlace::Mlp:
      return c.width;
    case InterventionPlace::Queries:
    case InterventionPlace::Keys:
    case InterventionPlace::Values:
    case InterventionPlace::Head:
      return c.head_width;
    case InterventionPlace::Weights:
      return tokens;
    case InterventionPlace::Neuron:
      break;
  }
  return 1;
}

// The numbers from 0 on; all of `count` if none are given.
std::vector<Index> resolved(const std::vector<Index>& given, Index count, const char* what,
                            const std::string& where) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  if (given.empty()) return all;
  std::vector<Index> found;
  for (const Index number : given) {
    if (number < -count || number >= count)
      throw Error("there is no " + std::string(what) + " " + std::to_string(number), where,
                  "they go from 0 to " + std::to_string(count - 1) + "; -1 is the last one");
    found.push_back(number < 0 ? number + count : number);
  }
  return found;
}

void require_once(std::vector<Index> numbers, const char* what, const std::string& where) {
  std::sort(numbers.begin(), numbers.end());
  if (const auto twice = std::adjacent_find(numbers.begin(), numbers.end()); twice != numbers.end())
    throw Error(std::string(what) + " " + std::to_string(*twice) + " is named twice", where,
                "name each once: two changes may be of the same numbers");
}

void require_layer(const NetworkConfig& c, const Intervention& of) {
  const Index count = c.layers + (of.place == InterventionPlace::Residual ? 1 : 0);
  if (of.layer >= 0 && of.layer < count) return;
  throw Error("there is no layer " + std::to_string(of.layer), place_of(of, "layer"),
              "they go from 0 to " + std::to_string(count - 1));
}

void require_direction(const Intervention& of, Index numbers) {
  const std::string where = place_of(of, "direction");
  if (of.direction.size() != numbers)
    throw Error(
        "it has " + std::to_string(of.direction.size()) + " numbers, expected " + std::to_string(numbers),
        where,
        "give as many as each " + std::string(has_units(of.place) ? unit_name(of.place) : "token") + " has");
  if (of.how == InterventionHow::ProjectOut && of.direction.isZero(0))
    throw Error("it is zero: it has no direction", where, "give other numbers than zeros");
}

void require_value(const Intervention& of, const InterventionRange& range) {
  const std::array<Index, 3> sizes = {static_cast<Index>(range.units.size()),
                                      static_cast<Index>(range.positions.size()), range.numbers};
  const auto text = [](const std::array<Index, 3>& shape) {
    return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
  };
  const std::array<Index, 3> given = {of.value.heads, of.value.rows(), of.value.columns()};
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    if (given[axis] != 1 && given[axis] != sizes[axis])
      throw Error("it has the shape " + text(given) + ", which does not fit " + text(sizes),
                  place_of(of, "value"),
                  std::string("give one number, or an array that fits ") +
                      (has_units(of.place) ? unit_name(of.place) : std::string("stream")) +
                      "s x positions x numbers; each axis may be 1");
}

// Finds whence the positions are taken.
void find_sources(const Intervention& of, Index tokens, InterventionRange& range) {
  const auto count = static_cast<Index>(of.texts.front().size());
  const std::string where = place_of(of, "text");
  if (of.place == InterventionPlace::Weights && count != tokens)
    throw Error("it has " + std::to_string(count) + " tokens, and this text " + std::to_string(tokens), where,
                "rows of weights go from text to text of as many tokens");
  if (!of.from.empty()) {
    if (of.from.size() != range.positions.size())
      throw Error(std::to_string(of.from.size()) + " positions of the other text do not go with " +
                      std::to_string(range.positions.size()) + " of this one",
                  place_of(of, "positions"), "give one for each");
    range.from = resolved(of.from, count, "position in the other text", place_of(of, "positions"));
    return;
  }
  for (const Index position : range.positions)
    if (position >= count)
      throw Error(
          "it has " + std::to_string(count) + " tokens, and none at position " + std::to_string(position),
          where, "give a text of as many tokens, or pairs of positions, [[here, there], ...]");
  range.from = range.positions;
}

std::string numbers_text(const std::vector<Index>& numbers, Counting counting) {
  std::string text;
  for (const Index number : numbers)
    text += (text.empty() ? "" : ", ") +
            (number < 0 ? std::to_string(number) : counting.number(number));  // from the end
  return text;
}

std::string what_text(const Intervention& of, Counting counting) {
  const bool one = of.units.size() == 1;
  const std::string unit = unit_name(of.place);
  std::string units =
      of.units.empty() ? "all " + unit + "s" : unit + (one ? " " : "s ") + numbers_text(of.units, counting);
  switch (of.place) {
    case InterventionPlace::Residual:
      return "the stream";
    case InterventionPlace::Mlp:
      return "what the MLP adds";
    case InterventionPlace::Queries:
      return "queries of " + units;
    case InterventionPlace::Keys:
      return "keys of " + units;
    case InterventionPlace::Values:
      return "values of " + units;
    case InterventionPlace::Weights:
      return "weights of " + units;
    case InterventionPlace::Head:
    case InterventionPlace::Neuron:
      break;
  }
  return units;
}

std::string how_text(const Intervention& of) {
  switch (of.how) {
    case InterventionHow::Zero:
      return "set to zero";
    case InterventionHow::Mean:
      return "at the mean over " + std::to_string(of.texts.size()) +
             (of.texts.size() == 1 ? " text" : " texts");
    case InterventionHow::Resample:
      return "as in another text";
    case InterventionHow::Value:
      return "set to given numbers";
    case InterventionHow::Add:
      return "moved along a direction, strength " + shortest_digits(of.strength);
    case InterventionHow::ProjectOut:
      break;
  }
  return "without a direction";
}

}  // namespace

bool Intervention::operator==(const Intervention& other) const {
  return place == other.place && how == other.how && layer == other.layer && units == other.units &&
         positions == other.positions && from == other.from && texts == other.texts && value == other.value &&
         same_matrix(direction, other.direction) && strength == other.strength && order == other.order &&
         name == other.name;
}

Index unit_count(const NetworkConfig& c, InterventionPlace place) {
  switch (place) {
    case InterventionPlace::Queries:
    case InterventionPlace::Weights:
    case InterventionPlace::Head:
      return c.heads;
    case InterventionPlace::Keys:
    case InterventionPlace::Values:
      return c.kv_heads;
    case InterventionPlace::Neuron:
      return c.mlp_width;
    case InterventionPlace::Residual:
    case InterventionPlace::Mlp:
      break;
  }
  return 1;
}

InterventionRange range_of(const NetworkConfig& c, const Intervention& of, Index tokens) {
  require_layer(c, of);
  if (of.place == InterventionPlace::Neuron && c.experts.in_layer(of.layer))
    throw Error("the MLP of this layer is made of experts, of which each token takes some",
                place_of(of, "place"), "change what the MLP adds: \"mlp\"");
  if (of.place == InterventionPlace::Weights && of.how == InterventionHow::Mean)
    throw Error("weights have no mean: their rows differ in length", place_of(of, "how"),
                "give values, or resample them from a text of as many tokens");
  InterventionRange range;
  const std::string of_units = place_of(of, unit_name(of.place)),
                    of_positions = place_of(of, of.from.empty() ? "position" : "positions");
  if (!has_units(of.place) && !of.units.empty())
    throw Error("this place has no " + std::string(unit_name(of.place)) + "s", of_units, "leave it out");
  range.units = resolved(of.units, unit_count(c, of.place), unit_name(of.place), of_units);
  range.positions = resolved(of.positions, tokens, "position", of_positions);
  require_once(range.units, unit_name(of.place), of_units);
  require_once(range.positions, "position", of_positions);
  range.numbers = numbers_of(c, of.place, tokens);
  switch (of.how) {
    case InterventionHow::Zero:
    case InterventionHow::Mean:
      break;
    case InterventionHow::Resample:
      find_sources(of, tokens, range);
      break;
    case InterventionHow::Value:
      require_value(of, range);
      break;
    case InterventionHow::Add:
    case InterventionHow::ProjectOut:
      require_direction(of, range.numbers);
      break;
  }
  return range;
}

bool fits(const NetworkConfig& config, const Intervention& intervention, Index tokens) {
  try {
    range_of(config, intervention, tokens);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string intervention_text(const Intervention& of, Counting counting) {
  std::string at;
  if (!of.positions.empty())
    at = (of.positions.size() == 1 ? " at token " : " at tokens ") + numbers_text(of.positions, counting);
  return what_text(of, counting) + at + " " + how_text(of);
}

}  // namespace headlight
