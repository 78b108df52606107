#include "engine/analysis/ablation.h"

#include <map>

#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"
#include "tests/engine/network/network_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const auto kNobody = [](Index, Index) {};

double loss_with(NetworkPass& pass, Index layer, Index head, HeadState state) {
  HeadStates states(static_cast<std::size_t>(head + 1), HeadState::On);
  states.back() = state;
  pass.set_heads(layer, states);
  const double loss = mean_loss(token_losses(pass));
  pass.set_heads(layer, {});
  return loss;
}

// The mean over all predicted tokens of the texts, with these states of heads by layer.
double loss_of(NetworkPass& pass, const std::vector<TokenIds>& texts,
               const std::map<Index, HeadStates>& off) {
  for (const auto& [layer, states] : off)
    pass.set_heads(layer, states);
  double sum = 0, tokens = 0;
  for (const TokenIds& ids : texts) {
    pass.set_ids(ids);
    for (const TokenLoss& one : token_losses(pass)) {
      sum += one.loss;
      tokens += 1;
    }
  }
  for (const auto& change : off)
    pass.set_heads(change.first, {});
  return sum / tokens;
}

}  // namespace

TEST_CASE("ablation: zero is the head switched off, and the mean of one text its mean") {
  for (const std::string family : {"gpt2", "gemma2", "llama"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family), plain = golden_pass(family);
    const std::vector<TokenIds> texts = {pass.ids()};
    const double before = mean_loss(token_losses(plain));
    const Ablation zero = ablate(pass, texts, {AblationKind::Zero}, {}, kNobody);
    const Ablation mean = ablate(pass, texts, {AblationKind::Mean}, {}, kNobody);
    CHECK_THAT(zero.before, WithinAbs(before, 1e-6));
    CHECK(mean.mean_tokens == plain.token_count());
    for (Index layer = 0; layer < zero.heads.rows(); ++layer)
      for (Index head = 0; head < zero.heads.cols(); ++head) {
        CHECK_THAT(zero.heads(layer, head),
                   WithinAbs(loss_with(plain, layer, head, HeadState::Off) - before, 1e-5));
        CHECK_THAT(mean.heads(layer, head),
                   WithinAbs(loss_with(plain, layer, head, HeadState::Mean) - before, 1e-5));
      }
    CHECK(pass.patches().empty());
  }
}

TEST_CASE("ablation: the mean is over all tokens of all texts, and the change over the texts") {
  NetworkPass pass = golden_pass("gpt2"), plain = golden_pass("gpt2");
  const std::vector<TokenIds> texts = {{1, 5, 9, 2}, {7, 3}};
  const Index layer = 1, head = 1, width = pass.network().config().head_width;
  Eigen::RowVectorXd heads = Eigen::RowVectorXd::Zero(width);
  Eigen::RowVectorXd mlps = Eigen::RowVectorXd::Zero(pass.network().config().width);
  for (const TokenIds& ids : texts) {
    plain.set_ids(ids);
    heads += plain.concat(layer).middleCols(head * width, width).cast<double>().colwise().sum() / 6;
    mlps += plain.mlp_added(layer, 0, plain.token_count()).cast<double>().colwise().sum() / 6;
  }
  const OutputMeasure measure{OutputMeasure::Kind::Logit, 4, 6};
  double of_head = 0, of_mlp = 0, before = 0;
  for (const TokenIds& ids : texts) {
    plain.set_patches({});
    plain.set_ids(ids);
    const Index last = plain.token_count() - 1;
    const auto difference = [&] { return plain.logits(last, 1)(0, 4) - plain.logits(last, 1)(0, 6); };
    const double now = difference();
    before += now / 2;
    plain.set_patches({{PatchStage::Context, layer, head, 0, 0, heads.cast<float>().replicate(last + 1, 1)}});
    of_head += (difference() - now) / 2;
    plain.set_patches({{PatchStage::MlpAdded, layer, 0, 0, 0, mlps.cast<float>().replicate(last + 1, 1)}});
    of_mlp += (difference() - now) / 2;
  }
  Index calls = 0;
  const Ablation all = ablate(pass, texts, {AblationKind::Mean}, measure, [&](Index done, Index count) {
    ++calls;
    CHECK(done <= count);
  });
  CHECK(calls == 2 * pass.network().config().layers * (pass.network().config().heads + 1));
  CHECK(all.mean_texts == 2);
  CHECK(all.mean_tokens == 6);
  CHECK_THAT(all.before, WithinAbs(before, 1e-5));
  CHECK_THAT(all.heads(layer, head), WithinAbs(of_head, 1e-5));
  CHECK_THAT(all.mlps(layer, 0), WithinAbs(of_mlp, 1e-5));
}

