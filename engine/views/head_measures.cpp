#include "engine/views/head_measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/simd/vector_loops.h"

namespace headlight {

const std::array<HeadMeasureInfo, kHeadMeasureCount>& head_measure_table() {
  static constexpr std::string_view kNoneRepeated = "none repeated";
  static const std::array<HeadMeasureInfo, kHeadMeasureCount> kTable = {{
      {HeadMeasure::PreviousToken, "previous_token", "previous token",
       "The mean weight on the token just before the query", "one token"},
      {HeadMeasure::FirstToken, "first_token", "first token",
       "The mean weight on the first token, over the queries behind it: an attention sink, where attention "
       "rests that no other token needs",
       "one token"},
      {HeadMeasure::DuplicateToken, "duplicate_token", "duplicate token",
       "The mean weight on earlier occurrences of the query's own token, over the queries that have any",
       kNoneRepeated},
      {HeadMeasure::Induction, "induction", "induction",
       "The mean weight on tokens just behind an earlier occurrence of the query's own token, over the "
       "queries that have any",
       kNoneRepeated},
      {HeadMeasure::Diagonal, "diagonal", "diagonal", "The mean weight of a query on itself", "no rows"},
      {HeadMeasure::Entropy, "entropy", "entropy",
       "How spread the rows are, as their mean entropy in bits: 0 if each is on one token, log2 T if all T "
       "tokens get the same",
       "no rows"},
      {HeadMeasure::Distance, "distance", "distance", "How many tokens away a query looks in the mean",
       "no rows"},
      {HeadMeasure::LikePicture, "like_picture", "like a picture",
       "The cosine of the head's weights with the picture that is chosen: 1 for the same pattern",
       "no picture"},
  }};
  return kTable;
}

const HeadMeasureInfo& head_measure_info(HeadMeasure measure) {
  return head_measure_table()[static_cast<std::size_t>(measure)];
}

std::string HeadMeasures::few(HeadMeasure measure) const {
  const Index count = queries[static_cast<std::size_t>(measure)];
  return of(measure) && count > 0 && count < kFewQueries ? "n = " + std::to_string(count) : "";
}

std::optional<HeadMeasure> head_measure_named(std::string_view name) {
  for (const HeadMeasureInfo& info : head_measure_table())
    if (info.name == name) return info.measure;
  return std::nullopt;
}

std::vector<Index> sorted_places(const std::vector<std::optional<float>>& values, bool ascending) {
  std::vector<Index> places(values.size());
  std::iota(places.begin(), places.end(), Index{0});
  std::stable_sort(places.begin(), places.end(), [&](Index a, Index b) {
    const auto& left = values[static_cast<std::size_t>(a)];
    const auto& right = values[static_cast<std::size_t>(b)];
    if (!left || !right) return left && !right;
    return ascending ? *left < *right : *left > *right;
  });
  return places;
}

TokenMatches::TokenMatches(std::span<const std::string> query_tokens, std::span<const std::string> key_tokens,
                           std::optional<Index> offset)
    : keys_(static_cast<Index>(key_tokens.size())),
      offset_(offset.value_or(0)),
      of_one_text_(offset.has_value()),
      lists_(query_tokens.size()) {
  std::unordered_map<std::string_view, std::size_t> known;
  for (std::size_t key = 0; key < key_tokens.size(); ++key) {
    const auto [at, fresh] = known.emplace(key_tokens[key], places_.size());
    if (fresh) places_.emplace_back();
    places_[at->second].push_back(static_cast<Index>(key));
  }
  for (Index query = 0; query < queries(); ++query) {
    const auto at = known.find(query_tokens[static_cast<std::size_t>(query)]);
    if (at == known.end() || !placed(query)) continue;
    const std::vector<Index>& places = places_[at->second];
    const auto end = std::lower_bound(places.begin(), places.end(), place(query));
    lists_[static_cast<std::size_t>(query)] = {at->second, static_cast<std::size_t>(end - places.begin())};
  }
}

std::span<const Index> TokenMatches::earlier(Index query) const {
  const List& list = lists_[static_cast<std::size_t>(query)];
  return list.count == 0 ? std::span<const Index>()
                         : std::span<const Index>(places_[list.of]).first(list.count);
}

HeadMeasuring::HeadMeasuring(RowSource weights, TokenMatches tokens, std::optional<RowSource> picture)
    : weights_(std::move(weights)), tokens_(std::move(tokens)), picture_(std::move(picture)) {}

bool HeadMeasuring::go_on(Clock::time_point until) {
  constexpr Index kCellsBetweenLooks = 1 << 14;  // between checks of the clock
  const Index rows = std::max<Index>(1, kCellsBetweenLooks / std::max<Index>(1, weights_.cols()));
  while (next_ < weights_.rows()) {
    const Index end = std::min(weights_.rows(), next_ + rows);
    while (next_ < end) {
      add_row();
      ++next_;
    }
    if (Clock::now() >= until) break;
  }
  return next_ == weights_.rows();
}

double HeadMeasuring::share() const {
  return weights_.rows() == 0 ? 1 : static_cast<double>(next_) / static_cast<double>(weights_.rows());
}

void HeadMeasuring::add_row() {
  const float* weights = weights_.row(next_);
  const Index place = tokens_.place(next_);
  const WeightSums sums = best_vector_loops().sum_weights(weights, weights_.cols(), place);
  if (!std::isfinite(sums.all)) return;
  if (picture_) add_picture(weights);  // includes rows that attend to nothing
  if (sums.all <= 0) return;
  ++rows_;
  const double all = double{sums.all};
  mean(HeadMeasure::Entropy).add(std::log2(all) - double{sums.logarithmic} / all / std::log(2.0));
  if (tokens_.of_one_text()) mean(HeadMeasure::Distance).add(double{sums.distance} / all);
  if (tokens_.placed(next_)) {
    const auto share = [&](Index key) { return std::abs(double{weights[key]}) / all; };
    mean(HeadMeasure::Diagonal).add(share(place));
    if (place > 0) mean(HeadMeasure::PreviousToken).add(share(place - 1));
    if (place > 0) mean(HeadMeasure::FirstToken).add(share(0));
    add_matches(weights, all);
  }
}

void HeadMeasuring::add_matches(const float* weights, double sum) {
  const std::span<const Index> earlier = tokens_.earlier(next_);
  if (earlier.empty()) return;
  double same = 0, behind = 0;
  for (const Index key : earlier) {
    same += std::abs(double{weights[key]});
    behind += std::abs(double{weights[key + 1]});  // key + 1 <= the query's position
  }
  mean(HeadMeasure::DuplicateToken).add(same / sum);
  mean(HeadMeasure::Induction).add(behind / sum);
}

void HeadMeasuring::add_picture(const float* weights) {
  using Row = Eigen::Map<const Eigen::ArrayXf>;
  const Row head(weights, weights_.cols()), picture(picture_->row(next_), weights_.cols());
  const double squared = double{picture.square().sum()};
  if (!std::isfinite(squared)) return;
  product_ += double{(head * picture).sum()};
  weights_squared_ += double{head.square().sum()};
  picture_squared_ += squared;
}

HeadMeasures HeadMeasuring::result() const {
  HeadMeasures measures;
  measures.rows = rows_;
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i)
    measures.queries[i] = means_[i].rows;
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i)
    if (means_[i].rows > 0)
      measures.values[i] = static_cast<float>(means_[i].sum / static_cast<double>(means_[i].rows));
  // Rounding of the sums can make it slightly negative.
  auto& entropy = measures.values[static_cast<std::size_t>(HeadMeasure::Entropy)];
  if (entropy) entropy = std::max(0.0f, *entropy);
  const double lengths = std::sqrt(weights_squared_) * std::sqrt(picture_squared_);
  if (lengths > 0)
    measures.values[static_cast<std::size_t>(HeadMeasure::LikePicture)] =
        static_cast<float>(std::clamp(product_ / lengths, -1.0, 1.0));
  return measures;
}

HeadMeasures measured(HeadMeasuring measuring) {
  measuring.go_on(HeadMeasuring::Clock::time_point::max());
  return measuring.result();
}

}  // namespace headlight
