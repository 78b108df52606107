#include "engine/analysis/score_parts.h"

#include "engine/core/error.h"
#include "tests/engine/analysis/path_support.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("score parts: every cell is what NumPy computes") {
  NetworkPass pass = paths_pass("clean");
  for (const Index layer : {0, 1})
    for (const auto& [query, key] : {std::pair(6, 1), std::pair(5, 5)}) {
      const std::string name =
          "qk." + std::to_string(layer) + "." + std::to_string(query) + "." + std::to_string(key);
      INFO(name);
      const ScoreParts found = score_parts(pass, {layer, layer, query, key});
      CHECK(relative_error(found.cells, expected_matrix(name)) <= kPathError);
    }
  const ScoreParts found = score_parts(pass, {1, 0, 3, 2});
  std::vector<std::string> names;
  for (const StreamPart& part : found.parts)
    names.push_back(name_of(part));
  CHECK(names ==
        std::vector<std::string>{"embedding", "position", "L0 H0", "L0 H1", "L0 H2", "L0 MLP", "biases"});
}

TEST_CASE("score parts: they sum to the score of every pair, in every family whose stream is a sum") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    if (!c.stream_is_sum()) {
      CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 2}), ContainsSubstring("sum of parts"));
      continue;
    }
    pass.set_heads(LayerPlace(0), {HeadState::Off, HeadState::Mean});
    for (Index layer = 0; layer < c.layers; ++layer)
      for (Index head = 0; head < c.heads; ++head) {
        const ScoreParts found = score_parts(pass, {layer, head, 6, 2});
        CHECK(found.cells.rows() == static_cast<Index>(found.parts.size()));
        const double largest = double{found.cells.cwiseAbs().maxCoeff()};
        CHECK_THAT(found.cells.cast<double>().sum(), WithinAbs(found.score, 1e-4 * std::max(1.0, largest)));
      }
  }
}

TEST_CASE("score parts: what is no pair, and what is no sum, is refused") {
  NetworkPass pass = paths_pass("clean");
  CHECK_THROWS_WITH(score_parts(pass, {2, 0, 3, 2}), ContainsSubstring("no layer 2"));
  CHECK_THROWS_WITH(score_parts(pass, {1, 3, 3, 2}), ContainsSubstring("no head 3"));
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 7, 2}), ContainsSubstring("no query 7"));
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, -1}), ContainsSubstring("no key -1"));
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 4}), ContainsSubstring("later key"));
  pass.set_patches({{PatchStage::Queries, 1, 0, 0, 0, Matrix::Zero(1, 4)}});
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 2}), ContainsSubstring("queries or keys"));
  CHECK_NOTHROW(score_parts(pass, {0, 0, 3, 2}));
  pass.set_patches({{PatchStage::Residual, 1, 0, 0, 0, Matrix::Zero(1, 12)}});
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 2}), ContainsSubstring("overwrites the stream"));
}

TEST_CASE("score parts: an intervention in the stream, in queries or in keys leaves no sum, others do") {
  NetworkPass pass = paths_pass("clean");
  const auto intervene = [&](InterventionPlace place, Index layer) {
    Intervention change;
    change.place = place;
    change.layer = layer;
    change.positions = {1};
    pass.set_interventions({std::make_shared<const Intervention>(std::move(change))});
  };
  const auto sums = [&](Index layer) {
    const ScoreParts found = score_parts(pass, {layer, 0, 3, 1});
    const double largest = std::max(1.0, double{found.cells.cwiseAbs().maxCoeff()});
    CHECK_THAT(found.cells.cast<double>().sum(), WithinAbs(found.score, 1e-4 * largest));
  };
  intervene(InterventionPlace::Residual, 1);
  CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 1}), ContainsSubstring("the stream that enters layer 1"));
  sums(0);
  for (const InterventionPlace place : {InterventionPlace::Queries, InterventionPlace::Keys}) {
    intervene(place, 1);
    CHECK_THROWS_WITH(score_parts(pass, {1, 0, 3, 1}), ContainsSubstring("queries or keys of layer 1"));
    sums(0);
  }
  intervene(InterventionPlace::Residual, 0);
  sums(1);
  for (const InterventionPlace place :
       {InterventionPlace::Head, InterventionPlace::Neuron, InterventionPlace::Mlp, InterventionPlace::Values,
        InterventionPlace::Weights}) {
    intervene(place, 0);
    sums(1);
  }
}
