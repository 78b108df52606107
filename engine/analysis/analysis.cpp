#include "engine/analysis/analysis.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/analysis/ablation_tables.h"
#include "engine/analysis/feature_results.h"
#include "engine/analysis/lens_map.h"
#include "engine/analysis/mean_direction.h"
#include "engine/analysis/neurons.h"
#include "engine/analysis/path_results.h"
#include "engine/analysis/rollout.h"
#include "engine/analysis/set_analysis.h"
#include "engine/analysis/steering.h"
#include "engine/analysis/stream_norms.h"
#include "engine/analysis/tables.h"
#include "engine/analysis/words.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/no_number.h"
#include "engine/core/stopping.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/patch_map.h"
#include "engine/interpretation/predictions.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

using Kind = ResultTable::Kind;
using Names = std::vector<std::string>;

constexpr std::array<AnalysisInfo, kAnalysisCount> kAnalyses = {{
    {AnalysisKind::Loss, "loss", "Loss", "how well each token is predicted from those before it", true, false,
     false, false, false, false, false},
    {AnalysisKind::Lens, "lens", "Logit lens", "what each layer would predict at each token", false, true,
     false, false, false, false, false},
    {AnalysisKind::Parts, "parts", "Parts", "what each head and MLP adds to the target's logit", true, true,
     false, false, false, false, false},
    {AnalysisKind::Patches, "patches", "Patches", "what another text's numbers do to the target's logit",
     true, true, false, false, true, false, true},
    {AnalysisKind::Ablation, "ablation", "Ablation",
     "how the text's loss or the target's logit changes without heads and MLPs", true, true, false, false,
     false, false, true},
    {AnalysisKind::Measures, "measures", "Measures", "which heads are of a known kind", true, false, false,
     false, false, false, false},
    {AnalysisKind::Circuit, "circuit", "OV and QK",
     "what a head writes for what it reads, and what it "
     "attends to, by its weights",
     false, false, true, true, false, false, false},
    {AnalysisKind::Composition, "composition", "Composition",
     "which earlier heads a head reads from, by "
     "their weights",
     false, false, true, true, false, false, false},
    {AnalysisKind::Neurons, "neurons", "Neurons", "which neurons of an MLP add most to the target's logit",
     false, true, true, false, false, false, false},
    {AnalysisKind::Norms, "norms", "Norms", "how large the stream is, and what is added to it", false, false,
     false, false, false, false, false},
    {AnalysisKind::Moved, "moved", "Weight x value", "how much a head moves from each token", false, false,
     true, true, false, true, false},
    {AnalysisKind::Rollout, "rollout", "Rollout",
     "how much each token takes from each by the weights of all layers", false, false, false, false, false,
     true, false},
    {AnalysisKind::Direction, "direction", "Direction",
     "what the difference of two texts' streams does to the prediction when it is added", true, true, true,
     false, true, false, false},
    {AnalysisKind::Score, "score", "Score parts",
     "which parts of the query's and of the key's stream a score comes from", false, false, true, true, false,
     false, false},
    {AnalysisKind::Paths, "path", "Paths",
     "what one part of the model does to another one directly, with another text's output", true, true, false,
     false, true, false, true},
    {AnalysisKind::Edges, "edges", "Edges",
     "an estimate of every path, and how much of the target the strongest carry", true, true, false, false,
     true, false, true},
    {AnalysisKind::Features, "features", "Features",
     "which features of a dictionary fire, and what they add to the target", false, true, true, false, false,
     false, false},
}};

Names labels_of(const Network& network, const TokenIds& ids) {
  Names labels;
  for (const std::int32_t id : ids)
    labels.push_back(network.label(id));
  return labels;
}

std::string quoted(const Network& network, std::int32_t id) {
  return "\"" + network.label(id) + "\" (id " + std::to_string(id) + ")";
}

// One analysis as it runs.
class Asking {
 public:
  Asking(NetworkPass& pass, NetworkPass& source, const Analysis& analysis, const AnalysisProgress& progress)
      : pass_(pass),
        source_(source),
        network_(pass.network()),
        analysis_(analysis),
        progress_(progress),
        own_patches_(pass.patches()),
        patches_of_source_(source.patches()) {
    result_.title = title();
  }

  AnalysisResult find() {
    check();
    take_text(pass_, analysis_.texts.front(), own_patches_);
    if (analysis_.texts.size() > 1) say("means over " + std::to_string(analysis_.texts.size()) + " texts");
    say_source();
    if (!pass_.residual(network_.config().layers).allFinite())
      say("the model computes numbers that are not finite in the text: look for NaN in its weights");
    switch (analysis_.kind) {
      case AnalysisKind::Loss:
        analysis_.texts.size() > 1 ? losses_of_texts() : loss();
        break;
      case AnalysisKind::Lens:
        lens();
        break;
      case AnalysisKind::Parts:
        parts();
        break;
      case AnalysisKind::Patches:
        patches();
        break;
      case AnalysisKind::Ablation:
        ablation();
        break;
      case AnalysisKind::Measures:
        measures();
        break;
      case AnalysisKind::Circuit:
        circuit();
        break;
      case AnalysisKind::Composition:
        composition();
        break;
      case AnalysisKind::Neurons:
        neurons();
        break;
      case AnalysisKind::Norms:
        norms();
        break;
      case AnalysisKind::Moved:
        moved();
        break;
      case AnalysisKind::Rollout:
        rollout();
        break;
      case AnalysisKind::Direction:
        direction();
        break;
      case AnalysisKind::Score:
      case AnalysisKind::Paths:
      case AnalysisKind::Edges:
      case AnalysisKind::Features:
        parts_and_paths();
        break;
    }
    return std::move(result_);
  }

 private:
  void say(std::string note) { result_.notes.push_back(std::move(note)); }
  void add(ResultTable table) { result_.tables.push_back(std::move(table)); }

