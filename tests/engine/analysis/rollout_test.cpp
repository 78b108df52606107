#include "engine/analysis/rollout.h"

#include <vector>

#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Rows = std::vector<std::vector<double>>;

// Number by number.
Rows plain_rollout(NetworkPass& pass, Index layers) {
  const auto tokens = static_cast<std::size_t>(pass.token_count());
  const Index heads = pass.network().config().heads;
  Rows taken(tokens, std::vector<double>(tokens, 0));
  for (std::size_t i = 0; i < tokens; ++i)
    taken[i][i] = 1;
  for (Index layer = 0; layer < layers; ++layer) {
    Rows next(tokens, std::vector<double>(tokens, 0));
    for (std::size_t i = 0; i < tokens; ++i) {
      std::vector<double> step(tokens);
      double sum = 0;
      for (std::size_t j = 0; j < tokens; ++j) {
        double mean = 0;
        for (Index head = 0; head < heads; ++head)
          mean += static_cast<double>(
              pass.attention_weights(layer, head)(static_cast<Index>(i), static_cast<Index>(j)));
        step[j] = 0.5 * mean / static_cast<double>(heads) + (i == j ? 0.5 : 0);
        sum += step[j];
      }
      for (std::size_t j = 0; j < tokens; ++j)
        for (std::size_t k = 0; k < tokens; ++k)
          next[i][k] += step[j] / sum * taken[j][k];
    }
    taken = next;
  }
  return taken;
}

}  // namespace

TEST_CASE("rollout: the product over layers of whole rows, number by number") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& c = pass.network().config();
    Index seen = 0;
    for_each_rollout(pass, [&](Index layer, const Matrix& rollout) {
      CHECK(layer == seen++);
      const Rows plain = plain_rollout(pass, layer + 1);
      for (Index i = 0; i < rollout.rows(); ++i) {
        CHECK_THAT(rollout.row(i).sum(), WithinAbs(1, 1e-5));
        for (Index k = 0; k < rollout.cols(); ++k) {
          CHECK_THAT(rollout(i, k),
                     WithinAbs(plain[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], 1e-6));
          if (c.causal && k > i) CHECK(rollout(i, k) == 0);
        }
      }
    });
    CHECK(seen == c.layers);
  }
}

TEST_CASE("rollout: without attention every token takes all from itself") {
  NetworkPass pass = golden_pass("gpt2");
  const NetworkConfig& c = pass.network().config();
  std::vector<Patch> none;
  for (Index layer = 0; layer < c.layers; ++layer)
    for (Index head = 0; head < c.heads; ++head)
      none.push_back(
          {PatchStage::Weights, layer, head, 0, 0, Matrix::Zero(pass.token_count(), pass.token_count())});
  pass.set_patches(none);
  for_each_rollout(pass, [&](Index /*layer*/, const Matrix& rollout) { CHECK(rollout.isIdentity(1e-6f)); });
}
