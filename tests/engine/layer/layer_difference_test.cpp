#include "engine/layer/layer_difference.h"

#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Lines = std::vector<std::string>;

Layer small() {
  Dice dice(77);
  Layer layer;
  layer.tokens = {"a", "b", "c"};
  layer.embeddings = {dice.matrix(3, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  draw_weights(layer, {});
  return layer;
}

Lines after(void (*change)(Layer&)) {
  Layer layer = small();
  change(layer);
  return layer_differences(small(), layer);
}

using Change = std::function<bool(Layer&)>;  // false: this layer has no such thing

bool bump(std::vector<Matrix>& matrices) {
  if (matrices.empty()) return false;
  float& number = matrices.back()(0, 0);
  number = std::isfinite(number) ? number + 1 : 0;
  return true;
}

using Changes = std::vector<std::pair<const char*, Change>>;

Changes changes_of_numbers() {
  return {{"embeddings", [](Layer& m) { return bump(m.embeddings); }},
          {"key embeddings", [](Layer& m) { return bump(m.key_embeddings); }},
          {"given queries", [](Layer& m) { return bump(m.given[0]); }},
          {"given keys", [](Layer& m) { return bump(m.given[1]); }},
          {"given values", [](Layer& m) { return bump(m.given[2]); }},
          {"given weights", [](Layer& m) { return bump(m.given_weights.matrices); }},
          {"score bias", [](Layer& m) { return bump(m.score_bias.matrices); }},
          {"softcap", [](Layer& m) { return m.attention.softcap += 2, true; }},
          {"scale", [](Layer& m) {
             return m.attention.scale = {ScaleKind::Number, 0.123}, true;
           }}};
}

Changes changes_of_settings() {
  return {{"position kind",
           [](Layer& m) {
             m.attention.position.kind =
                 m.attention.position.kind == PositionKind::None ? PositionKind::Alibi : PositionKind::None;
             return true;
           }},
          {"theta",
           [](Layer& m) {
             if (m.attention.position.kind != PositionKind::Rotary) return false;
             m.attention.position.theta *= 2;
             return true;
           }},
          {"slopes",
           [](Layer& m) {
             if (m.attention.position.kind != PositionKind::Alibi) return false;
             m.attention.position.slopes.assign(static_cast<std::size_t>(m.head_count()), 0.75);
             return true;
           }},
          {"rules",
           [](Layer& m) {
             if (m.attention.mask != MaskKind::Rules) return false;
             m.attention.rules.causal = !m.attention.rules.causal;
             return true;
           }},
          {"allowed pairs",
           [](Layer& m) {
             if (m.attention.mask != MaskKind::Rules || m.allowed.empty()) return false;
             float& allowed = m.allowed.matrices.front()(0, 0);
             allowed = 1 - allowed;
             return true;
           }},
          {"groups",
           [](Layer& m) {
             if (m.head_count() < 2) return false;
             m.attention.num_kv_heads = m.kv_head_count() == 1 ? m.head_count() : 1;
             return true;
           }},
          {"key tokens", [](Layer& m) { return m.key_tokens.emplace_back("k"), true; }},
          {"overwritten", [](Layer& m) {
             m.overwritten.push_back({Stage::Scores, 0, 0, 0, 0, Matrix::Ones(1, 1)});
             return true;
           }}};
}

}  // namespace

TEST_CASE("model difference: none between a model and its copy, random ones included") {
  Dice dice(78);
  CHECK(layer_differences(small(), small()).empty());
  for (int round = 0; round < 50; ++round) {
    const Layer layer = random_layer(dice);
    CHECK(layer_differences(layer, layer).empty());
  }
}

TEST_CASE("model difference: each change is named once") {
  CHECK(after([](Layer& m) {
          WeightRecipe recipe;
          recipe.seed = 789;
          draw_weights(m, recipe);
        }) == Lines{"seed 123 → 789"});
  CHECK(after([](Layer& m) { m.attention.mask = MaskKind::Causal; }) == Lines{"mask none → causal"});
  CHECK(after([](Layer& m) {
          m.attention.dropout = {0.5, true, 7};
        }) == Lines{"dropout 0 → 0.5", "dropout seed none → 7"});
  CHECK(after([](Layer& m) {
          m.attention.scale = {ScaleKind::Number, 0.25};
        }) == Lines{"scale 1/√dₖ → 0.25"});
  CHECK(after([](Layer& m) { m.embeddings[0](1, 1) += 1; }) == Lines{"1 number of the embeddings"});
  CHECK(after([](Layer& m) { m.tokens[0] = "z"; }) == Lines{"1 token has another name"});
  CHECK(after([](Layer& m) { set_num_heads(m, 2); }) == Lines{"heads 1 → 2"});
  CHECK(after([](Layer& m) { insert_token(m, 0, "new", false); }) == Lines{"tokens 3 → 4"});
  CHECK(after([](Layer& m) {
          m.weights.matrix(Parameter::Key)(0, 0) += 1;
          m.weights.edited = true;
        }) == Lines{"weights of key"});
}

TEST_CASE("model difference: whatever is changed in a layer is named") {
  Changes changes = changes_of_numbers();
  for (auto& change : changes_of_settings())
    changes.push_back(std::move(change));
  Dice dice(906);
  std::map<std::string, int> changed;
  for (int round = 0; round < 100; ++round) {
    const Layer before = random_cross_layer(dice);
    CHECK(layer_differences(before, before).empty());
    for (const auto& [name, change] : changes) {
      Layer after = before;
      if (!change(after)) continue;
      ++changed[name];
      INFO(name);
      CHECK_FALSE(layer_differences(before, after).empty());
    }
  }
  CHECK(changed.size() == changes.size());
}
