#include "engine/analysis/path_patching.h"

#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"
#include "tests/engine/analysis/path_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const LogitChoice kDifference = {6, 3, 8, Metric::LogitDifference};

const auto kAllReaders = [](const StreamReader&) { return true; };

// The number with each path less that without, senders x receivers.
Matrix changes_by_path(NetworkPass& pass, NetworkPass& source, MlpsBetween mlps) {
  const NetworkConfig& c = pass.network().config();
  const Index last = pass.token_count() - 1;
  const std::vector<StreamPart> senders = senders_of(c);
  const std::vector<StreamReader> receivers = receivers_of(c);
  const double before = chosen_value(pass.logits(last, 1).row(0), kDifference);
  Matrix changes =
      Matrix::Constant(static_cast<Index>(senders.size()), static_cast<Index>(receivers.size()), NAN);
  PathPatching patching(pass, source, mlps, {}, last);
  for (std::size_t row = 0; row < senders.size(); ++row)
    patching.send(senders[row], kAllReaders, [&](const PathEffect& effect) {
      const auto column = std::find(receivers.begin(), receivers.end(), effect.receiver) - receivers.begin();
      changes(static_cast<Index>(row), column) =
          static_cast<float>(chosen_value(effect.logits.row(0), kDifference) - before);
    });
  return changes;
}

// All logits of the text with the path's patch, or with the changed stream where the logits receive.
void check_path(const std::string& name, const StreamPart& sender, const StreamReader& receiver,
                const std::vector<Index>& positions) {
  INFO(name);
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  const Matrix logits = expected_matrix("path." + name + ".logits");
  for (Index position = 0; position < pass.token_count(); ++position) {
    PathPatching patching(pass, source, MlpsBetween::Held, positions, position);
    int calls = 0;
    patching.send(
        sender, [&](const StreamReader& reader) { return reader == receiver; },
        [&](const PathEffect& effect) {
          ++calls;
          CHECK(largest_difference(effect.logits, logits.row(position)) <=
                kPathError * logits.cwiseAbs().maxCoeff());
          if (!effect.patch) return;
          NetworkPass patched = pass;
          patched.set_patches({*effect.patch});
          const NamedArray weights = expected_array("path." + name + ".weights");
          for (Index head = 0; head < 3; ++head)
            CHECK(largest_difference(patched.attention_weights(1, head), golden_matrix(weights, 3 + head)) <=
                  kPathError);
        });
    CHECK(calls == 1);
  }
}

}  // namespace

TEST_CASE("path patching: every path of a model is what NumPy computes, with MLPs held and recomputed") {
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  for (const auto& [mlps, name] :
       {std::pair(MlpsBetween::Held, "held"), std::pair(MlpsBetween::Recomputed, "recomputed")}) {
    INFO(name);
    const Matrix expected = expected_matrix("path." + std::string(name) + ".change");
    CHECK(relative_error(changes_by_path(pass, source, mlps), expected) <= kPathError);
  }
}

TEST_CASE("path patching: one path at chosen tokens, its logits and the weights behind it") {
  using S = StreamPart::Kind;
  using R = StreamReader::Kind;
  check_path("embedding.keys-1-2", {S::Embedding, 0, 0}, {R::Keys, 1, 2}, {});
  check_path("head-0-2.queries-1-0", {S::Head, 0, 2}, {R::Queries, 1, 0}, {6});
  check_path("mlp-0.values-1-2", {S::Mlp, 0, 0}, {R::Values, 1, 2}, {});
  check_path("head-0-0.mlp-1", {S::Head, 0, 0}, {R::Mlp, 1, 0}, {1, 3});
  check_path("mlp-0.logits", {S::Mlp, 0, 0}, {R::Logits, 2, 0}, {});
}

