#include "engine/session/parsed_text.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

nlohmann::json json_of_text(const std::string& text) {
  return nlohmann::json::parse(parsed_text_json(parse_text(text, 0, 0)));
}

}  // namespace

TEST_CASE("parsed texts: words, references and amounts are JSON") {
  CHECK(json_of_text("a {{b}}") == nlohmann::json::parse(R"(["a {b}"])"));
  CHECK(json_of_text("{weights[1,0]}") ==
        nlohmann::json::parse(R"([{"ref": {"stage": "weights", "row": 1, "column": 0}}])"));
  CHECK(
      json_of_text("{now W_key[0,1] :2}") ==
      nlohmann::json::parse(R"([{"ref": {"weight": "key", "column": 1, "decimals": 2}, "form": "first"}])"));
  CHECK(json_of_text("{heads words}") ==
        nlohmann::json::parse(R"([{"ref": {"setting": "heads"}, "form": "words"}])"));
  CHECK(json_of_text("{first scores[,1] count < -2}") ==
        nlohmann::json::parse(R"([{"ref": {"stage": "scores", "every_row": true, "column": 1, "kind": "count",
                                           "counted": "<", "threshold": -2.0, "moment": "first"}}])"));
  CHECK(json_of_text("{calc 2 * d_k:1}") ==
        nlohmann::json::parse(
            R"([{"calc": {"op": "*", "parts": [2.0, {"ref": {"setting": "d_k"}}]}, "decimals": 1}])"));
  CHECK(json_of_text("{index 1}{type −3}{control learn}{token[2]}") ==
        nlohmann::json::parse(R"([{"index": 1}, {"typed": "−3"}, {"control": "learn", "words": ""},
                                  {"ref": {"kind": "token", "row": 2}}])"));
  CHECK(json_of_text("{slide scale 0.1 4}") ==
        nlohmann::json::parse(R"([{"ref": {"setting": "scale"}, "slider": {"low": 0.1, "high": 4.0}}])"));
}

TEST_CASE("parsed texts: branches hold their conditions") {
  CHECK(json_of_text("{if mask is causal and not changed only embeddings[2]}a{elif loss ~ 1}b{else}c{end}") ==
        nlohmann::json::parse(R"([{"if": [
          [{"is": "and", "parts": [
             {"is": "setting", "setting": "mask", "word": "causal"},
             {"is": "not", "parts": [{"is": "changed only", "left": {"ref": {"stage": "embeddings", "row": 2}}}]}]},
           ["a"]],
          [{"is": "~", "left": {"ref": {"setting": "loss"}}, "right": 1.0}, ["b"]],
          [null, ["c"]]]}])"));
  CHECK(json_of_text("{if changed only mask}a{else}b{end}")[0].at("if")[0][0] ==
        nlohmann::json::parse(R"({"is": "changed only", "part": "mask"})"));
  CHECK(json_of_text("{if weights[1,1] is smallest of weights[1]}a{else}b{end}")[0].at("if")[0][0].at("is") ==
        "smallest of");
  CHECK(json_of_text("{compare 1, 2: less | equal | more}")[0].at("if").size() == 3);
}
