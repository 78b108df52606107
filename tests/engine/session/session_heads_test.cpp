// "disabled_heads" in the session file: optional, validated, and written only if a head is off.
#include "engine/core/error.h"
#include "engine/session/session.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

std::string session_with(const std::string& heads) {
  return R"({"format": "headlight-session", "version": 1, "tokens": ["a", "b"],
             "embeddings": [[1, 2, 3, 4], [5, 6, 7, 8]],
             "attention": {"projection": "none", "num_heads": 4)" +
         heads + "}}";
}

std::string heads_refusal(const std::string& heads) {
  try {
    parse_session(session_with(heads), "", "test");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("session: heads that are switched off come back from the file, in order") {
  const Session session = parse_session(session_with(R"(, "disabled_heads": [3, 1])"), "", "test");
  CHECK(session.layer.attention.disabled_heads == std::vector<Index>{1, 3});
  const std::string text = session_text(session);
  CHECK(text.find("\"disabled_heads\": [1, 3]") != std::string::npos);
  CHECK(parse_session(text, "", "test").layer.attention == session.layer.attention);
}

TEST_CASE("session: a file without the key has all heads on, and is written without it") {
  const Session session = parse_session(session_with(""), "", "test");
  CHECK(session.layer.attention.disabled_heads.empty());
  CHECK(session_text(session).find("disabled_heads") == std::string::npos);
}

TEST_CASE("session: a head that does not exist, stands twice or is no number is refused by its place") {
  CHECK(heads_refusal(R"(, "disabled_heads": [4])").find("attention.disabled_heads[0]") != std::string::npos);
  CHECK(heads_refusal(R"(, "disabled_heads": [1, 1])").find("attention.disabled_heads") != std::string::npos);
  CHECK(heads_refusal(R"(, "disabled_heads": ["1"])").find("attention.disabled_heads[0]") !=
        std::string::npos);
  CHECK(heads_refusal(R"(, "disabled_heads": 1)").find("attention.disabled_heads") != std::string::npos);
  CHECK(heads_refusal(R"(, "disabled_head": [1])").find("disabled_heads") != std::string::npos);
}
