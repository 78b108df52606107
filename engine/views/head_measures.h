// What a head does, in numbers that are large for heads of a kind that is known: the measures by which heads
// are found.
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

// Means over queries, of shares: a weight counts by its part of its row, |w| / sum of |w|, which under
// softmax is the weight itself. w[i, j]: the share of key j in the row of query i; p = i + offset: where
// among the keys the query's own token stands. Queries whose row attends to nothing or is not finite are left
// out, and so are, of all but the entropy and the last two, those without a place among the keys; of the
// distance all, where the queries are of another text than the keys.
//
// The induction score is the prefix matching score of Olsson et al., "In-context Learning and Induction
// Heads" (2022), section "Model analysis table", after Elhage et al., "A Mathematical Framework for
// Transformer Circuits" (2021): the weight on the token behind an earlier occurrence of the present one.
// Previous and duplicate token heads are those of Wang et al., "Interpretability in the Wild" (2022). Each
// sum is that of head_detector in TransformerLens, divided by the number of queries that it can be of.
enum class HeadMeasure : std::uint8_t {
  PreviousToken,   // w[i, p - 1], over queries with p >= 1
  FirstToken,      // w[i, 0], over queries with p >= 1: the sink
  DuplicateToken,  // sum of w[i, j] over j < p with token j = token p, over queries that have such a j
  Induction,       // sum of w[i, j + 1] over the same j, over the same queries
  Diagonal,        // w[i, p]
  Entropy,         // - sum of w log2 w, in bits
  Distance,        // sum of w[i, j] |p - j|, in tokens
  // Cosine of the weights with a matrix of their shape, each as one long vector; a row that attends to
  // nothing belongs to it.
  LikePicture,
};
inline constexpr std::size_t kHeadMeasureCount = 8;

struct HeadMeasureInfo {
  HeadMeasure measure;
  std::string_view name;   // of files and the command line: "previous_token"
  std::string_view label;  // of the window: "previous token"
  std::string_view what;   // in a sentence without a full stop
  std::string_view none;   // what is said where a head has no such number
};
const std::array<HeadMeasureInfo, kHeadMeasureCount>& head_measure_table();
const HeadMeasureInfo& head_measure_info(HeadMeasure measure);
// The measure of that name; none when there is no such one.
std::optional<HeadMeasure> head_measure_named(std::string_view name);

// The measures of one head.
struct HeadMeasures {
  // Nothing where no query can be asked: of one token, without repeated tokens, without a picture.
  std::array<std::optional<float>, kHeadMeasureCount> values;
  Index rows = 0;  // how many were counted
  std::optional<float> of(HeadMeasure measure) const { return values[static_cast<std::size_t>(measure)]; }
};

// The places 0, 1, ... of `values` by their value, the largest or the smallest first; those without one come
// last both ways, and equal ones in the order of their places.
std::vector<Index> sorted_places(const std::vector<std::optional<float>>& values, bool ascending);

// Where among the keys the token of each query has occurred before. Memory: O(Tq + Tk).
class TokenMatches {
 public:
  // Query i is the token of key i + offset, as far as there is one: with a key that has another token it is
  // compared all the same. No offset: the queries are of another text than the keys.
  TokenMatches(std::span<const std::string> query_tokens, std::span<const std::string> key_tokens,
               std::optional<Index> offset = 0);
  Index queries() const { return static_cast<Index>(lists_.size()); }
  Index keys() const { return keys_; }
  bool of_one_text() const { return of_one_text_; }
  Index place(Index query) const { return query + offset_; }
  bool placed(Index query) const { return of_one_text_ && place(query) >= 0 && place(query) < keys_; }
  // The keys before the query's place that have its token, in their order; none when it has no place.
  std::span<const Index> earlier(Index query) const;

 private:
  struct List {
    std::size_t of = 0;     // places_[of]: where the token stands
    std::size_t count = 0;  // how many of these come before the query
  };
  Index keys_, offset_;
  bool of_one_text_;
  std::vector<std::vector<Index>> places_;  // of each different token among the keys, rising
  std::vector<List> lists_;                 // by query
};

// Measures one head row by row. What it reads must live and stay as it is meanwhile.
class HeadMeasuring {
 public:
  using Clock = std::chrono::steady_clock;
  // weights: Tq x Tk, as `tokens` has them. picture: of the same shape, or none.
  // Precondition: the shapes agree.
  HeadMeasuring(RowSource weights, TokenMatches tokens, std::optional<RowSource> picture);
  // Goes on until the time is over, at least by a row. True: nothing is left to do.
  // Cost of all: O(Tq Tk), and that of making the rows.
  bool go_on(Clock::time_point until);
  double share() const;  // of the rows that is done: 0 to 1
  // Precondition: nothing is left to do.
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

// Measures to the end at once.
HeadMeasures measured(HeadMeasuring measuring);

}  // namespace headlight
