// Gradients by every number that a patch can overwrite, against differences; attribution patching against
// patches.
#include "engine/interpretation/patch_estimate.h"

#include <filesystem>
#include <map>
#include <tuple>

#include "engine/core/error.h"
#include "engine/interpretation/model_state.h"
#include "engine/interpretation/patch_map.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/layer_settings.h"
#include "tests/support/places.h"
#include "tests/support/plain_network.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kGolden = source_root() + "/tests/golden/";

using Place = std::tuple<PatchStage, Index, Index>;
using AllGradients = std::map<Place, Matrix>;

GradientAtPlace stored_in(AllGradients& all) {
  return [&all](const PatchPlace& place, const MatrixRef& gradient) {
    CHECK(all.emplace(Place{place.stage, place.layer, place.head}, gradient).second);
  };
}

std::vector<std::int32_t> spread_ids(const NetworkConfig& config, Index count) {
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>((i * i * 7 + 3 * i + 5) % config.vocabulary));
  return ids;
}

// Compares the largest gradient of each place, and as many others as `more`, with differences of the plain
// float64 pass. Gradients are compared with the largest of their stage.
void check_differences(const AllGradients& found, const std::function<double(const Nudge&)>& value,
                       int more = 1) {
  constexpr double kStep = 1e-4;
  std::map<PatchStage, double> largest;
  for (const auto& [place, gradient] : found) {
    double& most = largest[std::get<0>(place)];
    most = std::max(most, static_cast<double>(gradient.cwiseAbs().maxCoeff()));
  }
  for (const auto& [place, gradient] : found) {
    const auto [stage, layer, head] = place;
    Nudge nudge{stage, layer, head, 0, 0, 0};
    gradient.cwiseAbs().maxCoeff(&nudge.row, &nudge.column);
    for (int i = 0; i < 1 + more; ++i) {
      nudge.by = kStep;
      const double above = value(nudge);
      nudge.by = -kStep;
      const double difference = (above - value(nudge)) / (2 * kStep);
      INFO("stage " << static_cast<int>(stage) << ", layer " << layer << ", head " << head << " at "
                    << nudge.row << ", " << nudge.column << ": " << gradient(nudge.row, nudge.column)
                    << ", expected " << difference);
      CHECK(std::abs(difference - static_cast<double>(gradient(nudge.row, nudge.column))) <=
            2e-4 * std::max(largest[stage], 1e-2));
      nudge.row = 1;
      nudge.column = gradient.cols() / 2;
    }
  }
}

void check_folder(const std::filesystem::path& folder, Index tokens, int more) {
  const auto network = std::make_shared<const Network>(folder);
  if (!network->predicts()) return;
  const NetworkConfig& c = network->config();
  const std::vector<std::int32_t> ids = spread_ids(c, tokens);
  const PlainNetwork plain(*network);
  NetworkPass pass(network);
  pass.set_ids(ids);
  const Index position = c.causal ? tokens - 1 : 2;
  AllGradients of_logit;
  logit_gradients(pass, {position, 3, 8}, GradientsOf::RowsAndWeights, stored_in(of_logit));
  CHECK(static_cast<Index>(of_logit.size()) == 1 + c.layers * (4 + 3 * c.heads + 2 * c.kv_heads));
  check_differences(
      of_logit, [&](const Nudge& nudge) { return plain.logit_difference(ids, position, 3, 8, nudge); }, more);
  if (!c.causal) return;
  AllGradients of_loss;
  CHECK(std::abs(loss_gradients(pass, GradientsOf::Rows, stored_in(of_loss)) - plain.loss(ids)) < 2e-5);
  check_differences(
      of_loss, [&](const Nudge& nudge) { return plain.loss(ids, nudge); }, more);
}

