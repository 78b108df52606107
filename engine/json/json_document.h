// Parses JSON text; error messages are written for users.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headlight {

using Json = nlohmann::json;

// Throws Error with the line and the column if the text is empty or not JSON, if a number is too large for
// float64, if an object has the same key twice, or if brackets are nested more than 100 deep; Stopped (see
// stopping.h). `packed`: within members of these names, lists that contain only numbers are packed as
// float32, which takes a quarter of the memory; is_packed() identifies them. A number beyond float32 becomes
// infinity there.
Json parse_json(const std::string& text, const std::vector<std::string>& packed = {});

inline bool is_packed(const Json& value) {
  return value.is_binary();
}
inline std::size_t packed_size(const Json& value) {
  return value.get_binary().size() / sizeof(float);
}
std::vector<float> packed_numbers(const Json& value);

// Owns a document that may be large. The library's destructor allocates memory and terminates the program if
// that fails; this one dismantles the document without allocating.
struct JsonTree {
  // NOLINTBEGIN(bugprone-exception-escape): the library allocates nothing to destroy a dismantled value
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
