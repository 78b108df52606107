#include "engine/array_import/layer_config.h"

#include <fstream>

#include "tests/support/format_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("layer config: sizes, theta and the model of several families") {
  const LayerConfig llama = parse_layer_config(
      R"({"model_type": "llama", "hidden_size": 48, "num_attention_heads": 6, "rope_theta": 500000.0, "rope_scaling": null})");
  CHECK(llama.model_type == "llama");
  CHECK(llama.width == 48);
  CHECK(llama.heads == 6);
  CHECK(llama.theta == 500000.0);
  REQUIRE(llama.model);
  CHECK(llama.model->position.theta == 500000.0);
  CHECK(parse_layer_config(R"({"rotary_emb_base": 2500, "n_head": 4, "hidden_size": 64})").theta == 2500.0);
  CHECK(parse_layer_config(R"({"model_type": "new", "rope_parameters": {"rope_theta": 1e6}})").theta == 1e6);
  CHECK(
      parse_layer_config(R"({"model_type": "new", "rope_parameters": {"full_attention": {"rope_theta": 7}}})")
          .theta == 7);
  CHECK_FALSE(parse_layer_config(R"({"model_type": "new"})").model);
  CHECK(parse_layer_config(R"({"text_config": {"n_embd": 8}, "hidden_size": 4})").width == 8);
}

TEST_CASE("layer config: types whose layers are those of a family, and files without a type") {
  for (const char* type : {"xlm-roberta", "camembert", "gemma3", "qwen2_moe", "mt5", "umt5"}) {
    const std::string text = R"({"hidden_size": 8, "num_attention_heads": 2, "model_type": ")";
    CHECK(parse_layer_config(text + type + R"("})").model);
  }
  const LayerConfig untyped =
      parse_layer_config(R"({"hidden_size": 8, "num_attention_heads": 2, "rope_theta": 7})");
  REQUIRE(untyped.model);
  CHECK(untyped.model->position.theta == 7);
  CHECK_FALSE(parse_layer_config(R"({"hidden_size": 8, "num_attention_heads": 2})").model);
}

TEST_CASE("layer config: what is not computed is told, and the rest is read") {
  const LayerConfig config = parse_layer_config(
      R"({"model_type": "llama", "hidden_size": 8, "num_attention_heads": 2, "rope_theta": 7,
          "qk_layernorm": true, "rope_scaling": {"rope_type": "spiral", "factor": 2}})");
  REQUIRE(config.model);
  CHECK(config.model->position.theta == 7);
  REQUIRE(config.beyond.size() == 2);
  CHECK_THAT(config.beyond[0] + config.beyond[1], ContainsSubstring("norms of queries and keys"));
  CHECK_THAT(config.beyond[0] + config.beyond[1], ContainsSubstring("\"spiral\""));
}

TEST_CASE("layer config: what cannot be read is said by name") {
  check_error([] { parse_layer_config("[1]"); }, "a list", "", "mend the file");
  check_error([] { parse_layer_config(R"({"rope_theta": "big"})"); }, "expected a number above 0",
              "rope_theta", "config.json");
  check_error([] { parse_layer_config(R"({"model_type": "gemma2", "query_pre_attn_scalar": -4})"); },
              "it is -4, expected a number above 0", "query_pre_attn_scalar", "config.json");
  check_error(
      [] { parse_layer_config(R"({"model_type": "llama", "hidden_size": 9, "num_attention_heads": 2})"); },
      "2 heads do not divide", "num_attention_heads", "");
  CHECK_FALSE(
      parse_layer_config(R"({"n_head": [1, 2], "n_embd": -3, "sliding_window": 4.5})").heads.has_value());
  TemporaryFolder folder;
  CHECK_FALSE(read_layer_config(folder.path() / "a.npz").has_value());
  std::ofstream(folder.path() / "config.json") << "{";
  check_error([&] { read_layer_config(folder.path() / "a.npz"); }, "", "config.json", "");
}
