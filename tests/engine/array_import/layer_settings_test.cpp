#include "engine/array_import/layer_settings.h"

#include "engine/core/file.h"
#include "engine/network/known_families.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Role = ArrayRole;

std::vector<ArrayChoice> projections(const std::string& layer, const std::string& q = "q_proj",
                                     const std::string& k = "k_proj", const std::string& v = "v_proj") {
  std::vector<ArrayChoice> choices;
  const std::array<std::string, 3> names = {q, k, v};
  constexpr std::array kRoles = {Role::QueryWeight, Role::KeyWeight, Role::ValueWeight};
  for (std::size_t p = 0; p < names.size(); ++p)
    choices.push_back({layer + "." + names[p] + ".weight", {8, 8}, kRoles[p], WeightLayout::OutIn, false});
  return choices;
}

std::vector<ArrayChoice> llama(Index layer = 0) {
  const std::string name = "model.layers." + std::to_string(layer) + ".self_attn";
  std::vector<ArrayChoice> choices = projections(name);
  choices.push_back({name + ".o_proj.weight", {8, 8}, Role::OutputWeight, WeightLayout::OutIn, false});
  return choices;
}

LayerSettings settings(const std::vector<ArrayChoice>& choices, const std::string& config = "",
                       std::optional<double> theta = {}) {
  LayerHints hints;
  hints.theta = theta;
  if (!config.empty()) hints.config = parse_layer_config(config);
  return layer_settings(choices, hints).value();
}

}  // namespace

TEST_CASE("layer settings: names alone say the family, and theta is a proposal") {
  const LayerSettings s = settings(llama());
  CHECK(s.family == "Llama");
  CHECK(s.causal);
  CHECK(s.position.kind == PositionKind::Rotary);
  CHECK(s.position.theta == 10000);
  CHECK_FALSE(s.theta_stated);
  CHECK_FALSE(s.num_heads.has_value());
  const LayerSettings chosen = settings(llama(), "", 500.0);
  CHECK(chosen.theta_stated);
  CHECK(chosen.position.theta == 500);
}

TEST_CASE("layer settings: the config says heads, theta, cap, scale, and the window of this layer") {
  const std::string config =
      R"({"model_type": "gemma2", "hidden_size": 8, "num_attention_heads": 2, "rope_theta": 100,
          "sliding_window": 3, "query_pre_attn_scalar": 16, "attn_logit_softcapping": 50})";
  const LayerSettings s = settings(llama(0), config);
  CHECK(s.family == "gemma2");
  CHECK(s.num_heads == 2);
  CHECK(s.window == 3);
  CHECK(s.softcap == 50);
  CHECK(s.scale == Scale{ScaleKind::Number, 0.25});
  CHECK_FALSE(settings(llama(1), config).window.has_value());
}

TEST_CASE("layer settings: a config of another model, and names of none, say nothing") {
  CHECK_FALSE(settings(llama(), R"({"model_type": "llama", "hidden_size": 12, "num_attention_heads": 3,
                                                "rope_theta": 7})")
                  .by_config);
  CHECK(
      settings(llama(), R"({"hidden_size": 8, "num_attention_heads": 2, "rope_theta": 7})").position.theta ==
      7);
  CHECK_FALSE(layer_settings(projections("layer"), {}).has_value());
  std::vector<ArrayChoice> part = llama();
  part.pop_back();
  part.pop_back();
  CHECK_FALSE(layer_settings(part, {}).has_value());
  LayerHints settled;
  settled.settled = true;
  CHECK_FALSE(layer_settings(llama(), settled).has_value());
}

TEST_CASE("layer settings: what is computed otherwise is cautioned against") {
  LayerHints hints;
  hints.names = {"model.layers.1.self_attn.q_norm.weight", "model.layers.0.input_layernorm.weight"};
  CHECK(layer_settings(llama(0), hints)->caution.empty());
  CHECK_THAT(layer_settings(llama(1), hints)->caution,
             ContainsSubstring("model.layers.1.self_attn.q_norm.weight normalises"));
  CHECK(settings(llama(), R"({"model_type": "qwen2", "hidden_size": 8, "num_attention_heads": 2})")
            .caution.empty());
  const auto bert = projections("attention.self", "query", "key", "value");
  CHECK_THAT(settings(bert, R"({"model_type": "bert", "position_embedding_type": "relative_key"})").caution,
             ContainsSubstring("relative_key"));
  const auto gpt2 = settings(bert, R"({"model_type": "gpt2", "scale_attn_weights": false,
                                       "scale_attn_by_inverse_layer_idx": true})");
  CHECK(gpt2.scale == Scale{ScaleKind::Number, 1});
  CHECK(gpt2.caution.empty());
}