  // What the texts are, beside the words in them.
  void say_source() {
    const bool of_logit = analysis_info(analysis_.kind).of_target && !of_text_loss(analysis_);
    if (!analysis_.targets.empty() && !of_logit)
      say("what stands behind a tab is the answer to a text, and is left out here");
    if (analysis_.repeated)
      say("the text: " + std::to_string(analysis_.repeated->count) +
          " random ordinary tokens, said twice, drawn with seed " + std::to_string(analysis_.repeated->seed));
  }

  std::string title() const {
    const AnalysisInfo& info = analysis_info(analysis_.kind);
    const std::string words = analysis_.words && info.of_words ? " between words" : "";
    const std::string name = std::string(info.label) + words;
    if (info.of_head) return name + " of " + head_text();
    if (info.of_layer) return name + " of layer " + std::to_string(analysis_.layer);
    return name + ": " + std::string(info.what);
  }

  std::string text_of(const TokenIds& ids) const {
    std::string text;
    for (const std::int32_t id : ids)
      text += (network_.tokenizer() || text.empty() ? "" : " ") + network_.token_label(id);
    return text;
  }

  std::string head_text() const {
    return "layer " + std::to_string(analysis_.layer) + ", head " + std::to_string(analysis_.head);
  }

  void require_token(std::int32_t id, const char* where) const {
    const Index count = network_.config().vocabulary;
    if (id < 0 || id >= count)
      throw Error("there is no token " + std::to_string(id), where,
                  "the ids go from 0 to " + std::to_string(count - 1));
  }

  void check() const {
    const NetworkConfig& c = network_.config();
    const AnalysisInfo& info = analysis_info(analysis_.kind);
    const bool by_embeddings =
        analysis_.kind == AnalysisKind::Circuit || analysis_.kind == AnalysisKind::Direction;
    if (network_.reads_images() && by_embeddings)
      throw Error("the question " + std::string(info.name) + " is about texts, and the model reads images",
                  network_.name(), "ask it of a model of texts");
    if (analysis_.texts.size() > 1 && !info.of_set)
      throw Error("the question " + std::string(info.name) + " is about one text", "texts", "give one text");
    for (const std::optional<std::int32_t>& id : {analysis_.target, analysis_.against})
      if (id) require_token(*id, "target");
    if (analysis_.kind == AnalysisKind::Circuit)
      for (const std::int32_t id : analysis_.tokens)
        require_token(id, "tokens");
    for (std::size_t at = 0; at < analysis_.targets.size(); ++at)
      if (info.of_target && analysis_.targets[at] && analysis_.targets[at] == analysis_.against)
        throw Error("the logit of a token less itself is 0", "text " + std::to_string(at + 1),
                    "give another answer, or another token against it");
    check_metric();
    if (analysis_.target && analysis_.target == analysis_.against)
      throw Error("the logit of a token less itself is 0", "against", "give another token, or none");
    // A dictionary may be of the stream that leaves the last layer.
    const bool behind = analysis_.kind == AnalysisKind::Features &&
                        analysis_.place.value_or(PatchStage::Residual) == PatchStage::Residual;
    if (info.of_layer && (analysis_.layer < 0 || analysis_.layer >= c.layers + (behind ? 1 : 0)))
      throw Error("there is no layer " + std::to_string(analysis_.layer), "layer",
                  "the layers are 0 to " + std::to_string(c.layers - (behind ? 0 : 1)));
    if (info.of_head && (analysis_.head < 0 || analysis_.head >= c.heads))
      throw Error("there is no head " + std::to_string(analysis_.head), "head",
                  "the heads are 0 to " + std::to_string(c.heads - 1));
    if (needs_other(analysis_) && analysis_.others.empty())
      throw Error("there is no text to take numbers from", "from", "give text A, whose numbers are put in");
    if (analysis_.kind == AnalysisKind::Ablation && analysis_.mean_over == MeanOver::Others &&
        analysis_.others.empty())
      throw Error("there is no text that the mean is over", "mean-over", "give a file with one text a line");
    const bool by_paths = analysis_.kind == AnalysisKind::Paths || analysis_.kind == AnalysisKind::Edges;
    const bool by_patches = analysis_.kind == AnalysisKind::Patches && analysis_.aligned.empty();
    if (by_patches || by_paths) require_pairs(analysis_.texts, analysis_.others);
    const auto tokens = static_cast<Index>(analysis_.texts.front().size());
    for (const Index at : analysis_.positions)
      if (at < 0 || at >= tokens)
        throw Error("there is no token " + std::to_string(at), "positions",
                    "the text has tokens 0 to " + std::to_string(tokens - 1));
    if (!std::isfinite(analysis_.strength))
      throw Error("the strength is no number", "strength", "give one such as 1 or -2.5");
  }

  void check_metric() const {
    const Metric metric = target_metric(analysis_);
    if (metric == Metric::LogitDifference && !analysis_.against)
      throw Error("a logit difference is of two tokens, and there is none against the target", "metric",
                  "give the other one with --against, or take the metric logit");
    if (analysis_.kind == AnalysisKind::Parts || analysis_.kind == AnalysisKind::Neurons)
      require_sum(analysis_);
  }

  OutputMeasure logit_measure() const {
    const bool targeted = !analysis_.targets.empty();
    const Metric metric = target_metric(analysis_);
    OutputMeasure measure{OutputMeasure::Kind::Logit, targeted ? analysis_.targets[at_] : analysis_.target,
                          analysis_.against, analysis_.targets};
    if (metric != Metric::LogitDifference) measure.against.reset();
    measure.metric = metric;
    return measure;
  }

  // The target's logit in the text that the pass has.
  LogitChoice logit() { return logit_choice(pass_, logit_measure()); }

