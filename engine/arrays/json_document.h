// Reading JSON text with messages for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace headlight {

using Json = nlohmann::json;

// Throws Error with the line and the column when the text is empty or not JSON, when a number is too large
// for float64, when an object has the same key twice, or when brackets are nested more than 100 deep;
// Stopped (see stopping.h).
Json parse_json(const std::string& text);

// For messages: "a number", "text", "null", ...
std::string json_kind(const Json& value);

}  // namespace headlight
