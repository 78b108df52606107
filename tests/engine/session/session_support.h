// Small sessions as JSON, for tests that change one member.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/session/session.h"

namespace headlight_test {

// T 2, d_in 3, d_out 2, linear projections with weights in the file.
inline nlohmann::json small_session() {
  return nlohmann::json::parse(R"({
    "format": "headlight-session", "version": 1, "title": "small", "notes": "two tokens",
    "tokens": ["a", "b"],
    "embeddings": [[1, 2, 3], [4, 5, 6.5]],
    "attention": {"projection": "linear", "d_out": 2},
    "weights": {"layout": "in_out", "query": [[1, 2], [3, 4], [5, 6]], "key": [[0, 1], [1, 0], [1, 1]],
                "value": [[-1, 0.5], [0.25, 2], [3, -4]]}
  })");
}

// Only the required members; no projection.
inline nlohmann::json plain_session() {
  return nlohmann::json::parse(R"({
    "format": "headlight-session", "version": 1, "tokens": ["a", "b"],
    "embeddings": [[1, 2, 3], [4, 5, 6]], "attention": {}
  })");
}

inline headlight::Session parsed(const nlohmann::json& document, const std::filesystem::path& folder = ".") {
  return headlight::parse_session(document.dump(), folder, "x.headlight");
}

}  // namespace headlight_test