TEST_CASE("path patching: each metric of the last row is what NumPy computes") {
  NetworkPass pass = paths_pass("clean");
  const Matrix logits = pass.logits(pass.token_count() - 1, 1);
  for (const auto& [metric, name] :
       std::vector<std::pair<Metric, std::string>>{{Metric::Logit, "logit"},
                                                   {Metric::LogitDifference, "logit_difference"},
                                                   {Metric::LogProbability, "log_probability"},
                                                   {Metric::Probability, "probability"},
                                                   {Metric::Rank, "rank"},
                                                   {Metric::Loss, "loss"}}) {
    INFO(name);
    LogitChoice choice = kDifference;
    choice.metric = metric;
    if (metric == Metric::Logit) choice.other.reset();
    const double expected = double{expected_array("metric." + name).values.at(0)};
    CHECK_THAT(chosen_value(logits.row(0), choice), WithinAbs(expected, 1e-5 * std::abs(expected)));
  }
}

TEST_CASE("path patching: a sender reaches only what reads behind it, in all families of sums") {
  for (const std::string family : kNetworks) {
    INFO(family);
    NetworkPass pass = golden_pass(family), source = pass_of_other_text(family);
    const NetworkConfig& c = pass.network().config();
    if (!c.stream_is_sum() || c.norm_place == NormPlace::Around) {
      CHECK_THROWS_WITH(PathPatching(pass, source, MlpsBetween::Held, {}, 0),
                        ContainsSubstring(c.stream_is_sum() ? "together" : "sum of parts"));
      continue;
    }
    const Index last = pass.token_count() - 1;
    PathPatching patching(pass, source, MlpsBetween::Held, {}, last);
    // All that is added in the last layer reaches the logits alone.
    const StreamPart sender{StreamPart::Kind::Mlp, c.layers - 1, 0};
    std::vector<StreamReader> reached;
    Matrix moved;
    patching.send(sender, kAllReaders, [&](const PathEffect& effect) {
      reached.push_back(effect.receiver);
      moved = effect.logits;
    });
    REQUIRE(reached == std::vector<StreamReader>{{StreamReader::Kind::Logits, c.layers, 0}});
    Matrix left = pass.residual_row(c.layers, last) - pass.mlp_added(c.layers - 1, last, 1) +
                  source.mlp_added(c.layers - 1, last, 1);
    CHECK(largest_difference(moved, pass.logits_of(left)) < kRounding);
    // The embedding reaches everything, and all of it moves the values of the first layer to the source's.
    Index count = 0;
    patching.send({StreamPart::Kind::Embedding, 0, 0}, kAllReaders, [&](const PathEffect& effect) {
      ++count;
      if (effect.receiver != StreamReader{StreamReader::Kind::Values, 0, 0}) return;
      CHECK(largest_difference(effect.patch->values, source.values(0).leftCols(c.head_width)) < kRounding);
    });
    CHECK(count == static_cast<Index>(receivers_of(c).size()));
  }
}

TEST_CASE("path patching: what is no path between two texts is refused") {
  NetworkPass pass = paths_pass("clean"), source = paths_pass("other");
  CHECK_THROWS_WITH(PathPatching(pass, source, MlpsBetween::Held, {7}, 6), ContainsSubstring("no token 7"));
  NetworkPass patched = pass;
  patched.set_patches({{PatchStage::Values, 0, 0, 0, 0, Matrix::Zero(1, 4)}});
  CHECK_THROWS_WITH(PathPatching(patched, source, MlpsBetween::Held, {}, 6), ContainsSubstring("patches"));
  patched = pass;
  patched.set_heads(LayerPlace(0), {HeadState::Mean});
  CHECK_THROWS_WITH(PathPatching(patched, source, MlpsBetween::Held, {}, 6), ContainsSubstring("its mean"));
  source.set_ids({1, 2, 3});
  CHECK_THROWS_WITH(PathPatching(pass, source, MlpsBetween::Held, {}, 6),
                    ContainsSubstring("as many tokens"));
}
