#include "engine/analysis/feature_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/analysis/added_logits.h"
#include "engine/analysis/steering.h"
#include "engine/analysis/tables.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/interpretation/metric_slope.h"
#include "engine/interpretation/pass_gradients.h"
#include "engine/network/layer_at.h"
#include "engine/network/norms.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr Index kMostWords = 5;
constexpr std::size_t kMostFirings = 5;  // of a feature in a set

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

Dictionary dictionary_of(const Network& network, const Analysis& analysis) {
  if (analysis.dictionary.empty())
    throw Error("there is no dictionary", "dictionary",
                "give a file with W_enc, W_dec, b_enc and b_dec (.safetensors or .npz)");
  Dictionary dictionary = read_dictionary(analysis.dictionary, network.config().width, analysis.reads);
  if (dictionary.reads && analysis.layer >= network.config().layers)
    throw Error("there is no MLP in layer " + std::to_string(analysis.layer), "layer",
                "a transcoder is of a layer from 0 to " + std::to_string(network.config().layers - 1));
  if (dictionary.reads && analysis.place.value_or(PatchStage::MlpAdded) != PatchStage::MlpAdded)
    throw Error(
        "the dictionary is a transcoder, which writes what the MLP adds, and another place was chosen",
        "place", "take what the MLP adds (mlp), or choose no place");
  return dictionary;
}

// What the features write.
PatchStage written_stage(const Dictionary& dictionary, const Analysis& analysis) {
  return dictionary.reads ? PatchStage::MlpAdded : analysis.place.value_or(PatchStage::Residual);
}

// Without the norm's own weights and bias. With NormPlace::After the norm is behind the MLP.
Matrix normalized(const NetworkConfig& c, const NormWeights& norm, const Matrix& stream) {
  if (norm.empty() || c.norm_place == NormPlace::After) return stream;
  NormWeights plain;
  plain.weight.setConstant(norm.weight.size(), c.norm == NormKind::RmsPlusOne ? 0.0f : 1.0f);
  Matrix rows(stream.rows(), stream.cols());
  norm_rows(c, plain, stream, rows);
  return rows;
}

// What the features are encoded from.
Matrix encoded_rows(NetworkPass& pass, const PatchPlace& place, const Dictionary& dictionary) {
  if (!dictionary.reads) return stage_values(pass, place);
  const Index tokens = pass.token_count();
  switch (*dictionary.reads) {
    case TranscoderInput::Stream:
      return pass.entering_mlp(place.layer, 0, tokens);
    case TranscoderInput::Normalized:
      return normalized(pass.network().config(), pass.layer_weights(place.layer).mlp_norm,
                        pass.entering_mlp(place.layer, 0, tokens));
    case TranscoderInput::MlpInput:
      break;
  }
  return pass.mlp_input(place.layer, 0, tokens);
}

std::string read_in_words(const Dictionary& dictionary, Index layer) {
  if (!dictionary.reads) return "";
  constexpr std::array<const char*, 3> kRead = {"what the MLP reads",
                                                "what the MLP reads, without the norm's own weights",
                                                "the stream that the MLP norms"};
  return "a transcoder of layer " + std::to_string(layer) + ": it encodes " +
         kRead[static_cast<std::size_t>(*dictionary.reads)] + ", and writes what the MLP adds; ";
}

// The largest, in falling order; of equal ones the first. size: by feature, none below 0.
std::vector<Index> strongest_features(const Eigen::RowVectorXd& size, Index top) {
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), 0);
  const auto many = static_cast<std::ptrdiff_t>(std::min(top, size.size()));
  std::partial_sort(order.begin(), order.begin() + many, order.end(),
                    [&](Index a, Index b) { return size(a) > size(b) || (size(a) == size(b) && a < b); });
  order.resize(static_cast<std::size_t>(many));
  return order;
}

