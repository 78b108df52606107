// Reading JSON text with messages for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headlight {

using Json = nlohmann::json;

// Throws Error with the line and the column when the text is empty or not JSON, when a number is too large
// for float64, when an object has the same key twice, or when brackets are nested more than 100 deep;
// Stopped (see stopping.h). `packed`: within members of these names, lists that hold nothing but numbers are
// packed as float32, which takes a quarter of the memory: is_packed() tells them. A number beyond float32 is
// infinity there.
Json parse_json(const std::string& text, const std::vector<std::string>& packed = {});

inline bool is_packed(const Json& value) {
  return value.is_binary();
}
inline std::size_t packed_size(const Json& value) {
  return value.get_binary().size() / sizeof(float);
}
std::vector<float> packed_numbers(const Json& value);

// Holds a document that may be large. The library's own way of ending one asks for memory, and where there is
// none it ends the program.
struct JsonTree {
  // NOLINTBEGIN(bugprone-exception-escape): of a value that was dismantled the library asks nothing
  JsonTree() = default;
  explicit JsonTree(Json document) : value(std::move(document)) {}
  ~JsonTree();
  // NOLINTEND(bugprone-exception-escape)
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  Json value;

 private:
  static void dismantle(Json& value);
};

// For messages: "a number", "text", "null", ...
std::string json_kind(const Json& value);

}  // namespace headlight
