// A pass that computes in parts has the same results as one that computes everything at once.
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Matrix last_logits(NetworkPass& pass) {
  return pass.network().predicts() ? pass.logits(pass.token_count() - 1, 1)
                                   : Matrix(pass.residual(pass.network().config().layers).bottomRows(1));
}

NetworkPass new_pass(const std::shared_ptr<const Network>& network, const std::vector<std::int32_t>& ids) {
  NetworkPass pass(network);
  pass.set_ids(ids);
  return pass;
}

}  // namespace

TEST_CASE("network pass: a text that grows, shrinks and changes is as if it were new") {
  for (const std::string family : kNetworks) {
    const auto network = open_model(family);
    const std::vector<std::int32_t> golden = golden_ids(family);
    NetworkPass pass(network);
    std::vector<std::int32_t> ids(golden.begin(), golden.begin() + 3);
    const auto check = [&] {
      pass.set_ids(ids);
      NetworkPass other = new_pass(network, ids);
      INFO(family << ", " << ids.size() << " tokens");
      CHECK(largest_difference(last_logits(pass), last_logits(other)) < kRounding);
      CHECK(largest_difference(pass.residual(1), other.residual(1)) < kRounding);
    };
    check();
    ids.push_back(golden[3]);
    check();
    ids = golden;
    check();
    ids[5] = golden[1];
    check();
    ids.erase(ids.begin() + 2);
    check();
    ids.resize(4);
    check();
    ids.resize(1);
    check();
  }
}

TEST_CASE("network pass: a head that is switched off leaves its part out, and comes back") {
  for (const std::string family : kNetworks) {
    INFO(family);
    const auto network = open_model(family);
    NetworkPass pass = new_pass(network, golden_ids(family));
    const Matrix before = last_logits(pass);
    for (Index layer = 0; layer < network->config().layers; ++layer) {
      pass.set_heads(layer, {HeadState::On, HeadState::Off});
      const Matrix without = last_logits(pass);
      CHECK(largest_difference(without, before) > 1e-3f);
      // The evaluator of the layer leaves the head out too.
      const Evaluator evaluator = evaluate(layer_at(pass, layer));
      CHECK(evaluator.matrix(Stage::Concat, 0, 0)
                .middleCols(network->config().head_width, network->config().head_width)
                .isZero());
      NetworkPass other(network);
      other.set_heads(layer, {HeadState::On, HeadState::Off});
      other.set_ids(golden_ids(family));
      CHECK(largest_difference(without, last_logits(other)) < kRounding);
      pass.set_heads(layer, {});
      CHECK(largest_difference(last_logits(pass), before) < kRounding);
    }
  }
}

TEST_CASE("network pass: weights of a head are those of the layer's evaluator") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    const Index layer = pass.network().config().layers - 1, heads = pass.network().config().heads;
    const Evaluator evaluator = evaluate(layer_at(pass, layer));
    for (Index head = 0; head < heads; ++head)
      CHECK(largest_difference(pass.attention_weights(layer, head),
                               evaluator.matrix(Stage::Weights, 0, head)) < kRounding);
  }
}

TEST_CASE("network pass: texts that cannot be are refused and the one before stays") {
  NetworkPass pass = golden_pass("gpt2");
  const Matrix before = last_logits(pass);
  CHECK_THROWS_AS(pass.set_ids({}), Error);
  CHECK_THROWS_AS(pass.set_ids({-1}), Error);
  CHECK_THROWS_AS(pass.set_ids({static_cast<std::int32_t>(pass.network().config().vocabulary)}), Error);
  CHECK_THROWS_AS(pass.set_ids(std::vector<std::int32_t>(65, 1)), Error);
  CHECK(pass.ids() == golden_ids("gpt2"));
  CHECK(largest_difference(last_logits(pass), before) == 0);
}

TEST_CASE("network pass: masked words are predicted where the model has weights for them") {
  NetworkPass pass = golden_pass("bert");
  CHECK_THROWS_AS(pass.logits(0, 1), Error);
}

TEST_CASE("network pass: weights of one's own go through as if the checkpoint had them") {
  for (const std::string family : kNetworks) {
    INFO(family);
    const Index layer = 1;
    NetworkPass pass = golden_pass(family);
    const Index last = pass.network().config().layers;
    const Matrix before = pass.residual(last);
    for (const Parameter parameter : kParameters) {
      const Factor& factor = pass.network().weights().layers[1].of(parameter);
      OwnWeights own{widened(factor), widened_bias(factor)};
      pass.set_weights(layer, parameter, std::make_shared<OwnWeights>(own));
      CHECK(largest_difference(pass.residual(last), before) < kRounding);
      own.w.row(1) *= -1;
      const auto changed_weights = std::make_shared<OwnWeights>(own);
      pass.set_weights(layer, parameter, changed_weights);
      const Matrix changed = pass.residual(last);
      CHECK(largest_difference(changed, before) > 1e-3f);
      NetworkPass other(pass.network_owner());
      other.set_weights(layer, parameter, changed_weights);
      other.set_ids(golden_ids(family));
      CHECK(largest_difference(other.residual(last), changed) < kRounding);
      own.w.conservativeResize(own.w.rows() - 1, own.w.cols());
      CHECK_THROWS_AS(pass.set_weights(layer, parameter, std::make_shared<OwnWeights>(own)), Error);
      pass.set_weights(layer, parameter, {});
      CHECK(largest_difference(pass.residual(last), before) < kRounding);
    }
  }
}
