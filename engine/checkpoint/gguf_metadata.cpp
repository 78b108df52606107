#include <cmath>

#include "engine/checkpoint/gguf_file.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

constexpr const char* kConvertAgain = "convert the model again, with a current version of llama.cpp";

const char* kind_of(const GgufValue& value) {
  static constexpr const char* kKinds[] = {"a whole number", "a number",          "true or false",
                                           "text",           "a list of numbers", "a list of texts"};
  return kKinds[value.index()];
}

[[noreturn]] void wrong_kind(const std::string& key, const GgufValue& value, const char* expected) {
  throw Error(std::string("it is ") + kind_of(value) + ", expected " + expected, key, kConvertAgain);
}

}  // namespace

void GgufMetadata::add(const std::string& key, GgufValue value) {
  if (!values_.emplace(key, std::move(value)).second)
    throw Error("the key is there twice", key, "the file is damaged: copy or download it again");
}

std::vector<std::string> GgufMetadata::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_)
    keys.push_back(key);
  return keys;
}

const GgufValue* GgufMetadata::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> GgufMetadata::whole_if(const std::string& key, std::int64_t low,
                                                   std::int64_t high) const {
  const GgufValue* value = find(key);
  if (!value) return std::nullopt;
  const auto* whole = std::get_if<std::int64_t>(value);
  if (!whole) wrong_kind(key, *value, "a whole number");
  if (*whole < low || *whole > high)
    throw Error("it is " + std::to_string(*whole) + ", expected a number from " + std::to_string(low) +
                    " to " + std::to_string(high),
                key, kConvertAgain);
  return *whole;
}

std::optional<double> GgufMetadata::number_if(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(value);
  if (!number || !std::isfinite(*number)) wrong_kind(key, *value, "a number that is finite");
  return *number;
}

std::optional<bool> GgufMetadata::flag_if(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return std::nullopt;
  const bool* flag = std::get_if<bool>(value);
  if (!flag) wrong_kind(key, *value, "true or false");
  return *flag;
}

const std::string* GgufMetadata::text_if(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return nullptr;
  const auto* text = std::get_if<std::string>(value);
  if (!text) wrong_kind(key, *value, "text");
  return text;
}

const std::vector<double>* GgufMetadata::numbers_if(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return nullptr;
  const auto* numbers = std::get_if<std::vector<double>>(value);
  if (!numbers) wrong_kind(key, *value, "a list of numbers");
  return numbers;
}

const std::vector<std::string>* GgufMetadata::texts_if(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return nullptr;
  const auto* texts = std::get_if<std::vector<std::string>>(value);
  if (!texts) wrong_kind(key, *value, "a list of texts");
  return texts;
}

}  // namespace headlight
