// Reads the parts of a tokenizer.json that state their type: {"type": "Prepend", ...}.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_fields.h"

namespace headlight {

// A type and its reader.
template <class Reader>
struct TypeReader {
  std::string_view type;
  Reader read;
};

// The member; null when it is missing or null.
inline const Json* given(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// The members of a part. The library reads those of its type and ignores all others; files in which a part
// was converted to another type still have members of the first. A key that is a member of no type is refused
// all the same: it may be misspelled.
class PartFields : public JsonFields {
 public:
  PartFields(const Json& value, std::string place, const std::vector<std::string>& own)
      : JsonFields(value, std::move(place), own, of_any_type()) {}

 private:
  static const std::vector<std::string>& of_any_type() {
    static const std::vector<std::string> keys = {"add_prefix_space",
                                                  "behavior",
                                                  "clean_text",
                                                  "cleanup",
                                                  "cls",
                                                  "content",
                                                  "delimiter",
                                                  "handle_chinese_chars",
                                                  "individual_digits",
                                                  "invert",
                                                  "length",
                                                  "lowercase",
                                                  "pad_token",
                                                  "pair",
                                                  "pattern",
                                                  "prefix",
                                                  "prepend",
                                                  "prepend_scheme",
                                                  "replacement",
                                                  "sep",
                                                  "single",
                                                  "special_tokens",
                                                  "split",
                                                  "start",
                                                  "stop",
                                                  "str_rep",
                                                  "strip_accents",
                                                  "strip_left",
                                                  "strip_right",
                                                  "suffix",
                                                  "trim_offsets",
                                                  "use_regex",
                                                  "word_delimiter_token"};
    return keys;
  }
};

inline std::optional<std::string> given_text(const JsonFields& fields, std::string_view key) {
  const Json* value = fields.find(key);
  if (!value || value->is_null()) return std::nullopt;
  return text_value(*value, fields.place(key));
}

inline std::string required_text(const JsonFields& fields, std::string_view key, const std::string& hint) {
  return text_value(fields.require(key, hint), fields.place(key));
}

inline const Json::array_t& list_value(const Json& value, const std::string& place) {
  if (!value.is_array())
    throw Error("is " + json_kind(value) + ", expected a list", place, "write it in [...]");
  return value.get_ref<const Json::array_t&>();
}

// "place[3]"
inline std::string place_in_list(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}

// Throws `Error` that lists the known types, unless `type` is one of them. place: of the whole part.
template <class Reader, std::size_t N>
const Reader& reader_named(const std::string& type, const std::string& place,
                           const std::array<TypeReader<Reader>, N>& readers) {
  std::vector<std::string> known;
  for (const TypeReader<Reader>& candidate : readers) {
    if (candidate.type == type) return candidate.read;
    known.emplace_back(candidate.type);
  }
  throw Error(in_quotes(type) + " is not known here", place + ".type",
              "known are " + listed(known) + ": save the tokenizer with one of these");
}

template <class Reader, std::size_t N>
const Reader& reader_of_type(const Json& value, const std::string& place,
                             const std::array<TypeReader<Reader>, N>& readers) {
  if (!value.is_object())
    throw Error("is " + json_kind(value) + ", expected an object with a type", place,
                "write {\"type\": ...}");
  const Json* type = given(value, "type");
  if (!type) throw Error("\"type\" is missing", place + ".type", "say what kind it is");
  return reader_named(text_value(*type, place + ".type"), place, readers);
}

}  // namespace headlight
