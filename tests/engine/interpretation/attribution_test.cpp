#include "engine/interpretation/attribution.h"

#include <cmath>
#include <filesystem>

#include "engine/attention/evaluator.h"
#include "engine/attention/kernels.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Tolerance for logits of the golden models' magnitude.
constexpr double kLogitsNear = 2e-4;

double sum_of(const Attribution& parts) {
  return parts.embedding + parts.constant +
         static_cast<double>(parts.heads.sum() + parts.output_bias.sum() + parts.mlps.sum()) +
         parts.patches.value_or(0);
}

// The logit before the final softcap.
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

TEST_CASE("attribution: the parts sum to the logit in every family whose stream is a sum") {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/tests/golden/library")) {
    const auto network = std::make_shared<const Network>(entry.path());
    if (network->encoder() || network->reads_images() || !network->predicts()) continue;
    INFO(entry.path().filename().string());
    NetworkPass pass(network);
    pass.set_ids({5, 17, 4, 2, 17, 9, 23});
    if (!network->config().stream_is_sum()) {
      CHECK_THROWS_AS(attribute(pass, {6, 3, {}}), Error);
      continue;
    }
    const Attribution parts = attribute(pass, {6, 3, {}});
    const double most = static_cast<double>(pass.logits(6, 1).cwiseAbs().maxCoeff());
    CHECK_THAT(parts.logit, WithinAbs(logit_of(pass, 6, 3), 1e-4 * most));
    CHECK_THAT(sum_of(parts), WithinAbs(parts.logit, 1e-4 * most));
    ++seen;
  }
  CHECK(seen >= 35);
}

TEST_CASE(
    "attribution: what a head of the last layer adds is what is missing without it, with the divisor held") {
  NetworkPass pass = golden_pass("gpt2");
  const NetworkConfig& config = pass.network().config();
  const Index last = config.layers - 1;
  const Attribution parts = attribute(pass, {7, 3, {}});
  const Evaluator evaluator = evaluate(layer_at(pass, last));
  for (Index head = 0; head < config.heads; ++head) {
    // The head's part from the attention engine, with the final norm applied in plain code.
    Matrix part;
    head_part(evaluator.matrix(Stage::Concat, 0, 0), &evaluator.layer().weights.matrix(Parameter::Output),
              evaluator.layer().weights.layout, head, config.head_width, part);
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
        CHECK(sources.tail(2).isZero());  // later tokens: the model is causal
      }
  }
}

TEST_CASE(
    "attribution: with dropout the tokens that a head mixes sum to its part, and the parts to the logit") {
  for (const std::string family : {"gpt2", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family);
    pass.set_settings(1, own_settings({LayerSetting::Dropout}, [](Layer& m) {
                        m.attention.dropout = {0.4, true, 3};
                      }));
    const LogitChoice request{9, 4, {}};
    const Attribution parts = attribute(pass, request);
    CHECK_THAT(sum_of(parts), WithinAbs(logit_of(pass, 9, 4), kLogitsNear));
    for (Index head = 0; head < pass.network().config().heads; ++head)
      CHECK_THAT(attribute_sources(pass, request, 1, head).sum(),
                 WithinAbs(parts.heads(1, head), kLogitsNear));
  }
}

TEST_CASE("attribution: a model that norms its sums, or predicts nothing, is refused") {
  NetworkPass pass = golden_pass("bert");
  CHECK_THROWS_AS(attribute(pass, {0, 0, {}}), Error);
}

TEST_CASE(
    "attribution: with any patch the parts sum to the logit, and what patches put in is a part of its own") {
  const LogitChoice request{7, 3, {}};
  for (const std::string family : kNetworks) {
    if (family == "bert") continue;
    NetworkPass pass = golden_pass(family);
    const NetworkConfig& config = pass.network().config();
    const Attribution before = attribute(pass, request);
    CHECK_FALSE(before.patches.has_value());
    for (const PatchStage stage : {PatchStage::Residual, PatchStage::Input, PatchStage::Context,
                                   PatchStage::AttentionAdded, PatchStage::MlpAdded})
      for (const Index row : {3, 7}) {
        const Index columns = stage == PatchStage::Context ? config.head_width : config.width;
        INFO(family << " stage " << static_cast<int>(stage) << " row " << row);
        pass.set_patches({{stage, 1, 0, row, 0, Matrix::Constant(1, columns, 0.25F)}});
        const Attribution parts = attribute(pass, request);
        CHECK_THAT(parts.logit, WithinAbs(logit_of(pass, 7, 3), kLogitsNear));
        CHECK_THAT(sum_of(parts), WithinAbs(parts.logit, kLogitsNear));
        const bool in_stream = stage == PatchStage::Residual || stage == PatchStage::AttentionAdded;
        CHECK(parts.patches.has_value() == (in_stream && row == 7));
      }
    // A patch replaces the whole final residual stream, so no earlier part contributes to the logit.
    pass.set_patches({{PatchStage::Residual, config.layers, 0, 7, 0, Matrix::Zero(1, config.width)}});
    const Attribution parts = attribute(pass, request);
    CHECK_THAT(parts.logit, WithinAbs(parts.constant, kLogitsNear));
  }
}

TEST_CASE(
    "attribution: a head whose context is a mean or patched has no source tokens, and one that is off adds "
    "nothing") {
  NetworkPass pass = golden_pass("gpt2");
  const LogitChoice request{7, 3, {}};
  pass.set_heads(1, {HeadState::On, HeadState::Off, HeadState::Mean});
  CHECK(attribute_sources(pass, request, 1, 0).size() == pass.token_count());
  CHECK(attribute_sources(pass, request, 1, 1).isZero());
  CHECK(attribute_sources(pass, request, 1, 1).size() == pass.token_count());
  CHECK(attribute_sources(pass, request, 1, 2).size() == 0);
  const Index width = pass.network().config().head_width;
  pass.set_patches({{PatchStage::Context, 0, 2, 7, 0, Matrix::Constant(1, width, 1)}});
  CHECK(attribute_sources(pass, request, 0, 2).size() == 0);
  CHECK(attribute_sources(pass, request, 0, 1).size() == pass.token_count());
  pass.set_patches({{PatchStage::Context, 0, 2, 3, 0, Matrix::Constant(1, width, 1)}});
  CHECK_THAT(attribute_sources(pass, request, 0, 2).sum(),
             WithinAbs(attribute(pass, request).heads(0, 2), kLogitsNear));
}