// A pass with a change of every kind.
NetworkPass changed_pass(const std::string& family, const ModelState& with = {}) {
  NetworkPass pass = golden_pass(family);
  const NetworkConfig& c = pass.network().config();
  const Index tokens = pass.token_count();
  pass.set_heads(0, {HeadState::On, HeadState::Mean});
  pass.set_heads(1, {HeadState::Off, HeadState::On});
  Matrix allowed = Matrix::Ones(tokens, tokens);
  allowed(2, 0) = allowed(tokens - 1, 1) = 0;
  pass.set_settings(1, painted_mask(allowed));
  const Factor& query = pass.layer_weights(0).query;
  pass.set_weights(
      0, Parameter::Query,
      std::make_shared<const OwnWeights>(OwnWeights{0.5f * widened(query), widened_bias(query)}));
  std::vector<Patch> patches = {
      {PatchStage::Residual, 1, 0, 3, 2, Matrix::Constant(1, 3, 0.3f)},
      {PatchStage::Input, 0, 0, 1, 0, Matrix::Constant(2, 4, -0.2f)},
      {PatchStage::Queries, 1, 1, 2, 0, Matrix::Constant(1, c.head_width, 0.4f)},
      {PatchStage::Keys, 1, 0, 1, 1, Matrix::Constant(2, 2, 0.6f)},
      {PatchStage::Values, 0, 0, 4, 0, Matrix::Constant(1, 2, -0.7f)},
      {PatchStage::Weights, 0, 0, 4, 1, Matrix::Constant(1, 2, 0.35f)},
      {PatchStage::Context, 1, 1, 3, 1, Matrix::Constant(2, 2, 0.8f)},
      {PatchStage::AttentionAdded, 0, 0, 2, 0, Matrix::Constant(1, 5, 0.1f)},
      {PatchStage::MlpAdded, 1, 0, 4, 3, Matrix::Constant(1, 2, 0.9f)},
  };
  patches.insert(patches.end(), with.patches.begin(), with.patches.end());
  pass.set_patches(patches);
  return pass;
}

double logit_with(const std::string& family, const Patch& patch, const LogitChoice& logit) {
  ModelState state;
  state.patches = {patch};
  NetworkPass pass = changed_pass(family, state);
  return static_cast<double>(chosen_logit(pass.logits(logit.position, 1).row(0), logit));
}

}  // namespace

TEST_CASE(
    "pass gradients: of a logit and of the loss, at every place of every family, they are differences") {
  for (const std::string family : kNetworks) {
    INFO(family);
    check_folder(model_folder(family), 6, 1);
  }
}

TEST_CASE("pass gradients: of the special cases of families they are differences, or refused") {
  for (const auto& entry : std::filesystem::directory_iterator(kGolden + "library")) {
    INFO(entry.path().filename().string());
    const auto network = std::make_shared<const Network>(entry.path());
    if (network->has_gradients()) {
      check_folder(entry.path(), 4, 0);
    } else if (network->predicts() && !network->encoder() && !network->reads_images()) {
      NetworkPass pass(network);
      pass.set_ids({1, 2, 3});
      CHECK_THROWS_AS(logit_gradients(pass, {2, 1, {}}, GradientsOf::RowsAndWeights, {}), Error);
    }
  }
}

TEST_CASE("pass gradients: in a model with changes of every kind they are the differences of its passes") {
  for (const std::string family : {"gpt2", "gpt_neox", "qwen3", "gemma2"}) {
    INFO(family);
    NetworkPass pass = changed_pass(family);
    const LogitChoice logit{pass.token_count() - 1, 3, 8};
    AllGradients found;
    logit_gradients(pass, logit, GradientsOf::RowsAndWeights, stored_in(found));
    // Along the direction of the gradient itself, which float32 resolves best.
    for (const auto& [place, gradient] : found) {
      const auto [stage, layer, head] = place;
      const Matrix values = stage_values(pass, {stage, layer, head});
      const float length = gradient.norm();
      if (length < 1e-3f) continue;
      const float step = 2e-2f;
      const auto logit_at = [&](float by) {
        return logit_with(family, {stage, layer, head, 0, 0, values + by / length * gradient}, logit);
      };
      const double difference = (logit_at(step) - logit_at(-step)) / static_cast<double>(2 * step);
      INFO("stage " << static_cast<int>(stage) << ", layer " << layer << ", head " << head);
      CHECK(std::abs(difference - static_cast<double>(length)) < 0.02 * static_cast<double>(length) + 2e-2);
    }
  }
}

