#include "engine/interpretation/predictions.h"

#include <cmath>

#include "engine/analysis/lens_map.h"
#include "engine/core/error.h"
#include "engine/interpretation/logit_lens.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/plain_network.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("token losses: those of plain loops, in every family that predicts the next token") {
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const std::vector<double> expected = PlainNetwork(pass.network()).losses(pass.ids());
    const std::vector<TokenLoss> losses = token_losses(pass);
    REQUIRE(losses.size() == expected.size());
    const Matrix logits = pass.logits(0, pass.token_count());
    double sum = 0;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      CHECK_THAT(losses[i].loss, WithinAbs(expected[i], 1e-4 * (1 + expected[i])));
      CHECK_THAT(losses[i].probability, WithinAbs(std::exp(-expected[i]), 1e-4));
      Index likelier = 0;
      for (Index id = 0; id < logits.cols(); ++id)
        if (logits(static_cast<Index>(i), id) > logits(static_cast<Index>(i), pass.ids()[i + 1])) ++likelier;
      CHECK(losses[i].rank == likelier + 1);
      sum += losses[i].loss;
    }
    CHECK_THAT(mean_loss(losses), WithinAbs(sum / static_cast<double>(losses.size()), 1e-12));
  }
}

TEST_CASE("token losses: none of a model of masked words, and none of one token") {
  NetworkPass bert = golden_pass("bert");
  CHECK_THROWS_AS(token_losses(bert), Error);
  NetworkPass pass = golden_pass("gpt2");
  pass.set_ids({3});
  CHECK_THROWS_AS(token_losses(pass), Error);
}

TEST_CASE("lens map: each column is the lens of that position, and its last row what the model predicts") {
  NetworkPass pass = golden_pass("llama");
  std::vector<std::int32_t> targets(static_cast<std::size_t>(pass.token_count()), 4);
  targets[2] = 7;
  Index seen = 0;
  const LensMap map = lens_map(pass, targets, {}, [&](Index done, Index all) {
    CHECK(done <= all);
    ++seen;
  });
  CHECK(seen == map.layers);
  const Index vocabulary = pass.network().config().vocabulary;
  for (Index token = 0; token < map.tokens; ++token) {
    const auto all = logit_lens(pass, token, vocabulary);
    for (Index layer = 0; layer < map.layers; ++layer) {
      const std::vector<Prediction>& lens = all[static_cast<std::size_t>(layer)];
      CHECK(map.at(layer, token).id == lens.front().id);
      const auto target = std::find_if(lens.begin(), lens.end(), [&](const Prediction& one) {
        return one.id == targets[static_cast<std::size_t>(token)];
      });
      CHECK_THAT(map.probability(layer, token), WithinAbs(target->probability, 1e-5));
      CHECK(map.rank(layer, token) == static_cast<float>(target - lens.begin() + 1));
    }
  }
}
