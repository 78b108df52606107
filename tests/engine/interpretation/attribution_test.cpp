#include "engine/interpretation/attribution.h"

#include <cmath>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/kernels/kernels.h"
#include "engine/network/layer_model.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Of numbers of this size.
constexpr double kLogitsNear = 2e-4;

double sum_of(const Attribution& parts) {
  return parts.embedding + parts.constant +
         static_cast<double>(parts.heads.sum() + parts.output_bias.sum() + parts.mlps.sum());
}

// Before it is capped.
double logit_of(NetworkPass& pass, Index position, std::int32_t id) {
  const double logit = pass.logits(position, 1)(0, id), cap = pass.network().config().final_softcap;
  return cap > 0 ? cap * std::atanh(logit / cap) : logit;
}

}  // namespace

TEST_CASE("attribution: the parts sum to the logit, and to the difference of two") {
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    INFO(family);
    NetworkPass pass = golden_pass(family);
    for (const HeadStates& states :
         {HeadStates{}, HeadStates{HeadState::On, HeadState::Off, HeadState::Mean}}) {
      pass.set_heads(1, states);
      const Attribution parts = attribute(pass, {7, 3, {}});
      CHECK_THAT(parts.logit, WithinAbs(logit_of(pass, 7, 3), kLogitsNear));
      CHECK_THAT(sum_of(parts), WithinAbs(parts.logit, kLogitsNear));
      if (!states.empty()) CHECK(parts.heads(1, 1) == 0);
      const Attribution difference = attribute(pass, {7, 3, 5});
      CHECK_THAT(difference.logit, WithinAbs(logit_of(pass, 7, 3) - logit_of(pass, 7, 5), kLogitsNear));
      CHECK_THAT(sum_of(difference), WithinAbs(difference.logit, kLogitsNear));
    }
  }
}

TEST_CASE(
    "attribution: what a head of the last layer adds is what is missing without it, with the divisor held") {
  NetworkPass pass = golden_pass("gpt2");
  const NetworkConfig& config = pass.network().config();
  const Index last = config.layers - 1;
  const Attribution parts = attribute(pass, {7, 3, {}});
  const Evaluator evaluator = evaluate(layer_model(pass, last));
  for (Index head = 0; head < config.heads; ++head) {
    // By the attention engine's own part of the head, put through the last norm by hand.
    Matrix part;
    head_part(evaluator.matrix(Stage::Concat, 0, 0), &evaluator.model().weights.matrix(Parameter::Output),
              evaluator.model().weights.layout, head, config.head_width, part);
    const Eigen::RowVectorXd left = pass.residual_row(config.layers, 7).row(0).cast<double>();
    const double deviation = std::sqrt((left.array() - left.mean()).square().mean() + config.epsilon);
    const Eigen::RowVectorXd row = part.row(7).cast<double>();
    const Eigen::RowVectorXd normed = ((row.array() - row.mean()) / deviation *
                                       pass.network().weights().final_norm.weight.cast<double>().array())
                                          .matrix();
    const Matrix unembedding = widened(pass.network().weights().logits);
    CHECK_THAT(parts.heads(last, head),
               WithinAbs(normed.dot(unembedding.col(3).cast<double>().transpose()), 2e-5));
  }
}

TEST_CASE("attribution: the tokens that a head attends to sum to its part") {
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    NetworkPass pass = golden_pass(family);
    const LogitChoice request{9, 4, 6};
    const Attribution parts = attribute(pass, request);
    const NetworkConfig& config = pass.network().config();
    for (Index layer = 0; layer < config.layers; ++layer)
      for (Index head = 0; head < config.heads; ++head) {
        INFO(family << " layer " << layer << " head " << head);
        const Eigen::RowVectorXf sources = attribute_sources(pass, request, layer, head);
        CHECK_THAT(sources.sum(), WithinAbs(parts.heads(layer, head), kLogitsNear));
        CHECK(sources.tail(2).isZero());  // the model is causal
      }
  }
}

TEST_CASE("attribution: a model that norms its sums, or predicts nothing, is refused") {
  NetworkPass pass = golden_pass("bert");
  CHECK_THROWS_AS(attribute(pass, {0, 0, {}}), Error);
}