  void say_target(const LogitChoice& logit) {
    std::string what =
        !analysis_.targets.empty() ? "target: of each text the answer behind its tab"
        : analysis_.texts.size() > 1 && !analysis_.target
            ? "target: the likeliest token of each text" +
                  std::string(analysis_.kind == AnalysisKind::Patches ? " of B" : "")
            : "target: " + quoted(network_, logit.id) + (analysis_.target ? "" : ", the likeliest");
    if (logit.other) what += ", less the logit of " + quoted(network_, *logit.other);
    say(std::move(what));
  }

  // Calls `body` with each text in the pass.
  void for_each_text(const std::function<void(std::size_t at)>& body) {
    for (std::size_t at = 0; at < analysis_.texts.size(); ++at) {
      take_text(pass_, analysis_.texts[at], own_patches_);
      at_ = at;
      body(at);
      progress_(static_cast<double>(at + 1) / static_cast<double>(analysis_.texts.size()));
    }
    at_ = 0;
    take_text(pass_, analysis_.texts.front(), own_patches_);
  }
  float share() const { return 1 / static_cast<float>(analysis_.texts.size()); }

  void loss() {
    if (analysis_.metric) add_metric();
    const std::vector<TokenLoss> losses = token_losses(pass_);
    const double mean = mean_loss(losses);
    Matrix values(static_cast<Index>(losses.size()) + 1, 3);
    values.row(0).setConstant(kNoNumber);  // nothing predicts the first token
    for (std::size_t i = 0; i < losses.size(); ++i)
      values.row(static_cast<Index>(i) + 1) << static_cast<float>(losses[i].loss),
          static_cast<float>(losses[i].probability), static_cast<float>(losses[i].rank);
    ResultTable table =
        list_table("loss", "token", token_labels(pass_), {"loss", "probability", "rank"}, std::move(values));
    table.kind = Kind::Text;
    say("loss of the text: " + four_decimals(mean) + ", the mean of -ln p over " +
        std::to_string(losses.size()) + " tokens; perplexity " + four_decimals(std::exp(mean)));
    add_losses_of_other(table);
    table.token_rows = true;
    result_.tables.insert(result_.tables.begin(), std::move(table));
  }

  // The number of the target itself.
  void add_metric() {
    const LogitChoice choice = logit();
    say_target(choice);
    const double value = chosen_value(pass_.logits(choice.position, 1).row(0), choice);
    add(list_table("target", "metric", {metric_in_words(choice.metric)}, {"value"},
                   Matrix::Constant(1, 1, static_cast<float>(value))));
  }

