#include "engine/analysis/feature_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/analysis/added_logits.h"
#include "engine/analysis/tables.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/interpretation/metric_slope.h"
#include "engine/interpretation/pass_gradients.h"
#include "engine/network/layer_at.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr Index kMostWords = 5;

// The features of one text as they are told.
class Features {
 public:
  Features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number, AnalysisResult& result)
      : pass_(pass),
        network_(pass.network()),
        analysis_(analysis),
        number_(number),
        result_(result),
        own_(pass.patches()),
        dictionary_(read_dictionary(analysis.dictionary, network_.config().width)) {
    require_free_place();
    rows_ = stage_values(pass_, place());
    activations_ = feature_activations(dictionary_, rows_);
    rebuilt_ = reconstruction(dictionary_, activations_);
    before_ = number_of_pass();
  }

  void tell() {
    find_added();
    choose();
    say();
    add_tokens();
    add_chosen();
    add_activations();
    if (analysis_.feature) add_steered();
    pass_.set_patches(own_);
  }

 private:
  PatchPlace place() const { return {analysis_.place, analysis_.layer, 0}; }

  void require_free_place() const {
    for (const Patch& patch : own_)
      if (patch.stage == analysis_.place && patch.layer == analysis_.layer)
        throw Error("a patch overwrites the place of the dictionary", "changes", "switch the patch off");
    if (analysis_.feature && (*analysis_.feature < 0 || *analysis_.feature >= dictionary_.features()))
      throw Error("there is no feature " + std::to_string(*analysis_.feature), "feature",
                  "the dictionary has features 0 to " + std::to_string(dictionary_.features() - 1));
  }

  double number_of_pass() { return chosen_value(pass_.logits(number_.position, 1).row(0), number_); }

  void put(Matrix rows) {
    std::vector<Patch> patches = own_;
    patches.push_back({analysis_.place, analysis_.layer, 0, 0, 0, std::move(rows)});
    pass_.set_patches(patches);
  }

  double number_with(Matrix rows) {
    put(std::move(rows));
    return number_of_pass();
  }

  // added_(f): the sum over tokens of f's activation times its direction times the number's gradient.
  void find_added() {
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
    const Eigen::RowVectorXf size =
        added_.size() > 0 ? Eigen::RowVectorXf(added_.cwiseAbs()) : activations_.colwise().maxCoeff();
    chosen_ = largest(size);
    std::erase_if(chosen_, [&](Index feature) { return activations_.col(feature).maxCoeff() == 0; });
    if (chosen_.empty()) chosen_ = {0};  // nothing fires
  }

  std::vector<Index> largest(const Eigen::RowVectorXf& size) const {
    std::vector<Index> order(static_cast<std::size_t>(size.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto many = static_cast<std::ptrdiff_t>(std::min(analysis_.top, size.size()));
    std::partial_sort(order.begin(), order.begin() + many, order.end(),
                      [&](Index a, Index b) { return size(a) > size(b) || (size(a) == size(b) && a < b); });
    order.resize(static_cast<std::size_t>(many));
    return order;
  }

  void say() {
    const Unexplained left = unexplained(rows_, rebuilt_);
    left_ = left.by_token;
    const auto percent = [](double share) {
      return std::isnan(share) ? std::string("not defined") : four_decimals(100 * share) + " %";
    };
    result_.notes.push_back(std::to_string(dictionary_.features()) + " features; encoded with " +
                            dictionary_.how);
    result_.notes.push_back("not explained: " + percent(left.share) +
                            " of the variance over the text's tokens (the sum of |x - reconstruction|^2 over "
                            "that of |x - mean|^2); "
                            "without the first token " +
                            percent(left.share_behind_first));
    const std::string number = metric_in_words(number_.metric);
    const double rebuilt = number_with(rebuilt_);
    pass_.set_patches(own_);
    result_.notes.push_back(
        number + ": " + four_decimals(before_) +
        "; with the reconstruction in the place of what stands there: " + four_decimals(rebuilt));
    result_.notes.push_back(
        "adds: the sum over tokens of activation times direction times the gradient of the " + number +
        ", an estimate; without it: the change when it is taken away at every token");
  }

  void add_tokens() {
    const Index tokens = rows_.rows();
    Matrix values(tokens, 2);
    Names remarks;
    for (Index token = 0; token < tokens; ++token) {
      values(token, 0) = static_cast<float>((activations_.row(token).array() != 0).count());
      values(token, 1) = left_(token);
      std::string fires;
      for (const Index feature : largest(activations_.row(token)))
        if (activations_(token, feature) != 0)
          fires += (fires.empty() ? "" : " | ") + std::to_string(feature) + " (" +
                   four_decimals(static_cast<double>(activations_(token, feature))) + ")";
      remarks.push_back(fires);
    }
    ResultTable table =
        list_table("tokens", "token", token_labels(pass_), {"firing", "not explained"}, std::move(values));
    table.remarks = std::move(remarks);
    table.remark_title = "features that fire most";
    result_.tables.push_back(std::move(table));
  }

  // What the decoder's direction raises and lowers; "" where the stream is no sum, so that this says nothing.
  std::string words_of(Index feature) const {
    if (!network_.config().stream_is_sum() || !network_.missing_head().empty()) return "";
    const Matrix logits = added_logits(network_, dictionary_.decoder.row(feature));
    std::string words;
    const auto list = [&](const std::vector<Prediction>& most) {
      for (std::size_t i = 0; i < most.size(); ++i)
        words += (i == 0 ? "" : " | ") + network_.label(most[i].id);
    };
    list(likeliest(logits.row(0), kMostWords));
    words += "; lowers: ";
    list(likeliest(-logits.row(0), kMostWords));
    return words;
  }

  void add_chosen() {
    Matrix values(static_cast<Index>(chosen_.size()), 4);
    Names names, remarks;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Index feature = chosen_[i];
      const auto fires = activations_.col(feature);
      const Matrix without = rows_ - fires * dictionary_.decoder.row(feature);
      values.row(static_cast<Index>(i)) << fires.maxCoeff(), static_cast<float>((fires.array() != 0).count()),
          added_.size() > 0 ? added_(feature) : std::numeric_limits<float>::quiet_NaN(),
          static_cast<float>(number_with(without) - before_);
      names.push_back(std::to_string(feature));
      remarks.push_back(words_of(feature));
    }
    pass_.set_patches(own_);
    ResultTable table = list_table("features", "feature", std::move(names),
                                   {"largest", "tokens", "adds", "without it"}, std::move(values));
    table.remarks = std::move(remarks);
    table.remark_title = "raises";
    result_.tables.push_back(std::move(table));
  }

  void add_activations() {
    Matrix values(rows_.rows(), static_cast<Index>(chosen_.size()));
    Names columns;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      values.col(static_cast<Index>(i)) = activations_.col(chosen_[i]);
      columns.push_back(std::to_string(chosen_[i]));
    }
    result_.tables.push_back(
        of_quantity("activation", grid_table("activations", "token", "feature", token_labels(pass_),
                                             std::move(columns), std::move(values), false)));
  }

  // The prediction with so many times the feature's direction added at every token.
  void add_steered() {
    constexpr std::array kShares = {0.0, 0.5, 1.0, 2.0};
    std::vector<Matrix> logits;
    Names columns;
    std::vector<std::int32_t> ids;
    for (const double share : kShares) {
      const auto strength = static_cast<float>(share * analysis_.strength);
      Matrix steered = rows_;
      steered.rowwise() += strength * dictionary_.decoder.row(*analysis_.feature);
      put(std::move(steered));
      logits.push_back(pass_.logits(number_.position, 1));
      std::string name = "x ";
      append_float(name, strength + 0.0f);  // no -0
      columns.push_back(std::move(name));
      for (const Prediction& one : likeliest(logits.back().row(0), analysis_.top))
        if (std::find(ids.begin(), ids.end(), one.id) == ids.end()) ids.push_back(one.id);
    }
    Matrix probabilities(static_cast<Index>(ids.size()), static_cast<Index>(logits.size()));
    Names words;
    for (const std::int32_t id : ids) {
      const auto row = static_cast<Index>(words.size());
      for (Index column = 0; column < probabilities.cols(); ++column)
        probabilities(row, column) = static_cast<float>(
            prediction_of(logits[static_cast<std::size_t>(column)].row(0), id).probability);
      words.push_back(network_.label(id));
    }
    result_.notes.push_back("steered: the direction of feature " + std::to_string(*analysis_.feature) +
                            " added at every token, so many times");
    result_.tables.push_back(
        of_quantity("probability", grid_table("steered", "token", "strength", std::move(words),
                                              std::move(columns), std::move(probabilities), false)));
  }

  NetworkPass& pass_;
  const Network& network_;
  const Analysis& analysis_;
  const LogitChoice number_;
  AnalysisResult& result_;
  const std::vector<Patch> own_;
  const Dictionary dictionary_;
  Matrix rows_, activations_, rebuilt_;
  double before_ = 0;
  Eigen::RowVectorXf added_;  // by feature; empty: not known
  Eigen::VectorXf left_;
  std::vector<Index> chosen_;
};

}  // namespace

void add_features(NetworkPass& pass, const Analysis& analysis, const LogitChoice& number,
                  AnalysisResult& result) {
  if (analysis.dictionary.empty())
    throw Error("there is no dictionary", "dictionary",
                "give a file with W_enc, W_dec, b_enc and b_dec (.safetensors or .npz)");
  Features(pass, analysis, number, result).tell();
}

}  // namespace headlight