TEST_CASE("pass gradients: with every setting that a layer has of its own they are the differences") {
  for (const std::string family : {"gpt2", "gemma2", "qwen3"}) {
    const NetworkPass plain = golden_pass(family);
    const Index tokens = plain.token_count();
    const LogitChoice logit{tokens - 1, 3, 8};
    for (const SettingCase& one : setting_cases(plain.layer_frame(1), tokens, tokens)) {
      INFO(family << ": " << one.name);
      NetworkPass pass = plain;
      OwnSettings settings = one.settings;
      if (one.cancels)  // sums that are far from zero
        settings[static_cast<std::size_t>(LayerSetting::Bias)] =
            own_settings({LayerSetting::Bias}, [](Layer& m) {
              m.score_bias = {1, 1, {Matrix::Constant(1, 1, 20)}};
            })[static_cast<std::size_t>(LayerSetting::Bias)];
      pass.set_settings(1, settings);
      Matrix gradient;
      logit_gradients(pass, logit, GradientsOf::Embedding,
                      [&](const PatchPlace&, const MatrixRef& found) { gradient = found; });
      const float length = gradient.norm(), step = 2e-2f;
      const auto logit_at = [&](float by) {
        NetworkPass moved = pass;
        moved.set_patches({{PatchStage::Residual, 0, 0, 0, 0, pass.residual(0) + by / length * gradient}});
        return static_cast<double>(chosen_logit(moved.logits(logit.position, 1).row(0), logit));
      };
      const double difference = (logit_at(step) - logit_at(-step)) / static_cast<double>(2 * step);
      CHECK(std::abs(difference - static_cast<double>(length)) < 0.03 * static_cast<double>(length) + 2e-2);
    }
  }
}

namespace {

// Numbers of a unit at a place.
Index numbers_at(const NetworkPass& pass, InterventionPlace place) {
  switch (place) {
    case InterventionPlace::Weights:
      return pass.token_count();
    case InterventionPlace::Neuron:
      return 1;
    case InterventionPlace::Residual:
    case InterventionPlace::Mlp:
      return pass.network().config().width;
    case InterventionPlace::Queries:
    case InterventionPlace::Keys:
    case InterventionPlace::Values:
    case InterventionPlace::Head:
      break;
  }
  return pass.network().config().head_width;
}

// In the last layer, of one head or two neurons, at the last token and one before it.
Intervention intervention_at(const NetworkPass& pass, InterventionPlace place, InterventionHow how) {
  const Index last = pass.token_count() - 1;
  Intervention change;
  change.place = place;
  change.how = how;
  change.layer = pass.network().config().layers - 1;
  change.positions = {2, last};
  change.name = "changes[0]";
  const bool whole = place == InterventionPlace::Residual || place == InterventionPlace::Mlp;
  if (!whole)
    change.units = place == InterventionPlace::Neuron ? std::vector<Index>{3, 5} : std::vector<Index>{0};
  if (how == InterventionHow::Value) change.value = {1, 1, {Matrix::Constant(1, 1, 0.3f)}};
  if (how == InterventionHow::Resample) change.texts = {spread_ids(pass.network().config(), last + 1)};
  if (how != InterventionHow::Add && how != InterventionHow::ProjectOut) return change;
  change.direction.resize(1, numbers_at(pass, place));
  for (Index i = 0; i < change.direction.cols(); ++i)
    change.direction(0, i) = 0.2f + 0.5f * std::sin(1.9f * static_cast<float>(i));
  return change;
}

}  // namespace

TEST_CASE("pass gradients: through interventions of every place they are the differences of its passes") {
  using Change = InterventionPlace;
  using How = InterventionHow;
  for (const std::string family : {"gpt2", "gpt_neox", "qwen3", "gemma2"})
    for (const Change place : {Change::Residual, Change::Queries, Change::Keys, Change::Values,
                               Change::Weights, Change::Head, Change::Neuron, Change::Mlp})
      for (const How how : {How::Zero, How::Value, How::Resample, How::Add, How::ProjectOut}) {
        // Its norms of queries and keys of a stream of zeros bend within any step.
        if (family == "qwen3" && place == Change::Residual && how == How::Zero) continue;
        INFO(family << ": place " << static_cast<int>(place) << ", how " << static_cast<int>(how));
        NetworkPass pass = golden_pass(family);
        const LogitChoice logit{pass.token_count() - 1, 3, 8};
        pass.set_interventions({std::make_shared<const Intervention>(intervention_at(pass, place, how))});
        AllGradients found;
        logit_gradients(pass, logit, GradientsOf::RowsAndWeights, stored_in(found));
        const Index last = pass.network().config().layers - 1;
        for (const auto& [stage, layer] :
             {std::pair(PatchStage::Residual, Index{0}), std::pair(PatchStage::MlpAdded, last - 1),
              std::pair(PatchStage::Input, last)}) {
          const Matrix& gradient = found.at({stage, layer, 0});
          const float length = gradient.norm(), step = 2e-2f;
          if (length < 1e-3f) continue;
          const Matrix values = stage_values(pass, {stage, layer, 0});
          const auto logit_at = [&](float by) {
            NetworkPass moved = pass;
            moved.set_patches({{stage, layer, 0, 0, 0, values + by / length * gradient}});
            return static_cast<double>(chosen_logit(moved.logits(logit.position, 1).row(0), logit));
          };
          const double difference = (logit_at(step) - logit_at(-step)) / static_cast<double>(2 * step);
          CHECK(std::abs(difference - static_cast<double>(length)) <
                0.02 * static_cast<double>(length) + 2e-2);
        }
      }
}

