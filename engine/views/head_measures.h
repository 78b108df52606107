// Measures of attention heads that are large for heads of known kinds, such as previous token and induction
// heads; used to find such heads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/views/row_source.h"

namespace headlight {

// Means over queries. A weight counts by its share of its row, |w| / sum of |w|, which under softmax is the
// weight itself. w[i, j]: the share of key j in the row of query i; p = i + offset: the position of the
// query's token among the keys. Excluded are rows that attend to nothing or are not finite; for all measures
// but Entropy, Distance and LikePicture, queries whose position is not among the keys; for Distance, all
// queries if they are of another text than the keys.
//
// Induction is the prefix matching score of Olsson et al., "In-context Learning and Induction Heads" (2022),
// section "Layer analysis table", after Elhage et al., "A Mathematical Framework for Transformer Circuits"
// (2021): the weight on the token after an earlier occurrence of the current one. Previous and duplicate
// token heads are those of Wang et al., "Interpretability in the Wild" (2022). The sums are those of
// head_detector in TransformerLens, divided by the number of queries for which the measure is defined.
enum class HeadMeasure : std::uint8_t {
  PreviousToken,   // w[i, p - 1], over queries with p >= 1
  FirstToken,      // w[i, 0], over queries with p >= 1: the attention sink
  DuplicateToken,  // sum of w[i, j] over j < p with token j = token p, over queries that have such a j
  Induction,       // sum of w[i, j + 1], over the same j and queries
  Diagonal,        // w[i, p]
  Entropy,         // - sum of w log2 w, in bits
  Distance,        // sum of w[i, j] |p - j|, in tokens
  // Cosine of the weights and a matrix of their shape, as vectors; includes rows that attend to nothing.
  LikePicture,
};
inline constexpr std::size_t kHeadMeasureCount = 8;

struct HeadMeasureInfo {
  HeadMeasure measure;
  std::string_view name;   // in files and on the command line: "previous_token"
  std::string_view label;  // in the window: "previous token"
  std::string_view what;   // description: a sentence without a full stop
  std::string_view none;   // shown if a head has no such value
};
const std::array<HeadMeasureInfo, kHeadMeasureCount>& head_measure_table();
const HeadMeasureInfo& head_measure_info(HeadMeasure measure);
// The measure with that name; none if there is none.
std::optional<HeadMeasure> head_measure_named(std::string_view name);

inline constexpr Index kFewQueries = 5;  // a mean over fewer says nothing of a head

// The measures of one head.
struct HeadMeasures {
  // None if the measure is defined for no query: with one token, without repeated tokens, without a picture.
  std::array<std::optional<float>, kHeadMeasureCount> values;
  Index rows = 0;                                  // number of rows counted
  std::array<Index, kHeadMeasureCount> queries{};  // over how many each is a mean; of LikePicture 0
  std::optional<float> of(HeadMeasure measure) const { return values[static_cast<std::size_t>(measure)]; }
  // "n = 1" where the measure is a mean over fewer than kFewQueries queries; "" where it is not, or has no
  // value.
  std::string few(HeadMeasure measure) const;
};

// The indices of `values`, stably sorted in ascending or descending order, missing values last in both.
std::vector<Index> sorted_places(const std::vector<std::optional<float>>& values, bool ascending);

// For each query, the earlier occurrences of its token among the keys. Memory: O(Tq + Tk).
class TokenMatches {
 public:
  // Query i has position i + offset among the keys, if there is such a key; its token may differ from that
  // key's. No offset: the queries are of another text than the keys.
  TokenMatches(std::span<const std::string> query_tokens, std::span<const std::string> key_tokens,
               std::optional<Index> offset = 0);
  Index queries() const { return static_cast<Index>(lists_.size()); }
  Index keys() const { return keys_; }
  bool of_one_text() const { return of_one_text_; }
  Index place(Index query) const { return query + offset_; }
  bool placed(Index query) const { return of_one_text_ && place(query) >= 0 && place(query) < keys_; }
  // The keys before the query's position that have its token, ascending; empty if the query has no position.
  std::span<const Index> earlier(Index query) const;

 private:
  struct List {
    std::size_t of = 0;     // places_[of]: the token's positions
    std::size_t count = 0;  // how many of them are before the query
  };
  Index keys_, offset_;
  bool of_one_text_;
  std::vector<std::vector<Index>> places_;  // for each distinct token, its keys, ascending
  std::vector<List> lists_;                 // by query
};

// Computes the measures of one head row by row. The matrices it reads must outlive it unchanged.
class HeadMeasuring {
 public:
  using Clock = std::chrono::steady_clock;
  // weights: Tq x Tk, as in `tokens`. picture: the same shape, or none. Precondition: the shapes match.
  HeadMeasuring(RowSource weights, TokenMatches tokens, std::optional<RowSource> picture);
  // Continues until the time is over, for at least one row; returns true if it is finished. Total cost: O(Tq
  // Tk), plus the computation of the rows.
  bool go_on(Clock::time_point until);
  double share() const;  // fraction of rows that is done: 0 to 1
  // Precondition: finished.
  HeadMeasures result() const;

 private:
  struct Mean {
    double sum = 0;
    Index rows = 0;
    void add(double value) {
      sum += value;
      ++rows;
    }
  };
  void add_row();
  void add_matches(const float* weights, double sum);
  void add_picture(const float* weights);
  Mean& mean(HeadMeasure measure) { return means_[static_cast<std::size_t>(measure)]; }

  RowSource weights_;
  TokenMatches tokens_;
  std::optional<RowSource> picture_;
  Index next_ = 0, rows_ = 0;
  std::array<Mean, kHeadMeasureCount> means_;
  double product_ = 0, weights_squared_ = 0, picture_squared_ = 0;
};

// Computes all rows and returns the result.
HeadMeasures measured(HeadMeasuring measuring);

}  // namespace headlight