  // The losses in A beside those of B, if A has as many tokens.
  void add_losses_of_other(ResultTable& table) {
    if (analysis_.others.empty() || analysis_.others.front().size() != analysis_.texts.front().size()) return;
    take_text(source_, analysis_.others.front(), patches_of_source_);
    const std::vector<TokenLoss> losses = token_losses(source_);
    table.values.conservativeResize(Eigen::NoChange, 5);
    table.columns.insert(table.columns.end(), {"loss in A", "loss less A's"});
    table.values.rightCols(2).row(0).setConstant(kNoNumber);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const auto row = static_cast<Index>(i) + 1;
      table.values(row, 3) = static_cast<float>(losses[i].loss);
      table.values(row, 4) = table.values(row, 0) - table.values(row, 3);
    }
    say("loss of A: " + four_decimals(mean_loss(losses)));
  }

  void losses_of_texts() {
    const bool of_target = analysis_.metric.has_value();
    if (of_target) say_target(logit());
    Matrix values(static_cast<Index>(analysis_.texts.size()), of_target ? 4 : 3);
    double sum = 0, tokens = 0;
    for_each_text([&](std::size_t at) {
      const std::vector<TokenLoss> losses = token_losses(pass_);
      const double mean = mean_loss(losses);
      const auto count = static_cast<double>(losses.size());
      values.row(static_cast<Index>(at)).head(3) << static_cast<float>(mean),
          static_cast<float>(std::exp(mean)), static_cast<float>(count);
      if (of_target)
        values(static_cast<Index>(at), 3) = static_cast<float>(measured_output(pass_, logit_measure()));
      sum += mean * count;
      tokens += count;
    });
    Names lines;
    for (std::size_t at = 0; at < analysis_.texts.size(); ++at)
      lines.push_back(std::to_string(at + 1) + " " + text_of(analysis_.texts[at]));
    Names columns = {"loss", "perplexity", "predicted tokens"};
    if (of_target) {
      const Metric metric = target_metric(analysis_);  // "loss" is that of the text here
      columns.push_back(metric == Metric::Loss ? target_in_words(metric) : metric_in_words(metric));
    }
    add(list_table("loss", "text", std::move(lines), std::move(columns), std::move(values)));
    say("loss of all: " + four_decimals(sum / tokens) + ", the mean of -ln p over " +
        std::to_string(static_cast<Index>(tokens)) + " tokens; perplexity " +
        four_decimals(std::exp(sum / tokens)));
  }

  void lens() {
    TokenIds targets(analysis_.texts.front());
    if (analysis_.target) {
      std::fill(targets.begin(), targets.end(), *analysis_.target);
      say("target: " + quoted(network_, *analysis_.target) + " at every token");
    } else if (network_.config().causal) {
      targets.erase(targets.begin());
      targets.push_back(likeliest(pass_.logits(pass_.token_count() - 1, 1).row(0), 1).front().id);
      say("target: at each token the one that follows it in the text; at the last one the likeliest, " +
          quoted(network_, targets.back()));
    } else {
      say("target: at each token the token itself");
    }
    LogitChoice choice;
    choice.metric = target_metric(analysis_);
    if (choice.metric == Metric::LogitDifference) choice.other = analysis_.against;
    const LensMap map = lens_map(pass_, targets, choice, [&](Index done, Index all) {
      progress_(static_cast<double>(done) / static_cast<double>(all));
    });
    Names layers = index_names(map.layers - 1);
    layers.emplace_back("end");
    const Names tokens = token_labels(pass_);
    Matrix largest(map.layers, map.tokens);
    Names words;
    for (Index layer = 0; layer < map.layers; ++layer)
      for (Index token = 0; token < map.tokens; ++token) {
        largest(layer, token) = static_cast<float>(map.at(layer, token).probability);
        words.push_back(network_.label(map.at(layer, token).id));
      }
    ResultTable top =
        grid_table("likeliest", "stream into layer", "token", layers, tokens, std::move(largest), false);
    top.texts = std::move(words);
    top.quantity = "probability";
    add(std::move(top));
    const auto add_of_target = [&](Metric metric, const Matrix& values, bool signed_values) {
      add(of_quantity(
          metric_in_words(metric),
          of_tokens(grid_table("target_" + std::string(kMetricNames[static_cast<std::size_t>(metric)]),
                               "stream into layer", "token", layers, tokens, values, signed_values),
                    false, true)));
    };
    const bool more = analysis_.metric || has_against(analysis_);
    if (more && choice.metric != Metric::Probability && choice.metric != Metric::Rank)
      add_of_target(choice.metric, map.chosen, true);
    add_of_target(Metric::Probability, map.probability, false);
    add_of_target(Metric::Rank, map.rank, false);
    if (choice.other) say("target: less the logit of " + quoted(network_, *choice.other));
  }

  void parts() {
    Attribution mean;
    say_target(logit());
    const bool capped = network_.config().final_softcap > 0;
    for_each_text([&](std::size_t /*at*/) {
      const LogitChoice choice = logit();
      Attribution one = attribute(pass_, choice);
      if (capped)
        one.cap =
            static_cast<double>(chosen_logit(pass_.logits(choice.position, 1).row(0), choice)) - one.logit;
      add_share(one, mean);
    });
    if (capped) say("the softcap of the logits bends their sum: it has a row of its own");
    result_.one_range = true;  // what a head adds and what an MLP adds are compared
    for (ResultTable& table : part_tables(mean))
      add(std::move(table));
  }

  // Adds the share of one text in a mean, which begins empty.
  void add_share(const Attribution& one, Attribution& mean) const {
    const auto add_numbers = [&](const auto& numbers, auto& sum) {
      if (sum.size() == 0) sum.setZero(numbers.rows(), numbers.cols());
      sum += share() * numbers;
    };
    const double part = double{share()};
    add_numbers(one.heads, mean.heads);
    add_numbers(one.output_bias, mean.output_bias);
    add_numbers(one.mlps, mean.mlps);
    add_numbers(one.cross_heads, mean.cross_heads);
    add_numbers(one.cross_bias, mean.cross_bias);
    mean.logit += part * one.logit;
    mean.embedding += part * one.embedding;
    mean.constant += part * one.constant;
    if (one.patches) mean.patches = mean.patches.value_or(0) + part * *one.patches;
    if (one.cap) mean.cap = mean.cap.value_or(0) + part * *one.cap;
  }

  void patches() {
    Matrix moved;
    double without = 0, of_source = 0;
    const auto texts = static_cast<double>(analysis_.texts.size());
    say_target(logit());
    for_each_text([&](std::size_t at) {
      take_text(source_, analysis_.others[at], patches_of_source_);
      const LogitChoice choice = logit();
      const Matrix logits = patched(choice, [&](Index done, Index all) {
        progress_((static_cast<double>(at) + static_cast<double>(done) / static_cast<double>(all)) / texts);
      });
      if (at > 0 && logits.cols() != moved.cols())
        throw Error("text " + std::to_string(at + 1) + " has another number of tokens than the first",
                    "texts", "give texts of one length, or a stage with heads, to average over them");
      const double before = chosen_value(pass_.logits(choice.position, 1).row(0), choice);
      without += before / texts;
      const Index there = predicted_position(network_, source_.ids());
      of_source += chosen_value(source_.logits(there, 1).row(0), choice) / texts;
      const Matrix change = logits.array() - static_cast<float>(before);
      if (at == 0)
        moved = change * share();
      else
        moved += change * share();
    });
    add_patches(std::move(moved), without, of_source);
  }

  Matrix patched(const LogitChoice& choice, const std::function<void(Index, Index)>& done) {
    if (!analysis_.aligned.empty())
      return aligned_patches(pass_, source_, analysis_.stage, choice, analysis_.aligned, done);
    return patch_map(pass_, source_, analysis_.stage, choice, done).logits;
  }

  // Of the tokens into which numbers are put.
  Names patched_tokens() const {
    Names all = token_labels(pass_);
    if (analysis_.aligned.empty()) return all;
    Names chosen;
    for (const TokenPair& pair : analysis_.aligned)
      chosen.push_back(all[static_cast<std::size_t>(pair.here)]);
    return chosen;
  }

  void add_patches(Matrix moved, double without, double of_source) {
    result_.metric = without;
    result_.metric_of_source = of_source;
    const std::string what = metric_in_words(target_metric(analysis_));
    if (analysis_.texts.size() == 1)
      say("A: " + text_of(analysis_.others.front()) + " · B: " + text_of(analysis_.texts.front()));
    say(std::string("numbers of A are put into B; ") + target_in_words(target_metric(analysis_)) + ": " +
        four_decimals(of_source) + " in A, " + four_decimals(without) + " in B");
    if (analysis_.normalized) {
      constexpr double kRounding = 1e-5;  // of passes that were computed in another order
      if (std::abs(of_source - without) <= kRounding * std::max(1.0, std::abs(without)))
        throw Error("the " + target_in_words(target_metric(analysis_)) +
                        " is the same in A and B, so there is nothing to normalize by",
                    "target", "take another target, or leave the change as it is");
      moved /= static_cast<float>(of_source - without);
      say(analysis_.texts.size() == 1
              ? "normalized: 0 is B, 1 is A"
              : "normalized: 0 is B, 1 is A; the ratio of the means over texts, not their mean ratio");
    }
    Names rows = index_names(moved.rows());
    if (analysis_.stage == PatchStage::Residual) rows.back() = "end";
    const bool heads = has_heads(analysis_.stage);
    Names columns = heads ? index_names(moved.cols()) : patched_tokens();
    add(of_quantity((analysis_.normalized ? "share of the change of the " : "change of the ") + what,
                    grid_table("change", "layer", heads ? "head" : "token", std::move(rows),
                               std::move(columns), std::move(moved), true)));
  }

  void ablation() {
    OutputMeasure measure = logit_measure();
    const bool of_loss = of_text_loss(analysis_), together = !analysis_.together.empty();
    if (of_loss)
      measure.kind = OutputMeasure::Kind::Loss;
    else
      say_target(logit());
    const Ablation all = ablate(
        pass_, analysis_.texts,
        {analysis_.ablation, analysis_.mean_over, analysis_.others, analysis_.together}, measure,
        [&](Index done, Index count) { progress_(static_cast<double>(done) / static_cast<double>(count)); });
    const std::string what = measured_in_words(analysis_);
    say((together ? "the change of the " : "the cells are changes of the ") + what +
        ", which without ablation is " + four_decimals(all.before) +
        (analysis_.texts.size() == 1 ? ""
         : of_loss                   ? ", the mean over all tokens"
                                     : ", the mean over texts"));
    say(replaced_in_words(analysis_, all));
    if (together) return add(together_table(analysis_, all.before, all.together));
    for (ResultTable& table : ablation_tables(analysis_, all.heads, all.mlps))
      add(std::move(table));
  }

  void measures() {
    const NetworkConfig& c = network_.config();
    const Index columns = kHeadMeasureCount - 1;  // the last one compares with a picture
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(c.layers * c.heads, columns),
                    counts = Eigen::MatrixXd::Zero(c.layers * c.heads, columns);
    std::array<Index, kHeadMeasureCount> queries{};
    for_each_text([&](std::size_t /*at*/) {
      const HeadsOverview overview = overview_of_heads(pass_, 1, [](Index, Index) {});
      for (Index head = 0; head < sums.rows(); ++head)
        for (Index i = 0; i < columns; ++i) {
          const auto& values = overview.all[static_cast<std::size_t>(head)].measures.values;
          const std::optional<float> value = values[static_cast<std::size_t>(i)];
          if (!value) continue;
          sums(head, i) += static_cast<double>(*value);
          counts(head, i) += 1;
        }
      // The same for all heads, but for rows that attend to nothing.
      for (Index i = 0; i < columns; ++i)
        queries[static_cast<std::size_t>(i)] +=
            overview.all.front().measures.queries[static_cast<std::size_t>(i)];
    });
    Names rows, names;
    for (Index layer = 0; layer < c.layers; ++layer)
      for (Index head = 0; head < c.heads; ++head)
        rows.push_back("L" + std::to_string(layer) + " H" + std::to_string(head));
    for (Index i = 0; i < columns; ++i)
      names.emplace_back(head_measure_table()[static_cast<std::size_t>(i)].label);
    say_queries(queries, columns);
    // 0 / 0, where no text has such a measure, is NaN: no number.
    ResultTable table = list_table("measures", "head", std::move(rows), std::move(names),
                                   (sums.array() / counts.array()).matrix().cast<float>());
    HeadMeasures all;
    all.values.fill(0.0f);
    all.queries = queries;
    for (Index i = 0; i < columns; ++i)
      table.doubts.push_back(all.few(head_measure_table()[static_cast<std::size_t>(i)].measure));
    add(std::move(table));
  }

  // Each measure is a mean over the queries for which it is defined, which may be few.
  void say_queries(const std::array<Index, kHeadMeasureCount>& queries, Index columns) {
    std::string all, few;
    for (Index i = 0; i < columns; ++i) {
      const Index count = queries[static_cast<std::size_t>(i)];
      const std::string label(head_measure_table()[static_cast<std::size_t>(i)].label);
      all += (all.empty() ? "" : ", ") + label + " " + std::to_string(count);
      if (count > 0 && count < kFewQueries) few += (few.empty() ? "" : " and ") + label;
    }
    say("queries that each measure is a mean over, in " + texts_in_words() + ": " + all);
    if (!few.empty())
      say(few + ": of fewer than " + std::to_string(kFewQueries) +
          " queries, which says nothing of a head; random tokens that are said twice say more");
  }
  std::string texts_in_words() const {
    return analysis_.texts.size() == 1 ? "the text"
                                       : "all " + std::to_string(analysis_.texts.size()) + " texts";
  }

  // The chosen tokens, or those of the text that are not special, if there are others: each once, in order.
  TokenIds tokens_once() const {
    TokenIds once;
    for (const std::int32_t id : analysis_.tokens.empty() ? pass_.ids() : analysis_.tokens)
      if (std::find(once.begin(), once.end(), id) == once.end()) once.push_back(id);
    if (!analysis_.tokens.empty() || !network_.tokenizer()) return once;
    TokenIds words = once;
    std::erase_if(words, [&](std::int32_t id) { return network_.tokenizer()->is_special(id); });
    return words.empty() ? once : words;
  }

  void circuit() {
    constexpr std::size_t kMostPictured = 256;
    const TokenIds ids = tokens_once();
    const TokenIds pictured(ids.begin(),
                            ids.begin() + static_cast<std::ptrdiff_t>(std::min(kMostPictured, ids.size())));
    const bool raw = embeddings_read(analysis_.layer, analysis_.embeddings) == EmbeddingKind::Raw;
    say(raw ? "by its weights: as if each token's embedding were the stream"
            : "by its weights: as if each token's effective embedding were the stream, the embedding with "
              "what the first layer's MLP makes of it");
    if (raw && analysis_.embeddings == EmbeddingKind::Effective)
      say("the embeddings are raw: heads of the first layer read the stream before its MLP");
    const std::vector<CopiedToken> copied =
        copied_tokens(pass_, analysis_.layer, analysis_.head, ids, analysis_.top, analysis_.embeddings);
    progress_(0.5);
    if (pictured.size() < ids.size())
      say("ov and qk are of the first " + std::to_string(kMostPictured) + " tokens");
    const TokenCircuits tokens =
        token_circuits(pass_, analysis_.layer, analysis_.head, pictured, analysis_.embeddings);
    const Names labels = labels_of(network_, pictured);
    add(of_tokens(
        of_quantity("logit", grid_table("ov", "attended to", "raised", labels, labels, tokens.ov, true)),
        true, true));
    add(of_tokens(of_quantity("score", grid_table("qk", "query", "key", labels, labels, tokens.qk, true)),
                  true, true));
    add_copied({"copied", "raises", "raised", "copies", &CopiedToken::own_rank, &CopiedToken::promoted},
               copied);
    add_copied({"lowered", "lowers", "lowered", "copies negatively", &CopiedToken::own_rank_lowered,
                &CopiedToken::lowered},
               copied);
    add_singular_values();
  }

  // One direction of copying: by the tokens that a head raises, or by those that it lowers.
  struct Copying {
    const char *table, *moves, *moved, *does;
    Index CopiedToken::*rank;
    std::vector<Prediction> CopiedToken::*most;
  };

  void add_copied(const Copying& how, const std::vector<CopiedToken>& copied) {
    constexpr Index kCopyRank = 5;
    Matrix ranks(static_cast<Index>(copied.size()), 1);
    Names labels, words;
    std::size_t copies = 0;
    for (std::size_t i = 0; i < copied.size(); ++i) {
      ranks(static_cast<Index>(i), 0) = static_cast<float>(copied[i].*how.rank);
      copies += copied[i].*how.rank <= kCopyRank ? 1 : 0;
      labels.push_back(network_.label(copied[i].id));
      words.push_back(words_of(network_, copied[i].*how.most));
    }
    ResultTable table =
        list_table(how.table, "attended to", std::move(labels), {"own rank"}, std::move(ranks));
    table.remarks = std::move(words);
    table.remark_title = std::string(how.moved) + " most";
    add(of_tokens(std::move(table), true, false));
    say("it " + std::string(how.does) + " " + std::to_string(copies) + " of " +
        std::to_string(copied.size()) + " tokens, " +
        std::to_string((200 * copies + copied.size()) / (2 * copied.size())) +
        " %, those that are among the " + std::to_string(kCopyRank) + " that it " + how.moves + " most");
  }

  void add_singular_values() {
    const Eigen::VectorXf ov = ov_circuit(pass_, analysis_.layer, analysis_.head).singular_values(),
                          qk = qk_circuit(pass_, analysis_.layer, analysis_.head).singular_values();
    Matrix values(ov.size(), 2);
    values.col(0) = ov;
    values.col(1) = qk;
    add(list_table("singular_values", "number", index_names(ov.size()), {"OV", "QK"}, std::move(values)));
  }

  void composition() {
    if (analysis_.layer == 0) throw Error("layer 0 has no heads before it", "layer", "take a later layer");
    say("how much of each earlier head it reads, by the weights: the Frobenius norm of the product, over "
        "those of both");
    const Composition all = composition_with(pass_, analysis_.layer, analysis_.head);
    add(of_quantity("ratio", heads_table("queries", all.queries, false)));
    add(of_quantity("ratio", heads_table("keys", all.keys, false)));
    add(of_quantity("ratio", heads_table("values", all.values, false)));
    add_random_composition();
  }

  // What the ratios are to be compared with: in few dimensions any two heads share some.
  void add_random_composition() {
    const RandomComposition random =
        random_composition(network_.config().width, network_.config().head_width);
    say("random: heads that have nothing to do with each other have a ratio of " +
        four_decimals(random.mean) + " (deviation " + four_decimals(random.deviation) + "), over " +
        std::to_string(RandomComposition::kDraws) +
        " pairs of heads of this shape with normally distributed weights, drawn with seed " +
        std::to_string(RandomComposition::kSeed));
    Matrix values(1, 2);
    values << static_cast<float>(random.mean), static_cast<float>(random.deviation);
    add(list_table("random", "heads", {"random"}, {"ratio", "deviation"}, std::move(values)));
  }

  void neurons() {
    const LogitChoice choice = logit();
    say_target(choice);
    const std::vector<Neuron> largest = largest_neurons(pass_, choice, analysis_.layer, analysis_.top, 5);
    add(neurons_table(network_, analysis_.layer, largest));
  }

  void norms() {
    const StreamNorms all = stream_norms(pass_);
    const Names tokens = token_labels(pass_);
    Names layers = index_names(all.mlps.rows());
    const auto of_norms = [&](const char* name, const char* rows, const Matrix& values) {
      return of_tokens(of_quantity("norm", grid_table(name, rows, "token", layers, tokens, values, false)),
                       false, true);
    };
    add(of_norms("attention", "layer", all.attention));
    add(of_norms("mlps", "layer", all.mlps));
    layers.emplace_back("end");
    result_.tables.insert(result_.tables.begin(), of_norms("stream", "stream into layer", all.stream));
    say("Euclidean norms");
  }

  // A map between tokens, or between words.
  void add_pairs(const std::string& name, const std::string& columns, const Matrix& pairs) {
    if (!analysis_.words) {
      const Names tokens = token_labels(pass_);
      return add(of_tokens(grid_table(name, "query", columns, tokens, tokens, pairs, false), true, true));
    }
    const TextWords words = words_of_text(network_, pass_.ids());
    add(grid_table(name, "query", columns, words.labels, words.labels, between_words(pairs, words), false));
  }

  void say_words() {
    if (analysis_.words)
      say("between words: summed over the pieces of the word that is looked at, the mean over those of the "
          "word "
          "that looks");
  }

  void moved() {
    say("the norm of each weight times what the output projection makes of the value");
    say_words();
    add_pairs("moved", "key", weighted_value_norms(pass_, analysis_.layer, analysis_.head));
    add_pairs("weights", "key", pass_.attention_weights(analysis_.layer, analysis_.head));
  }

  void rollout() {
    const Index layers = network_.config().layers;
    const Index predicted = predicted_position(network_, pass_.ids());
    Matrix through_all, of_predicted(layers, pass_.token_count());
    for_each_rollout(pass_, [&](Index layer, const Matrix& rollout) {
      of_predicted.row(layer) = rollout.row(predicted);
      if (layer + 1 == layers) through_all = rollout;
      progress_(static_cast<double>(layer + 1) / static_cast<double>(layers));
    });
    say("attention rollout: the product over layers 0 to " + std::to_string(layers - 1) +
        " of half the mean of the heads' weights and half the token itself, each row divided by its sum; "
        "values and MLPs take no part");
    if (network_.config().cross) say("of attention to the own text, without that to the other one");
    say_words();
    add_pairs("rollout", "token of the text", through_all);
    add_by_layer(of_predicted, predicted);
  }

  // What the predicted token has taken behind each layer: L x T.
  void add_by_layer(const Matrix& taken, Index predicted) {
    Names columns = token_labels(pass_);
    say("by_layer: what \"" + columns[static_cast<std::size_t>(predicted)] + "\" (token " +
        std::to_string(predicted) + ") has taken behind each layer");
    Matrix values = taken;
    if (analysis_.words) {
      const TextWords words = words_of_text(network_, pass_.ids());
      values = summed_by_words(taken, words);
      columns = words.labels;
    }
    add(of_tokens(of_quantity("share", grid_table("by_layer", "behind layer", "token of the text",
                                                  index_names(taken.rows()), std::move(columns),
                                                  std::move(values), false)),
                  false, !analysis_.words));
  }

  // What is added, of the layer's width.
  Eigen::RowVectorXf direction_added() {
    if (!analysis_.direction.empty()) {
      Eigen::RowVectorXf read = read_direction(analysis_.direction, network_.config().width);
      say(direction_in_words(analysis_.layer, analysis_.direction, read));
      return read;
    }
    Eigen::RowVectorXf mean =
        mean_direction(pass_, analysis_.texts, source_, analysis_.others, analysis_.layer);
    take_text(pass_, analysis_.texts.front(), own_patches_);
    say(direction_in_words(analysis_.layer, analysis_.others.size(), analysis_.texts.size(), mean));
    return mean;
  }

  void direction() {
    const Steering steering{{PatchStage::Residual, analysis_.layer}, direction_added(), analysis_.positions};
    result_.direction = steering.direction;
    say("added " + steered_tokens_in_words(analysis_.positions) + ", " + text_of(analysis_.texts.front()));
    const LogitChoice choice = logit();
    std::vector<Matrix> logits;
    Names columns;
    Matrix values(1, static_cast<Index>(kDirectionShares.size()));
    for (const double share : kDirectionShares) {
      const double strength = share * analysis_.strength;
      logits.push_back(logits_along(pass_, steering, strength, choice.position));
      values(static_cast<Index>(columns.size())) =
          static_cast<float>(chosen_value(logits.back().row(0), choice));
      columns.push_back(strength_label(strength));
    }
    if (has_target(analysis_) || analysis_.metric) {
      say_target(choice);
      add(direction_table(choice.metric, columns, values));
    }
    add_steered_tokens(logits, columns);
    if (analysis_.generated == 0) return;
    if (!has_target(analysis_) && !analysis_.metric) say_target(choice);
    Continuations generated(analysis_);
    generated.add(pass_, steering, values, 0);
    add(generated.table());
  }

  // The likeliest tokens at any of the strengths. columns: the strengths.
  void add_steered_tokens(const std::vector<Matrix>& logits, const Names& columns) {
    std::vector<std::int32_t> ids;
    for (const Matrix& all : logits)
      for (const Prediction& one : likeliest(all.row(0), analysis_.top))
        if (std::find(ids.begin(), ids.end(), one.id) == ids.end()) ids.push_back(one.id);
    const auto rows = static_cast<Index>(ids.size()), strengths = static_cast<Index>(logits.size());
    Matrix probabilities(rows, strengths), values(rows, strengths);
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < strengths; ++column) {
        const auto all = logits[static_cast<std::size_t>(column)].row(0);
        const std::int32_t id = ids[static_cast<std::size_t>(row)];
        probabilities(row, column) = static_cast<float>(prediction_of(all, id).probability);
        values(row, column) = all(id);
      }
    const Names words = labels_of(network_, ids);
    add(grid_table("probability", "token", "strength", words, columns, std::move(probabilities), false));
    add(grid_table("logit", "token", "strength", words, columns, std::move(values), true));
  }

  // The number that paths change, in the text that the pass has.
  LogitChoice number() {
    LogitChoice choice = logit();
    choice.metric = target_metric(analysis_);
    return choice;
  }

  // Calls `body` with each pair of texts: B in the pass, and A in a pass with the same changes. begin, end:
  // of the whole progress.
  void for_each_pair(double begin, double end,
                     const std::function<void(NetworkPass& source, const AnalysisProgress&)>& body) {
    NetworkPass source = pass_;
    const auto texts = static_cast<double>(analysis_.texts.size());
    for (std::size_t at = 0; at < analysis_.texts.size(); ++at) {
      take_text(pass_, analysis_.texts[at], own_patches_);
      take_text(source, analysis_.others[at], own_patches_);
      at_ = at;
      body(source, [&](double share) {
        progress_(begin + (end - begin) * (static_cast<double>(at) + share) / texts);
      });
    }
    at_ = 0;
    take_text(pass_, analysis_.texts.front(), own_patches_);
  }

  // What is asked of a pair of texts.
  void say_pairs() {
    say_target(logit());
    if (analysis_.texts.size() == 1)
      say("A: " + text_of(analysis_.others.front()) + " · B: " + text_of(analysis_.texts.front()));
  }

  // What goes from one part of the model to another.
  void parts_and_paths() {
    if (analysis_.kind == AnalysisKind::Score) return add_score_parts(pass_, analysis_, result_);
    if (analysis_.kind == AnalysisKind::Paths) return paths();
    if (analysis_.kind == AnalysisKind::Edges) return edges();
    say_target(logit());
    add_features(pass_, analysis_, number(), result_);
  }

  void paths() {
    say_pairs();
    PathMeans means(network_, analysis_);
    for_each_pair(0, 1, [&](NetworkPass& source, const AnalysisProgress& progress) {
      means.add(pass_, source, number(), progress);
    });
    means.add_to(result_, metric_in_words(target_metric(analysis_)));
  }

  void edges() {
    constexpr double kScores = 0.5;  // about half of the time
    say_pairs();
    EdgeMeans means(network_, analysis_);
    for_each_pair(0, kScores, [&](NetworkPass& source, const AnalysisProgress& progress) {
      means.add_scores(pass_, source, number(), progress);
    });
    for_each_pair(kScores, 1, [&](NetworkPass& source, const AnalysisProgress& progress) {
      means.add_curve(pass_, source, number(), progress);
    });
    means.add_to(result_, metric_in_words(target_metric(analysis_)));
  }

  NetworkPass &pass_, &source_;
  const Network& network_;
  const Analysis& analysis_;
  const AnalysisProgress& progress_;
  std::vector<Patch> own_patches_, patches_of_source_;
  std::size_t at_ = 0;  // which text the pass has
  AnalysisResult result_;
};

}  // namespace