TEST_CASE("pass gradients: what is not wanted is not handed over, and what cannot be is refused") {
  NetworkPass pass = golden_pass("gpt2");
  AllGradients found, all;
  logit_gradients(pass, {3, 1, std::nullopt}, GradientsOf::Embedding, stored_in(found));
  logit_gradients(pass, {3, 1, std::nullopt}, GradientsOf::Rows, stored_in(all));
  REQUIRE(found.size() == 1);
  CHECK(found.begin()->second == all.at({PatchStage::Residual, 0, 0}));
  CHECK(all.count({PatchStage::Weights, 0, 0}) == 0);
  // Nothing reaches the logits of a token from the tokens behind it.
  CHECK(found.begin()->second.bottomRows(pass.token_count() - 4).isZero(0));
  NetworkPass bert = golden_pass("bert");
  CHECK_THROWS_WITH(loss_gradients(bert, GradientsOf::Rows, stored_in(found)), ContainsSubstring("bert"));
  pass.set_ids({4});
  CHECK_THROWS_WITH(loss_gradients(pass, GradientsOf::Rows, stored_in(found)),
                    ContainsSubstring("one token"));
}

TEST_CASE(
    "patch estimate: to first order it is what the patches do, and a small share of the change errs little") {
  for (const std::string family : {"gpt2", "gpt_neox", "llama3", "qwen3", "gemma2"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    const LogitChoice logit{pass.token_count() - 1, 4, 9};
    const PatchEstimate estimate = estimate_patches(pass, source, logit);
    NetworkPass patched = pass;
    for (const PatchStage stage : {PatchStage::Residual, PatchStage::AttentionAdded, PatchStage::MlpAdded,
                                   PatchStage::Context, PatchStage::Weights}) {
      const PatchMap map = patch_map(pass, source, stage, logit, [](Index, Index) {});
      REQUIRE(estimate.of(stage).rows() == map.logits.rows());
      REQUIRE(estimate.of(stage).cols() == map.logits.cols());
      double whole = 0, share = 0;
      for (Index layer = 0; layer < map.logits.rows(); ++layer)
        for (Index column = 0; column < map.logits.cols(); ++column) {
          Patch patch = map.patch(layer, column);
          const Matrix present = has_heads(stage) ? stage_values(pass, {stage, layer, column})
                                                  : Matrix(stage_values(pass, {stage, layer}).row(column));
          patch.values = present + 0.02f * (patch.values - present);
          patched.set_patches({patch});
          const auto moved = [&](float logit_there) {
            return static_cast<double>(logit_there) - estimate.before;
          };
          const auto expected = static_cast<double>(estimate.of(stage)(layer, column));
          const double small = 50 * moved(chosen_logit(patched.logits(logit.position, 1).row(0), logit));
          whole += std::pow(moved(map.logits(layer, column)) - expected, 2);
          share += std::pow(small - expected, 2);
        }
      INFO("stage " << static_cast<int>(stage) << ": " << std::sqrt(whole) << ", of a fiftieth "
                    << std::sqrt(share));
      CHECK(std::sqrt(share) < 0.15 * std::sqrt(whole) + 2e-2);
    }
  }
}

TEST_CASE("patch estimate: its parts are sums of products, and the same text changes nothing") {
  NetworkPass pass = golden_pass("llama3"), source = pass_of_other_text("llama3");
  const LogitChoice logit{pass.token_count() - 1, 4, std::nullopt};
  std::map<Place, Matrix> products;
  const PatchEstimate estimate =
      estimate_patches(pass, source, logit, [&](const PatchPlace& place, const Matrix& all) {
        products.emplace(Place{place.stage, place.layer, place.head}, all);
      });
  const NetworkConfig& c = pass.network().config();
  CHECK(static_cast<Index>(products.size()) == 1 + c.layers * (3 + 2 * c.heads));
  for (Index layer = 0; layer < c.layers; ++layer)
    for (Index head = 0; head < c.heads; ++head) {
      const Matrix& by_token = estimate.context_by_token[static_cast<std::size_t>(layer)];
      CHECK(std::abs(by_token.row(head).sum() - estimate.context(layer, head)) < 1e-4f);
      CHECK(std::abs(products.at({PatchStage::Weights, layer, head}).sum() - estimate.weights(layer, head)) <
            1e-5f);
    }
  const PatchEstimate none = estimate_patches(pass, pass, logit);
  CHECK(none.residual.isZero(0));
  CHECK(none.weights.isZero(0));
  source.set_ids({1, 2});
  CHECK_THROWS_WITH(estimate_patches(pass, source, logit), ContainsSubstring("as many tokens"));
  NetworkPass other(open_model("gpt2"));
  other.set_ids(pass.ids());
  CHECK_THROWS_WITH(estimate_patches(pass, other, logit), ContainsSubstring("another shape"));
}

TEST_CASE("patch estimate: how far two maps differ") {
  Matrix a(2, 2), b(2, 2);
  a << 1, 2, 3, 4;
  b << 2, 4, 6, 8;
  const EstimateError doubled = estimate_error(a, b);
  CHECK_THAT(doubled.correlation, WithinAbs(1, 1e-12));
  CHECK(doubled.largest == 4);
  CHECK(doubled.row == 1);
  CHECK(doubled.column == 1);
  CHECK_THAT(estimate_error(a, -b).correlation, WithinAbs(-1, 1e-12));
  CHECK(std::isnan(estimate_error(a, Matrix::Zero(2, 2)).correlation));
  CHECK(estimate_error(Matrix(), Matrix()).largest == 0);
  b(0, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(estimate_error(a, b).largest));
}

TEST_CASE("embedding parts: gradient times embedding, of the logit and of the loss") {
  NetworkPass pass = golden_pass("gemma2");
  const LogitChoice logit{pass.token_count() - 1, 2, 7};
  const EmbeddingParts parts = embedding_parts(pass, logit);
  REQUIRE(parts.logit.size() == pass.token_count());
  REQUIRE(parts.loss.size() == pass.token_count());
  AllGradients of_logit, of_loss;
  logit_gradients(pass, logit, GradientsOf::Rows, stored_in(of_logit));
  const double loss = loss_gradients(pass, GradientsOf::Rows, stored_in(of_loss));
  CHECK(parts.loss_value == loss);
  for (Index token = 0; token < pass.token_count(); ++token) {
    const Matrix embedding = pass.residual_row(0, token);
    const auto product = [&](const AllGradients& all) {
      return embedding.row(0).dot(all.at({PatchStage::Residual, 0, 0}).row(token));
    };
    CHECK(std::abs(parts.logit(token) - product(of_logit)) < 1e-4f);
    CHECK(std::abs(parts.loss(token) - product(of_loss)) < 1e-4f);
  }
  // Stretching all embeddings by a little changes the logit by their sum.
  const float stretch = 1e-2f;
  const auto logit_at = [&](float factor) {
    NetworkPass stretched = golden_pass("gemma2");
    stretched.set_patches({{PatchStage::Residual, 0, 0, 0, 0, factor * Matrix(pass.residual(0))}});
    return chosen_logit(stretched.logits(logit.position, 1).row(0), logit);
  };
  CHECK(std::abs((logit_at(1 + stretch) - logit_at(1 - stretch)) / (2 * stretch) - parts.logit.sum()) <
        1e-2f * (1 + std::abs(parts.logit.sum())));
  NetworkPass bert(std::make_shared<const Network>(kGolden + "library/bert_untied"));
  bert.set_ids({1, 2, 3});
  const EmbeddingParts of_bert = embedding_parts(bert, {1, 2, std::nullopt});
  CHECK(of_bert.logit.size() == 3);
  CHECK(of_bert.loss.size() == 0);
  CHECK(std::isnan(of_bert.loss_value));
}