TEST_CASE(
    "ablation: the mean over each text itself is the change of heads to their mean, alone and together") {
  constexpr HeadState kOn = HeadState::On, kMean = HeadState::Mean;
  for (const std::string family : {"gpt2", "gemma2", "llama"}) {
    INFO(family);
    NetworkPass pass = golden_pass(family), plain = golden_pass(family);
    const std::vector<TokenIds> texts = {{1, 5, 9, 2, 11}, {7, 3}, {2, 2, 8}};
    const Ablation each = ablate(pass, texts, {AblationKind::Mean, MeanOver::Text}, {}, kNobody);
    const double before = loss_of(plain, texts, {});
    CHECK_THAT(each.before, WithinAbs(before, 1e-5));
    CHECK_THAT(each.heads(1, 1), WithinAbs(loss_of(plain, texts, {{1, {kOn, kMean}}}) - before, 1e-5));
    AblationChoice both{AblationKind::Mean, MeanOver::Text, {}, {{1, 1}, {0, 0}}};
    const Ablation together = ablate(pass, texts, both, {}, kNobody);
    const double change = loss_of(plain, texts, {{0, {kMean}}, {1, {kOn, kMean}}}) - before;
    CHECK_THAT(together.together, WithinAbs(change, 1e-5));
    CHECK(together.heads.size() == 0);
    both.over = MeanOver::Set;
    CHECK(std::abs(ablate(pass, texts, both, {}, kNobody).together - change) > 1e-4);  // another mean
    CHECK(pass.patches().empty());
    CHECK(pass.ids() == texts.front());
  }
}

TEST_CASE(
    "ablation: a mean over other texts is theirs, and the same as that of the set where they are the set") {
  NetworkPass pass = golden_pass("gpt2"), plain = golden_pass("gpt2");
  const std::vector<TokenIds> texts = {{1, 5, 9, 2}, {7, 3}}, others = {{4, 4, 8}, {6, 2}};
  const OutputMeasure measure{OutputMeasure::Kind::Logit, 4, {}};
  const Index width = pass.network().config().head_width;
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(width);
  for (const TokenIds& ids : others) {
    plain.set_ids(ids);
    mean += plain.concat(0).leftCols(width).cast<double>().colwise().sum() / 5;
  }
  double change = 0;
  for (const TokenIds& ids : texts) {
    plain.set_patches({});
    plain.set_ids(ids);
    const Index last = plain.token_count() - 1;
    const double before = plain.logits(last, 1)(0, 4);
    plain.set_patches({{PatchStage::Context, 0, 0, 0, 0, mean.cast<float>().replicate(last + 1, 1)}});
    change += (plain.logits(last, 1)(0, 4) - before) / 2;
  }
  const AblationChoice over_others{AblationKind::Mean, MeanOver::Others, others};
  const Ablation found = ablate(pass, texts, over_others, measure, kNobody);
  CHECK_THAT(found.heads(0, 0), WithinAbs(change, 1e-5));
  CHECK((found.mean_texts == 2 && found.mean_tokens == 5));
  const AblationChoice over_same{AblationKind::Mean, MeanOver::Others, texts};
  CHECK(ablate(pass, texts, over_same, measure, kNobody)
            .heads.isApprox(ablate(pass, texts, {AblationKind::Mean}, measure, kNobody).heads));
}

TEST_CASE("ablation: a head that the model does not have is named") {
  NetworkPass pass = golden_pass("gpt2");
  const AblationChoice choice{AblationKind::Zero, MeanOver::Set, {}, {{0, 0}, {0, 99}}};
  CHECK_THROWS_WITH(ablate(pass, {{1, 5}}, choice, {}, kNobody), ContainsSubstring("no head 0.99"));
}
