#include "engine/json/json_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

std::string expected(const Json& value, const std::string& what) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>()) + " is text, expected " + what;
  return "is " + json_kind(value) + ", expected " + what;
}

}  // namespace

JsonFields::JsonFields(const Json& value, std::string place, const std::vector<std::string>& known,
                       const std::vector<std::string>& ignored)
    : value_(value), place_(std::move(place)) {
  if (!value.is_object())
    throw Error(expected(value, "an object {...}"), place_, "it holds " + listed(known));
  for (const auto& member : value.items()) {
    const std::string& key = member.key();
    const auto has_key = [&](const std::vector<std::string>& keys) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    if (has_key(known) || has_key(ignored)) continue;
    throw Error("unknown key " + in_quotes(key), this->place(key),
                "the nearest known key is " + in_quotes(nearest_name(key, known)) + ": rename or remove it");
  }
}

std::string JsonFields::place(std::string_view key) const {
  const std::string in_one_line = in_quotes(key);  // an unknown key may hold any characters
  const std::string name = in_one_line.substr(1, in_one_line.size() - 2);
  return place_.empty() ? name : place_ + "." + name;
}

const Json* JsonFields::find(std::string_view key) const {
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

const Json& JsonFields::require(std::string_view key, const std::string& hint) const {
  const Json* value = find(key);
  if (!value) throw Error("\"" + std::string(key) + "\" is missing", place(key), hint);
  return *value;
}

std::string JsonFields::text(std::string_view key, const std::string& fallback) const {
  const Json* value = find(key);
  return value ? text_value(*value, place(key)) : fallback;
}

bool JsonFields::flag(std::string_view key, bool fallback) const {
  const Json* value = find(key);
  return value ? flag_value(*value, place(key)) : fallback;
}

double JsonFields::number(std::string_view key, double fallback) const {
  const Json* value = find(key);
  return value ? number_value(*value, place(key)) : fallback;
}

std::int64_t JsonFields::whole(std::string_view key, std::int64_t fallback, std::int64_t low,
                               std::int64_t high) const {
  const Json* value = find(key);
  return value ? whole_value(*value, place(key), low, high) : fallback;
}

std::size_t JsonFields::word_index(const Json& value, const std::string& place,
                                   const std::vector<std::string>& names) {
  if (!value.is_string()) throw Error(expected(value, "a word"), place, "known words: " + listed(names));
  const auto& word = value.get_ref<const std::string&>();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end())
    throw Error(in_quotes(word) + " is unknown", place,
                "the nearest known word is " + in_quotes(nearest_name(word, names)) + " of " + listed(names));
  return static_cast<std::size_t>(found - names.begin());
}

double number_value(const Json& value, const std::string& place) {
  if (!value.is_number()) throw Error(expected(value, "a number"), place, "write a plain number such as 0.5");
  return value.get<double>();
}

bool flag_value(const Json& value, const std::string& place) {
  if (!value.is_boolean())
    throw Error(expected(value, "true or false"), place, "write true or false, no quotes");
  return value.get<bool>();
}

std::int64_t whole_value(const Json& value, const std::string& place, std::int64_t low, std::int64_t high) {
  const double number = number_value(value, place);
  std::int64_t whole = 0;
  bool fits = std::floor(number) == number && std::abs(number) < 9.2e18;
  if (value.is_number_integer()) {
    whole = value.get<std::int64_t>();
    fits = !value.is_number_unsigned() ||
           value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  } else if (fits) {
    whole = static_cast<std::int64_t>(number);  // 2.0 counts as 2
  }
  if (!fits || whole < low || whole > high)
    throw Error("is " + value.dump() + ", expected a whole number from " + std::to_string(low) + " to " +
                    std::to_string(high),
                place, "choose a number in that range");
  return whole;
}

const std::string& text_value(const Json& value, const std::string& place) {
  if (!value.is_string())
    throw Error("is " + json_kind(value) + ", expected text", place, "write it in quotation marks");
  return value.get_ref<const std::string&>();
}

}  // namespace headlight