// What the decoder's direction raises and lowers; "" where the stream is no sum, so that this says nothing.
std::string raised_in_words(const Network& network, const Dictionary& dictionary, Index feature) {
  if (!network.config().stream_is_sum() || !network.missing_head().empty()) return "";
  const Matrix logits = added_logits(network, dictionary.decoder.row(feature));
  std::string words;
  const auto list = [&](const std::vector<Prediction>& most) {
    for (std::size_t i = 0; i < most.size(); ++i)
      words += (i == 0 ? "" : " | ") + network.label(most[i].id);
  };
  list(likeliest(logits.row(0), kMostWords));
  words += "; lowers: ";
  list(likeliest(-logits.row(0), kMostWords));
  return words;
}

// The features of one text as they are told.
class Features {
 public:
  // positions: at which a feature is steered; empty: at all tokens.
  Features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number,
           const Dictionary& dictionary, std::vector<Index> positions)
      : pass_(pass),
        network_(pass.network()),
        analysis_(analysis),
        number_(number),
        own_(pass.patches()),
        dictionary_(dictionary),
        positions_(std::move(positions)) {
    require_free_place();
    rows_ = stage_values(pass_, place());
    const Matrix encoded = encoded_rows(pass_, place(), dictionary_);
    activations_ = feature_activations(dictionary_, encoded);
    rebuilt_ = reconstruction(dictionary_, activations_, encoded);
    before_ = number_of_pass();
  }

  void tell(AnalysisResult& result) {
    find_added();
    choose();
    say(result);
    result.tables.push_back(tokens_table());
    result.tables.push_back(features_table({}));
    result.tables.push_back(activations_table());
    pass_.set_patches(own_);
    if (analysis_.feature) add_steered(result);
  }

  const Matrix& activations() const { return activations_; }

  // By feature, what it adds or, where that is not known, fires at most.
  Eigen::RowVectorXd sizes() {
    find_added();
    return (added_.size() > 0 ? added_ : Eigen::RowVectorXf(activations_.colwise().maxCoeff()))
        .cast<double>();
  }

  // Of a row of a set, of these features.
  std::vector<ResultTable> row_tables(std::vector<Index> chosen) {
    find_added();
    chosen_ = std::move(chosen);
    const Eigen::RowVectorXf means = activations_.colwise().mean();
    std::vector<ResultTable> tables = {features_table(means)};
    Matrix values(1, 3);
    const double rebuilt = number_with(rebuilt_);
    values << static_cast<float>(before_), static_cast<float>(rebuilt),
        static_cast<float>(unexplained(rows_, rebuilt_).share);
    const std::string number = metric_in_words(number_.metric);
    tables.push_back(list_table("reconstruction", "", {"text"},
                                {number, number + " with the reconstruction", "not explained"},
                                std::move(values)));
    tables.push_back(of_tokens(activations_table(), true, false));
    pass_.set_patches(own_);
    if (analysis_.feature) tables.push_back(direction_table(number_.metric, strengths(), steered_numbers()));
    return tables;
  }

  // Of the text, which has this number in a set. Precondition: a feature is asked for.
  void add_continuations(std::size_t row, Continuations& all) {
    all.add(pass_, steering(), steered_numbers(), row);
  }

 private:
  PatchPlace place() const { return {written_stage(dictionary_, analysis_), analysis_.layer, 0}; }

  void require_free_place() const {
    for (const Patch& patch : own_)
      if (patch.stage == place().stage && patch.layer == analysis_.layer)
        throw Error("a patch overwrites the place of the dictionary", "changes", "switch the patch off");
    if (analysis_.feature && (*analysis_.feature < 0 || *analysis_.feature >= dictionary_.features()))
      throw Error("there is no feature " + std::to_string(*analysis_.feature), "feature",
                  "the dictionary has features 0 to " + std::to_string(dictionary_.features() - 1));
  }

  double number_of_pass() { return chosen_value(pass_.logits(number_.position, 1).row(0), number_); }

  void put(Matrix rows) {
    std::vector<Patch> patches = own_;
    patches.push_back({place().stage, analysis_.layer, 0, 0, 0, std::move(rows)});
    pass_.set_patches(patches);
  }

  double number_with(Matrix rows) {
    put(std::move(rows));
    return number_of_pass();
  }

  // added_(f): the sum over tokens of f's activation times its direction times the number's gradient.
  void find_added() {
    if (added_.size() > 0) return;
    if (!why_no_gradient(network_.config()).empty() || number_.metric == Metric::Rank) return;
    const Matrix slope = metric_slope(pass_.logits(number_.position, 1).row(0), number_);
    Matrix gradient;
    row_gradients(pass_, number_.position, slope, GradientsOf::Rows,
                  [&](const PatchPlace& at, const MatrixRef& found) {
                    if (at == place()) gradient = found;
                  });
    added_ = (activations_.cwiseProduct(gradient * dictionary_.decoder.transpose())).colwise().sum();
  }

  // Those that add most, or, where that is not known, that fire most.
  void choose() {
    if (analysis_.feature) {
      chosen_ = {*analysis_.feature};
      return;
    }
    chosen_ = strongest_features(sizes().cwiseAbs(), analysis_.top);
    std::erase_if(chosen_, [&](Index feature) { return activations_.col(feature).maxCoeff() == 0; });
    if (chosen_.empty()) chosen_ = {0};  // nothing fires
  }

  void say(AnalysisResult& result) {
    const Unexplained left = unexplained(rows_, rebuilt_);
    left_ = left.by_token;
    const auto percent = [](double share) {
      return std::isnan(share) ? std::string("not defined") : four_decimals(100 * share) + " %";
    };
    result.notes.push_back(read_in_words(dictionary_, analysis_.layer) +
                           std::to_string(dictionary_.features()) + " features; encoded with " +
                           dictionary_.how);
    result.notes.push_back("not explained: " + percent(left.share) +
                           " of the variance over the text's tokens (the sum of |x - reconstruction|^2 over "
                           "that of |x - mean|^2); "
                           "without the first token " +
                           percent(left.share_behind_first));
    const std::string number = metric_in_words(number_.metric);
    const double rebuilt = number_with(rebuilt_);
    pass_.set_patches(own_);
    result.notes.push_back(
        number + ": " + four_decimals(before_) +
        "; with the reconstruction in the place of what stands there: " + four_decimals(rebuilt));
    result.notes.push_back(
        "adds: the sum over tokens of activation times direction times the gradient of the " + number +
        ", an estimate; without it: the change when it is taken away at every token");
  }

  ResultTable tokens_table() const {
    const Index tokens = rows_.rows();
    Matrix values(tokens, 2);
    Names remarks;
    for (Index token = 0; token < tokens; ++token) {
      values(token, 0) = static_cast<float>((activations_.row(token).array() != 0).count());
      values(token, 1) = left_(token);
      std::string fires;
      for (const Index feature : strongest_features(activations_.row(token).cast<double>(), analysis_.top))
        if (activations_(token, feature) != 0)
          fires += (fires.empty() ? "" : " | ") + std::to_string(feature) + " (" +
                   four_decimals(static_cast<double>(activations_(token, feature))) + ")";
      remarks.push_back(fires);
    }
    ResultTable table =
        list_table("tokens", "token", token_labels(pass_), {"firing", "not explained"}, std::move(values));
    table.remarks = std::move(remarks);
    table.remark_title = "features that fire most";
    return table;
  }

  // means: by feature, of the activations over the tokens; empty: without this column.
  ResultTable features_table(const Eigen::RowVectorXf& means) {
    Names columns = {"largest", "tokens", "adds", "without it"};
    if (means.size() > 0) columns.insert(columns.begin() + 1, "mean");
    Matrix values(static_cast<Index>(chosen_.size()), static_cast<Index>(columns.size()));
    Names names, remarks;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Index feature = chosen_[i];
      const auto fires = activations_.col(feature);
      const Matrix without = rows_ - fires * dictionary_.decoder.row(feature);
      auto row = values.row(static_cast<Index>(i));
      row(0) = fires.maxCoeff();
      if (means.size() > 0) row(1) = means(feature);
      row.tail(3) << static_cast<float>((fires.array() != 0).count()),
          added_.size() > 0 ? added_(feature) : kNotKnown, static_cast<float>(number_with(without) - before_);
      names.push_back(std::to_string(feature));
      remarks.push_back(raised_in_words(network_, dictionary_, feature));
    }
    pass_.set_patches(own_);
    ResultTable table =
        list_table("features", "feature", std::move(names), std::move(columns), std::move(values));
    table.remarks = std::move(remarks);
    table.remark_title = "raises";
    return table;
  }

  ResultTable activations_table() const {
    Matrix values(rows_.rows(), static_cast<Index>(chosen_.size()));
    Names columns;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      values.col(static_cast<Index>(i)) = activations_.col(chosen_[i]);
      columns.push_back(std::to_string(chosen_[i]));
    }
    return of_quantity("activation", grid_table("activations", "token", "feature", token_labels(pass_),
                                                std::move(columns), std::move(values), false));
  }

  Steering steering() const { return {place(), dictionary_.decoder.row(*analysis_.feature), positions_}; }

  Names strengths() const {
    Names labels;
    for (const double share : kDirectionShares)
      labels.push_back(strength_label(share * analysis_.strength));
    return labels;
  }

  // The logits with so many times the feature's direction added. Precondition: the pass has its own patches.
  Matrix steered_logits(double share) {
    return logits_along(pass_, steering(), share * analysis_.strength, number_.position);
  }

  // Of the target, at each strength: computed once.
  const Matrix& steered_numbers() {
    if (steered_.size() > 0) return steered_;
    std::vector<Matrix> logits;
    logits.reserve(kDirectionShares.size());
    for (const double share : kDirectionShares)
      logits.push_back(steered_logits(share));
    take_steered(logits);
    return steered_;
  }

  // logits: at each strength.
  void take_steered(const std::vector<Matrix>& logits) {
    steered_.resize(1, static_cast<Index>(logits.size()));
    for (std::size_t i = 0; i < logits.size(); ++i)
      steered_(static_cast<Index>(i)) = static_cast<float>(chosen_value(logits[i].row(0), number_));
  }

  // The prediction as it is steered.
  void add_steered(AnalysisResult& result) {
    std::vector<Matrix> logits;
    std::vector<std::int32_t> ids;
    for (const double share : kDirectionShares) {
      logits.push_back(steered_logits(share));
      for (const Prediction& one : likeliest(logits.back().row(0), analysis_.top))
        if (std::find(ids.begin(), ids.end(), one.id) == ids.end()) ids.push_back(one.id);
    }
    take_steered(logits);
    Matrix probabilities(static_cast<Index>(ids.size()), static_cast<Index>(logits.size()));
    Names words;
    for (const std::int32_t id : ids) {
      const auto row = static_cast<Index>(words.size());
      for (Index column = 0; column < probabilities.cols(); ++column)
        probabilities(row, column) = static_cast<float>(
            prediction_of(logits[static_cast<std::size_t>(column)].row(0), id).probability);
      words.push_back(network_.label(id));
    }
    result.notes.push_back("steered: the direction of feature " + std::to_string(*analysis_.feature) +
                           " added " + steered_tokens_in_words(positions_) + ", so many times");
    result.tables.push_back(
        of_quantity("probability", grid_table("steered", "token", "strength", std::move(words), strengths(),
                                              std::move(probabilities), false)));
    if (analysis_.generated == 0) return;
    Continuations generated(analysis_);
    add_continuations(0, generated);
    result.tables.push_back(generated.table());
  }

  NetworkPass& pass_;
  const Network& network_;
  const Analysis& analysis_;
  const LogitChoice number_;
  const std::vector<Patch> own_;
  const Dictionary& dictionary_;
  const std::vector<Index> positions_;
  Matrix rows_, activations_, rebuilt_;
  Matrix steered_;  // of the target, 1 x strengths; empty: not computed yet
  double before_ = 0;
  Eigen::RowVectorXf added_;  // by feature; empty: not known
  Eigen::VectorXf left_;
  std::vector<Index> chosen_;
};

}  // namespace

