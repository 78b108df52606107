#include "engine/analysis/ablation.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/stopping.h"
#include "engine/interpretation/predictions.h"

namespace headlight {
namespace {

// What is put in the place of a head or an MLP: one row by layer.
struct Replacements {
  std::vector<Eigen::RowVectorXd> concat;  // H d_v wide
  std::vector<Eigen::RowVectorXd> mlps;    // d wide
};

Replacements zeros(const NetworkConfig& c) {
  const auto layers = static_cast<std::size_t>(c.layers);
  return {{layers, Eigen::RowVectorXd::Zero(c.heads * c.head_width)},
          {layers, Eigen::RowVectorXd::Zero(c.width)}};
}

Replacements means_over(NetworkPass& pass, const std::vector<TokenIds>& texts,
                        const std::vector<Patch>& own) {
  const NetworkConfig& c = pass.network().config();
  Replacements all = zeros(c);
  double tokens = 0;
  for (const TokenIds& ids : texts) {
    throw_if_stopped();
    take_text(pass, ids, own);
    tokens += static_cast<double>(pass.token_count());
    for (Index layer = 0; layer < c.layers; ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      all.concat[at] += pass.concat(layer).cast<double>().colwise().sum();
      all.mlps[at] += pass.mlp_added(layer, 0, pass.token_count()).cast<double>().colwise().sum();
    }
  }
  for (std::size_t at = 0; at < all.mlps.size(); ++at) {
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

void require_heads(const NetworkConfig& c, const std::vector<HeadPlace>& together) {
  for (const auto [layer, head] : together)
    if (layer < 0 || layer >= c.layers || head < 0 || head >= c.heads)
      throw Error("there is no head " + std::to_string(layer) + "." + std::to_string(head), "together",
                  "the layers are 0 to " + std::to_string(c.layers - 1) + ", the heads 0 to " +
                      std::to_string(c.heads - 1));
}

// The ablation of one text after the other.
class Ablating {
 public:
  Ablating(NetworkPass& pass, const AblationChoice& choice, std::function<void()> done)
      : pass_(pass), own_(pass.patches()), choice_(choice), done_(std::move(done)) {
    std::sort(choice_.together.begin(), choice_.together.end(), [](HeadPlace a, HeadPlace b) {
      return std::pair(a.layer, a.head) < std::pair(b.layer, b.head);
    });
  }

  // What all texts have in common.
  void prepare(const std::vector<TokenIds>& texts) {
    into_ = zeros(pass_.network().config());
    if (choice_.kind == AblationKind::Zero || choice_.over == MeanOver::Text) return;
    into_ = means_over(pass_, choice_.over == MeanOver::Set ? texts : choice_.others, own_);
  }

  void take(const TokenIds& ids) {
    if (mean_of_text()) into_ = means_over(pass_, {ids}, own_);
    take_text(pass_, ids, own_);
  }

  // How the text's number changes without each head and MLP.
  void each(const OutputMeasure& measure, AblatedText& text) {
    const NetworkConfig& c = pass_.network().config();
    Eigen::MatrixXd &heads = text.heads, &mlps = text.mlps;
    heads.resize(c.layers, c.heads);
    mlps.resize(c.layers, 1);
    for (Index layer = c.layers - 1; layer >= 0; --layer) {
      for (Index head = 0; head < c.heads; ++head) {
        heads(layer, head) = measured_with(pass_, own_, head_patch({layer, head}), measure);
        done_();
      }
      const Eigen::RowVectorXd& mlp = into_.mlps[static_cast<std::size_t>(layer)];
      mlps(layer, 0) = measured_with(
          pass_, own_, {PatchStage::MlpAdded, layer, 0, 0, 0, repeated(mlp, pass_.token_count())}, measure);
      done_();
    }
    heads.array() -= text.before;
    mlps.array() -= text.before;
  }

  double together(const OutputMeasure& measure) {
    std::vector<Patch> patches = own_;
    for (const HeadPlace place : choice_.together) {
      // The mean over the text itself is that of what the earlier layers now leave, as HeadState::Mean.
      if (mean_of_text())
        into_.concat[static_cast<std::size_t>(place.layer)] =
            pass_.concat(place.layer).cast<double>().colwise().mean();
      patches.push_back(head_patch(place));
      pass_.set_patches(patches);
    }
    done_();
    return measured_output(pass_, measure);
  }

 private:
  bool mean_of_text() const { return choice_.kind == AblationKind::Mean && choice_.over == MeanOver::Text; }

  Patch head_patch(HeadPlace at) const {
    const Index width = pass_.network().config().head_width;
    const Eigen::RowVectorXd& of_layer = into_.concat[static_cast<std::size_t>(at.layer)];
    return {PatchStage::Context,
            at.layer,
            at.head,
            0,
            0,
            repeated(of_layer.segment(at.head * width, width), pass_.token_count())};
  }

  NetworkPass& pass_;
  const std::vector<Patch> own_;
  AblationChoice choice_;
  std::function<void()> done_;
  Replacements into_;
};

// How much a text counts in the means over a set.
double weight_of(NetworkPass& pass, const OutputMeasure& measure) {
  return measure.kind == OutputMeasure::Kind::Loss ? static_cast<double>(token_losses(pass).size()) : 1;
}

// The measure of one text of a set.
OutputMeasure measure_of_text(const OutputMeasure& measure, std::size_t at) {
  OutputMeasure own = measure;
  if (!measure.targets.empty()) own.target = measure.targets[at];
  if (!measure.againsts.empty()) own.against = measure.againsts[at];
  return own;
}

// The means over the texts.
void add_means(Ablation& all) {
  double weights = 0;
  for (const AblatedText& text : all.texts)
    weights += text.weight;
  Eigen::MatrixXd heads =
                      Eigen::MatrixXd::Zero(all.texts.front().heads.rows(), all.texts.front().heads.cols()),
                  mlps = Eigen::MatrixXd::Zero(all.texts.front().mlps.rows(), all.texts.front().mlps.cols());
  for (const AblatedText& text : all.texts) {
    all.before += text.weight * text.before / weights;
    all.together += text.weight * text.together / weights;
    heads += text.weight / weights * text.heads;
    mlps += text.weight / weights * text.mlps;
  }
  all.heads = heads.cast<float>();
  all.mlps = mlps.cast<float>();
}

void count_mean(const AblationChoice& choice, const std::vector<TokenIds>& texts, Ablation& result) {
  const std::vector<TokenIds>& over = choice.over == MeanOver::Others ? choice.others : texts;
  result.mean_texts = static_cast<Index>(over.size());
  for (const TokenIds& ids : over)
    result.mean_tokens += static_cast<Index>(ids.size());
}

}  // namespace

LogitChoice logit_choice(NetworkPass& pass, const OutputMeasure& measure) {
  LogitChoice logit;
  logit.position = predicted_position(pass.network(), pass.ids());
  logit.id = measure.target.value_or(0);
  if (!measure.target) logit.id = likeliest(pass.logits(logit.position, 1).row(0), 1).front().id;
  logit.other = measure.against;
  logit.metric = measure.metric;
  return logit;
}

double measured_output(NetworkPass& pass, const OutputMeasure& measure) {
  if (measure.kind == OutputMeasure::Kind::Loss) return mean_loss(token_losses(pass));
  const LogitChoice logit = logit_choice(pass, measure);
  return chosen_value(pass.logits(logit.position, 1).row(0), logit);
}

Ablation ablate(NetworkPass& pass, const std::vector<TokenIds>& texts, const AblationChoice& choice,
                const OutputMeasure& measure, const std::function<void(Index, Index)>& done) {
  const NetworkConfig& c = pass.network().config();
  require_heads(c, choice.together);
  const bool together = !choice.together.empty();
  const std::vector<Patch> own = pass.patches();
  const Index all = static_cast<Index>(texts.size()) * (together ? 1 : c.layers * (c.heads + 1));
  Index known = 0;
  // Packing the weights anew would be a fifth of each pass.
  if (!together) keep_panels(pass.network().weights());
  Ablating ablating(pass, choice, [&] { done(++known, all); });
  ablating.prepare(texts);
  Ablation result;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    ablating.take(texts[at]);
    // The token whose logit is measured stays that of the text as it is.
    OutputMeasure fixed = measure_of_text(measure, at);
    if (measure.kind == OutputMeasure::Kind::Logit) fixed.target = logit_choice(pass, fixed).id;
    AblatedText& text = result.texts.emplace_back();
    text.before = measured_output(pass, fixed);
    text.weight = weight_of(pass, fixed);
    if (together)
      text.together = ablating.together(fixed) - text.before;
    else
      ablating.each(fixed, text);
  }
  add_means(result);
  count_mean(choice, texts, result);
  take_text(pass, texts.front(), own);
  return result;
}

}  // namespace headlight
