#include "engine/model/model_difference.h"

#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "engine/model/lines.h"
#include "engine/model/reshape.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Lines = std::vector<std::string>;

Model small() {
  Dice dice(77);
  Model model;
  model.tokens = {"a", "b", "c"};
  model.embeddings = {dice.matrix(3, 4)};
  model.attention.projection = Projection::Linear;
  model.attention.d_out = 4;
  draw_weights(model, {});
  return model;
}

Lines after(void (*change)(Model&)) {
  Model model = small();
  change(model);
  return model_differences(small(), model);
}

using Change = std::function<bool(Model&)>;  // false: this layer has no such thing

bool bump(std::vector<Matrix>& matrices) {
  if (matrices.empty()) return false;
  float& number = matrices.back()(0, 0);
  number = std::isfinite(number) ? number + 1 : 0;
  return true;
}

using Changes = std::vector<std::pair<const char*, Change>>;

Changes changes_of_numbers() {
  return {{"embeddings", [](Model& m) { return bump(m.embeddings); }},
          {"key embeddings", [](Model& m) { return bump(m.key_embeddings); }},
          {"given queries", [](Model& m) { return bump(m.given[0]); }},
          {"given keys", [](Model& m) { return bump(m.given[1]); }},
          {"given values", [](Model& m) { return bump(m.given[2]); }},
          {"given weights", [](Model& m) { return bump(m.given_weights.matrices); }},
          {"score bias", [](Model& m) { return bump(m.score_bias.matrices); }},
          {"softcap", [](Model& m) { return m.attention.softcap += 2, true; }},
          {"scale", [](Model& m) {
             return m.attention.scale = {ScaleKind::Number, 0.123}, true;
           }}};
}

Changes changes_of_settings() {
  return {{"position kind",
           [](Model& m) {
             m.attention.position.kind =
                 m.attention.position.kind == PositionKind::None ? PositionKind::Alibi : PositionKind::None;
             return true;
           }},
          {"theta",
           [](Model& m) {
             if (m.attention.position.kind != PositionKind::Rotary) return false;
             m.attention.position.theta *= 2;
             return true;
           }},
          {"slopes",
           [](Model& m) {
             if (m.attention.position.kind != PositionKind::Alibi) return false;
             m.attention.position.slopes.assign(static_cast<std::size_t>(m.head_count()), 0.75);
             return true;
           }},
          {"rules",
           [](Model& m) {
             if (m.attention.mask != MaskKind::Rules) return false;
             m.attention.rules.causal = !m.attention.rules.causal;
             return true;
           }},
          {"allowed pairs",
           [](Model& m) {
             if (m.attention.mask != MaskKind::Rules || m.allowed.empty()) return false;
             float& allowed = m.allowed.matrices.front()(0, 0);
             allowed = 1 - allowed;
             return true;
           }},
          {"groups",
           [](Model& m) {
             if (m.head_count() < 2) return false;
             m.attention.num_kv_heads = m.kv_head_count() == 1 ? m.head_count() : 1;
             return true;
           }},
          {"key tokens", [](Model& m) { return m.key_tokens.emplace_back("k"), true; }},
          {"overwritten", [](Model& m) {
             m.overwritten.push_back({Stage::Scores, 0, 0, 0, 0, Matrix::Ones(1, 1)});
             return true;
           }}};
}

}  // namespace

TEST_CASE("model difference: none between a model and its copy, random ones included") {
  Dice dice(78);
  CHECK(model_differences(small(), small()).empty());
  for (int round = 0; round < 50; ++round) {
    const Model model = random_model(dice);
    CHECK(model_differences(model, model).empty());
  }
}

TEST_CASE("model difference: each change is named once") {
  CHECK(after([](Model& m) {
          WeightRecipe recipe;
          recipe.seed = 789;
          draw_weights(m, recipe);
        }) == Lines{"seed 123 → 789"});
  CHECK(after([](Model& m) { m.attention.mask = MaskKind::Causal; }) == Lines{"mask none → causal"});
  CHECK(after([](Model& m) {
          m.attention.dropout = {0.5, true, 7};
        }) == Lines{"dropout 0 → 0.5", "dropout seed none → 7"});
  CHECK(after([](Model& m) {
          m.attention.scale = {ScaleKind::Number, 0.25};
        }) == Lines{"scale 1/√dₖ → 0.25"});
  CHECK(after([](Model& m) { m.embeddings[0](1, 1) += 1; }) == Lines{"1 number of the embeddings"});
  CHECK(after([](Model& m) { m.tokens[0] = "z"; }) == Lines{"1 token has another name"});
  CHECK(after([](Model& m) { set_num_heads(m, 2); }) == Lines{"heads 1 → 2"});
  CHECK(after([](Model& m) { insert_token(m, 0, "new", false); }) == Lines{"tokens 3 → 4"});
  CHECK(after([](Model& m) {
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
    const Model before = random_layer(dice);
    CHECK(model_differences(before, before).empty());
    for (const auto& [name, change] : changes) {
      Model after = before;
      if (!change(after)) continue;
      ++changed[name];
      INFO(name);
      CHECK_FALSE(model_differences(before, after).empty());
    }
  }
  CHECK(changed.size() == changes.size());
}