void add_features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number,
                  AnalysisResult& result) {
  const Dictionary dictionary = dictionary_of(pass.network(), analysis);
  result.place = written_stage(dictionary, analysis);
  Features(pass, analysis, number, dictionary, analysis.positions).tell(result);
}

SetFeatures::SetFeatures(const Network& network, const Analysis& analysis)
    : network_(network),
      analysis_(analysis),
      dictionary_(dictionary_of(network, analysis)),
      generated_(analysis) {}

void SetFeatures::add_row(NetworkPass& pass, const LogitChoice& number) {
  const Eigen::RowVectorXd sizes = Features(pass, analysis_, number, dictionary_, {}).sizes();
  if (sizes_.size() == 0) sizes_.setZero(sizes.size());
  sizes_ += sizes;
}

std::vector<ResultTable> SetFeatures::row(NetworkPass& pass, const LogitChoice& number,
                                          const std::vector<Index>& positions) {
  if (chosen_.empty()) {
    chosen_ = analysis_.feature ? std::vector{*analysis_.feature}
                                : strongest_features(sizes_.cwiseAbs(), analysis_.top);
    if (!analysis_.feature) std::erase_if(chosen_, [&](Index feature) { return sizes_(feature) == 0; });
    if (chosen_.empty()) chosen_ = {0};  // nothing fires
    firings_.resize(chosen_.size());
  }
  Features features(pass, analysis_, number, dictionary_, positions);
  std::vector<ResultTable> tables = features.row_tables(chosen_);
  if (analysis_.feature && analysis_.generated > 0) features.add_continuations(rows_done_, generated_);
  const Names tokens = token_labels(pass);
  std::string text;
  for (const std::string& token : tokens)
    text += (network_.tokenizer() || text.empty() ? "" : " ") + token;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    Index token = 0;
    const float largest = features.activations().col(chosen_[i]).maxCoeff(&token);
    if (largest <= 0) continue;
    const std::string word = "\"" + tokens[static_cast<std::size_t>(token)] + "\" in: " + text;
    firings_[i].push_back({rows_done_, token, largest, word});
    std::stable_sort(firings_[i].begin(), firings_[i].end(),
                     [](const Firing& a, const Firing& b) { return a.activation > b.activation; });
    if (firings_[i].size() > kMostFirings) firings_[i].pop_back();
  }
  ++rows_done_;
  return tables;
}

ResultTable SetFeatures::fires_most() const {
  Names names, remarks;
  std::vector<std::array<float, 3>> all;
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    for (const Firing& one : firings_[i]) {
      names.push_back(std::to_string(chosen_[i]));
      remarks.push_back(one.words);
      all.push_back({static_cast<float>(one.row + 1), static_cast<float>(one.token), one.activation});
    }
  Matrix values(static_cast<Index>(all.size()), 3);
  for (std::size_t i = 0; i < all.size(); ++i)
    values.row(static_cast<Index>(i)) << all[i][0], all[i][1], all[i][2];
  ResultTable table = list_table("fires_most", "feature", std::move(names), {"row", "token", "activation"},
                                 std::move(values));
  table.remarks = std::move(remarks);
  table.remark_title = "where";
  return table;
}

PatchStage SetFeatures::place() const {
  return written_stage(dictionary_, analysis_);
}

std::string SetFeatures::how() const {
  return read_in_words(dictionary_, analysis_.layer) + std::to_string(dictionary_.features()) +
         " features; encoded with " + dictionary_.how;
}

}  // namespace headlight
