#include "engine/questions/ablation.h"

#include "engine/core/stopping.h"
#include "engine/questions/token_losses.h"

namespace headlight {
namespace {

// What is put in the place of a head or an MLP: one row by layer.
struct Replacements {
  std::vector<Eigen::RowVectorXd> concat;  // H d_v wide
  std::vector<Eigen::RowVectorXd> mlps;    // d wide
};

Replacements replacements_of(NetworkPass& pass, const std::vector<TokenIds>& texts, AblationKind kind) {
  const std::vector<Patch> own = pass.patches();
  const NetworkConfig& c = pass.network().config();
  const auto layers = static_cast<std::size_t>(c.layers);
  Replacements all{{layers, Eigen::RowVectorXd::Zero(c.heads * c.head_width)},
                   {layers, Eigen::RowVectorXd::Zero(c.width)}};
  if (kind == AblationKind::Zero) return all;
  double tokens = 0;
  for (const TokenIds& ids : texts) {
    throw_if_stopped();
    take_text(pass, ids, own);
    tokens += static_cast<double>(ids.size());
    for (Index layer = 0; layer < c.layers; ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      all.concat[at] += pass.concat(layer).cast<double>().colwise().sum();
      all.mlps[at] += pass.mlp_added(layer, 0, pass.token_count()).cast<double>().colwise().sum();
    }
  }
  for (std::size_t at = 0; at < layers; ++at) {
    all.concat[at] /= tokens;
    all.mlps[at] /= tokens;
  }
  return all;
}

Matrix repeated(const Eigen::RowVectorXd& row, Index tokens) {
  return row.cast<float>().replicate(tokens, 1);
}

double measured_with(NetworkPass& pass, const std::vector<Patch>& own, Patch patch,
                     const OutputMeasure& measure) {
  std::vector<Patch> patches = own;
  patches.push_back(std::move(patch));
  pass.set_patches(patches);
  return measured_output(pass, measure);
}

}  // namespace

LogitChoice logit_choice(NetworkPass& pass, const OutputMeasure& measure) {
  LogitChoice logit;
  logit.position = predicted_position(pass.network(), pass.ids());
  logit.id = measure.target.value_or(0);
  if (!measure.target) logit.id = likeliest(pass.logits(logit.position, 1).row(0), 1).front().id;
  logit.other = measure.against;
  return logit;
}

double measured_output(NetworkPass& pass, const OutputMeasure& measure) {
  if (measure.kind == OutputMeasure::Kind::Loss) return mean_loss(token_losses(pass));
  const LogitChoice logit = logit_choice(pass, measure);
  return static_cast<double>(chosen_logit(pass.logits(logit.position, 1).row(0), logit));
}

Ablation ablate(NetworkPass& pass, const std::vector<TokenIds>& texts, AblationKind kind,
                const OutputMeasure& measure, const std::function<void(Index, Index)>& done) {
  const NetworkConfig& c = pass.network().config();
  const std::vector<Patch> own = pass.patches();
  const Replacements into = replacements_of(pass, texts, kind);
  const auto count = static_cast<Index>(texts.size());
  const Index all = count * c.layers * (c.heads + 1);
  Ablation result{0, Matrix::Zero(c.layers, c.heads), Matrix::Zero(c.layers, 1), count, 0};
  Eigen::MatrixXd heads = Eigen::MatrixXd::Zero(c.layers, c.heads), mlps = Eigen::MatrixXd::Zero(c.layers, 1);
  Index known = 0;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    take_text(pass, texts[text], own);
    result.tokens += pass.token_count();
    // The token whose logit is measured stays that of the text as it is.
    OutputMeasure fixed = measure;
    if (!measure.targets.empty()) fixed.target = measure.targets[text];
    if (measure.kind == OutputMeasure::Kind::Logit) fixed.target = logit_choice(pass, fixed).id;
    const double before = measured_output(pass, fixed);
    result.before += before;
    for (Index layer = c.layers - 1; layer >= 0; --layer) {
      const auto at = static_cast<std::size_t>(layer);
      for (Index head = 0; head < c.heads; ++head) {
        Patch patch{PatchStage::Context,
                    layer,
                    head,
                    0,
                    0,
                    repeated(into.concat[at].segment(head * c.head_width, c.head_width), pass.token_count())};
        heads(layer, head) += measured_with(pass, own, std::move(patch), fixed) - before;
        done(++known, all);
      }
      Patch patch{PatchStage::MlpAdded, layer, 0, 0, 0, repeated(into.mlps[at], pass.token_count())};
      mlps(layer, 0) += measured_with(pass, own, std::move(patch), fixed) - before;
      done(++known, all);
    }
    pass.set_patches(own);
  }
  result.before /= static_cast<double>(count);
  result.heads = (heads / static_cast<double>(count)).cast<float>();
  result.mlps = (mlps / static_cast<double>(count)).cast<float>();
  take_text(pass, texts.front(), own);
  return result;
}

}  // namespace headlight