TEST_CASE("layer settings: of a model_type that is not known, heads are proposed and no mask") {
  const LayerSettings like_llama = settings(
      llama(), R"({"model_type": "newest", "hidden_size": 8, "rope_theta": 7, "num_attention_heads": 4,
                            "sliding_window": 3})");
  CHECK(like_llama.num_heads == 4);
  CHECK_FALSE(like_llama.mask_stated);
  CHECK_FALSE(like_llama.causal);
  CHECK_FALSE(like_llama.window.has_value());
  CHECK_THAT(like_llama.caution, ContainsSubstring("set the mask"));
  for (const char* heads : {"num_attention_heads", "n_head", "num_heads", "n_heads", "attention_heads"}) {
    const auto own = projections("transformer.h.0.attn.attention");
    const std::string members = std::string("\"") + heads + "\": 4}";
    const LayerSettings plain = settings(own, R"({"model_type": "newest", )" + members);
    CHECK(plain.num_heads == 4);
    CHECK(plain.only_heads_known);
    CHECK_THAT(plain.caution, ContainsSubstring("newest"));
    const LayerSettings nested =
        settings(own, R"({"model_type": "seeing", "text_config": {"model_type": "newest", )" + members + "}");
    CHECK(nested.num_heads == 4);
  }
  LayerHints none;
  none.config = parse_layer_config(R"({"model_type": "newest"})");
  CHECK_FALSE(layer_settings(projections("transformer.h.0.attn.attention"), none).has_value());
}

TEST_CASE("layer settings: BERT, T5's halves, GPT-NeoX' share of a head, positions that are scaled") {
  const auto bert = settings(projections("bert.encoder.layer.0.attention.self", "query", "key", "value"));
  CHECK_FALSE(bert.causal);
  CHECK(bert.position.kind == PositionKind::None);
  const auto encoder = settings(projections("encoder.block.0.layer.0.SelfAttention", "q", "k", "v"));
  CHECK(encoder.scale.kind == ScaleKind::None);
  CHECK(encoder.buckets.both_ways);
  CHECK_FALSE(encoder.causal);
  const auto decoder = settings(projections("decoder.block.0.layer.0.SelfAttention", "q", "k", "v"));
  CHECK(decoder.causal);
  CHECK_FALSE(decoder.buckets.both_ways);
  const auto cross = settings(projections("decoder.block.0.layer.1.EncDecAttention", "q", "k", "v"));
  CHECK(cross.cross);
  CHECK_FALSE(cross.causal);
  const LayerSettings neox = settings({{"gpt_neox.layers.0.attention.query_key_value.weight",
                                        {24, 8},
                                        Role::FusedHeadsWeight,
                                        WeightLayout::OutIn,
                                        false}});
  CHECK(with_head_width(neox, 16).position.dims == 4);
  CHECK(with_head_width(neox, 4).position.dims == 2);
  CHECK(with_head_width(settings(llama()), 16).position.dims == 0);
  CHECK(with_head_width(settings(llama()), 5).position.kind == PositionKind::None);
  CHECK_THAT(with_head_width(neox, 1).caution, ContainsSubstring("no pairs"));
  CHECK_THAT(settings(llama(), R"({"rope_theta": 7, "rope_scaling": {"rope_type": "spiral"}})").caution,
             ContainsSubstring("spiral"));
  const LayerSettings scaled = settings(llama(), R"({"rope_theta": 7, "rope_scaling": {"rope_type": "llama3",
      "factor": 4, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 64}})");
  CHECK(scaled.position.scaling == RotaryScaling{4, 1, 4, 64, RotaryBlend::Turns, 1});
  CHECK(scaled.caution.empty());
}

TEST_CASE("layer settings: each layer of every family has those of the whole model") {
  Index layers = 0;
  for (const auto& folder : std::filesystem::directory_iterator(source_root() + "/tests/golden/library")) {
    const std::filesystem::path config = folder.path() / "config.json";
    if (!std::filesystem::exists(config)) continue;
    INFO(folder.path().filename());
    LayerHints hints;
    hints.config = parse_layer_config(read_file(config));
    hints.config->width = 8;
    const NetworkConfig model = parse_network_config(read_file(config));
    for (Index layer = 0; layer < model.layers; ++layer, ++layers) {
      std::vector<ArrayChoice> choices = llama(layer);
      for (ArrayChoice& choice : choices)
        choice.name = "decoder." + choice.name;
      const LayerSettings found = layer_settings(choices, hints).value();
      const AttentionSettings expected = model.attention(layer, 1);
      CHECK(found.by_config);
      CHECK(found.mask_stated);
      CHECK(found.num_heads == model.heads);
      CHECK(found.position == expected.position);
      CHECK(found.scale == expected.scale);
      CHECK(found.softcap == expected.softcap);
      CHECK(found.causal == model.causal);
      CHECK(found.window == model.windows[static_cast<std::size_t>(layer)]);
      CHECK(found.caution.find("not known") == std::string::npos);
    }
  }
  CHECK(layers > 80);
}