const std::array<AnalysisInfo, kAnalysisCount>& analysis_table() {
  return kAnalyses;
}

const AnalysisInfo& analysis_info(AnalysisKind kind) {
  return kAnalyses[static_cast<std::size_t>(kind)];
}

std::optional<AnalysisKind> analysis_named(std::string_view name) {
  for (const AnalysisInfo& info : kAnalyses)
    if (info.name == name) return info.kind;
  return std::nullopt;
}

bool has_target(const Analysis& analysis) {
  return analysis.target || !analysis.targets.empty() || (analysis.set && analysis.set->has("target"));
}

bool has_against(const Analysis& analysis) {
  return analysis.against || (analysis.set && analysis.set->has("against"));
}

bool needs_other(const Analysis& analysis) {
  const bool of_file = analysis.kind == AnalysisKind::Direction && !analysis.direction.empty();
  return analysis_info(analysis.kind).of_other && !of_file;
}

Metric target_metric(const Analysis& analysis) {
  return analysis.metric.value_or(has_against(analysis) ? Metric::LogitDifference : Metric::Logit);
}

std::string metric_in_words(Metric metric) {
  std::string words(kMetricNames[static_cast<std::size_t>(metric)]);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string target_in_words(Metric metric) {
  if (metric == Metric::LogitDifference) return "difference of the two logits";
  return metric_in_words(metric) + " of the target";
}

void require_sum(const Analysis& analysis) {
  const Metric metric = target_metric(analysis);
  if (metric != Metric::Logit && metric != Metric::LogitDifference)
    throw Error("parts sum to a logit or to a logit difference, and to no " + metric_in_words(metric),
                "metric", "take logit or logit_difference");
}

bool of_text_loss(const Analysis& analysis) {
  if (analysis.kind != AnalysisKind::Ablation) return false;
  if (analysis.metric) return *analysis.metric == Metric::Loss && !has_target(analysis);
  return analysis.measured == OutputMeasure::Kind::Loss;
}

AnalysisResult run_analysis(NetworkPass& pass, const Analysis& analysis, const AnalysisProgress& progress,
                            NetworkPass* source) {
  if (analysis.set) {
    NetworkPass plain(pass.network_owner());
    return run_set_analysis(pass, source ? *source : plain, analysis, progress);
  }
  if (source) return Asking(pass, *source, analysis, progress).find();
  NetworkPass plain(pass.network_owner());
  return Asking(pass, plain, analysis, progress).find();
}

TypedTarget typed_target(const Network& network, const std::string& typed) {
  const Index vocabulary = network.config().vocabulary;
  const char* begin = typed.data() + (typed.starts_with('#') ? 1 : 0);
  const char* end = typed.data() + typed.size();
  std::int32_t id = 0;
  const auto [after, failed] = std::from_chars(begin, end, id);
  if (begin != typed.data() || (!network.tokenizer() && failed == std::errc() && after == end)) {
    if (failed != std::errc() || after != end || id < 0 || id >= vocabulary)
      throw Error("'" + typed + "' is no id of the vocabulary", "target",
                  "the ids go from #0 to #" + std::to_string(vocabulary - 1));
    return {id, ""};
  }
  if (!network.tokenizer())
    throw Error("the model has no tokenizer, so tokens have no words", "target", "give an id, as #42");
  const Tokenizer& tokenizer = *network.tokenizer();
  if (const std::optional<std::int32_t> word = tokenizer.find(typed); word && *word < vocabulary)
    return {*word, ""};
  TokenIds ids = tokenizer.encode(typed);
  ids.resize(ids.size() - tokenizer.suffix_id_count());
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(tokenizer.prefix_id_count()));
  // An unknown word may be a token for unknown ones.
  if (ids.empty() || ids.front() >= vocabulary || tokenizer.is_special(ids.front()))
    throw Error("'" + typed + "' is no token of the vocabulary", "target", "type a word, or an id as #42");
  if (ids.size() == 1) return {ids.front(), ""};
  return {ids.front(), "'" + typed + "' is " + std::to_string(ids.size()) + " tokens: the first, " +
                           quoted(network, ids.front()) + ", is taken"};
}

}  // namespace headlight
