#include "engine/checkpoint/layer_config.h"

#include <fstream>

#include "tests/support/format_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("layer config: the members of several families") {
  const LayerConfig llama = parse_layer_config(
      R"({"model_type": "llama", "hidden_size": 48, "num_attention_heads": 6, "rope_theta": 500000.0, "rope_scaling": null})");
  CHECK(llama.model_type == "llama");
  CHECK(llama.width == 48);
  CHECK(llama.heads == 6);
  CHECK(llama.theta == 500000.0);
  CHECK(llama.scaling.empty());
  CHECK_FALSE(llama.window_of(0).has_value());
  const LayerConfig neox =
      parse_layer_config(R"({"rotary_pct": 0.25, "rotary_emb_base": 2500, "n_head": 4})");
  CHECK(neox.rotary_share == 0.25);
  CHECK(neox.theta == 2500.0);
  CHECK(neox.heads == 4);
  const LayerConfig newer =
      parse_layer_config(R"({"rope_parameters": {"rope_theta": 1e6, "rope_type": "llama3", "factor": 8}})");
  CHECK(newer.theta == 1e6);
  CHECK(newer.scaling == "llama3");
  CHECK(parse_layer_config(R"({"text_config": {"n_embd": 8}, "hidden_size": 4})").width == 8);
}

TEST_CASE(
    "layer config: what newer files have in rope_parameters, and what the library takes of what is missing") {
  const LayerConfig neox = parse_layer_config(
      R"({"model_type": "gpt_neox", "rope_parameters": {"rope_theta": 500, "partial_rotary_factor": 0.5}})");
  CHECK(neox.rotary_share == 0.5);
  CHECK(neox.theta == 500);
  const LayerConfig typed = parse_layer_config(
      R"({"rope_parameters": {"full_attention": {"rope_theta": 7}, "sliding_attention": {"rope_theta": 7}}})");
  CHECK(typed.theta == 7);
  CHECK(typed.scaling.empty());
  CHECK_FALSE(
      parse_layer_config(
          R"({"rope_parameters": {"full_attention": {"rope_theta": 7}, "sliding_attention": {"rope_theta": 8}}})")
          .scaling.empty());
  CHECK(parse_layer_config(R"({"rope_scaling": {"type": "linear", "factor": 4}})").rotary_scaling ==
        RotaryScaling::linear(4));
  const LayerConfig gemma = parse_layer_config(R"({"model_type": "gemma2"})");
  CHECK(gemma.softcap == 50);
  CHECK(gemma.scale_width == 256);
  CHECK(gemma.window_of(0) == 4096);
  CHECK_FALSE(parse_layer_config(R"({"model_type": "gemma2", "attn_logit_softcapping": null})").softcap);
  CHECK(parse_layer_config(R"({"model_type": "mistral"})").window_of(0) == 4096);
  CHECK_FALSE(parse_layer_config(R"({"model_type": "mistral", "sliding_window": null})").window_of(0));
  CHECK_FALSE(parse_layer_config(R"({"model_type": "qwen3", "sliding_window": 4})").window_of(0));
}

TEST_CASE("layer config: the layers in which a window holds") {
  const auto window = [](const std::string& rest, Index layer) {
    return parse_layer_config(R"({"sliding_window": 5)" + rest + "}").window_of(layer);
  };
  CHECK(window("", 3) == 5);
  CHECK(window(R"(, "model_type": "gemma2")", 0) == 5);
  CHECK_FALSE(window(R"(, "model_type": "gemma2")", 1));
  CHECK(window(R"(, "model_type": "gemma3_text")", 4) == 5);
  CHECK_FALSE(window(R"(, "model_type": "gemma3_text")", 5));
  CHECK_FALSE(window(R"(, "use_sliding_window": false)", 0));
  CHECK_FALSE(window(R"(, "model_type": "qwen2")", 0));
  CHECK_FALSE(window(R"(, "use_sliding_window": true, "max_window_layers": 2)", 1));
  CHECK(window(R"(, "use_sliding_window": true, "max_window_layers": 2)", 2) == 5);
  CHECK_FALSE(window(R"(, "layer_types": ["full_attention", "sliding_attention"])", 0));
  CHECK(window(R"(, "layer_types": ["full_attention", "sliding_attention"])", 1) == 5);
}

TEST_CASE("layer config: what cannot be read is said by name") {
  check_error([] { parse_layer_config("[1]"); }, "a list", "", "mend the file");
  check_error([] { parse_layer_config(R"({"rope_theta": "big"})"); }, "it is text, expected a number",
              "rope_theta", "mend the file");
  check_error([] { parse_layer_config(R"({"query_pre_attn_scalar": -4})"); },
              "it is -4, expected a number above 0", "query_pre_attn_scalar", "mend the file");
  check_error([] { parse_layer_config(R"({"rotary_pct": 1e300})"); }, "above 0 and up to 1", "rotary_pct",
              "mend the file");
  CHECK_FALSE(
      parse_layer_config(R"({"n_head": [1, 2], "n_embd": -3, "sliding_window": 4.5})").heads.has_value());
  TemporaryFolder folder;
  CHECK_FALSE(read_layer_config(folder.path() / "a.npz").has_value());
  std::ofstream(folder.path() / "config.json") << "{";
  check_error([&] { read_layer_config(folder.path() / "a.npz"); }, "", "config.json", "");
}
