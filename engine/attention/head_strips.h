// The scores of one head whose T x T stages are too large to store each. Stores the scores once, with what
// the softmax of every row needs; the later stages are recomputed for the rows that are requested.
//
// The queries are cut into strips, with as many side by side as the widest tile of a matrix product has
// columns; within a strip the keys follow one another. So the scores of a key are contiguous, sums over the
// keys run through all queries of a strip at once, and the exponentials have the layout that the product with
// the values reads.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/attention/head_panels.h"
#include "engine/attention/strip_pools.h"
#include "engine/attention/strip_rules.h"
#include "engine/core/matrix.h"
#include "engine/layer/stage.h"
#include "engine/views/head_summary.h"
#include "engine/views/span.h"

namespace headlight {

// The model's own mask in the layout of the scores: 0 where a query may attend, else minus infinity.
class MaskStrips {
 public:
  explicit MaskStrips(const Matrix& allowed);
  void take_rows(const Matrix& allowed, Index begin, Index end);
  const float* strip(Index index) const { return strips_.row(index).data(); }
  Index open_cells() const { return open_by_row_.sum(); }

 private:
  Eigen::Array<Index, Eigen::Dynamic, 1> open_by_row_;
  Matrix strips_;  // strip by strip
};

class HeadStrips {
 public:
  static Index width() { return HeadPanels::width(); }  // queries in a strip

  explicit HeadStrips(Workspace& workspace) : panels_(workspace) {}

  // Resizes and discards the contents.
  void reshape(Index queries, Index keys, Index d_k, Index d_v, const KeyBand& band);
  Index count() const { return panels_.strips(); }
  Index key_count() const { return panels_.key_count(); }
  HeadPanels& panels() { return panels_; }  // for storing keys and values

  // The functions below may run on several threads for different strips.
  //
  // Computes scores from queries and keys. Keys that the band closes to every query of the strip are skipped.
  void score(Index strip, const Matrix& q);
  // Computes maxima, sums and the strip's rows of `context`, Tq x d_v, from scores and values.
  void softmax_strip(Index strip, const StripRules& rules, MatrixOut context);
  // Updates scores and context of the strip after one key and its value changed, at the cost of that key
  // alone. Returns false if the sum or the context of a row would lose too many digits; the caller must then
  // call softmax_strip(). Precondition: no query of the strip changed.
  struct MovedKey {
    Index key = 0;
    const Matrix &q, &v;
    Eigen::RowVectorXf value_before;
  };
  bool move_key(Index strip, const MovedKey& moved, const StripRules& rules, MatrixOut context);

  // Computes a T x T stage for the strip's queries; `rows` has one row for each of them and Tk columns.
  void read(Stage stage, Index strip, const Matrix& q, const Matrix& k, const StripRules& rules,
            MatrixOut rows) const;
  // Pools the current scores. `rules` are those of the last softmax_strip().
  std::shared_ptr<const StripPool> pool(const PoolRequest& request, StripPools::Along along, const Matrix& q,
                                        const StripRules& rules) const;
  // Turns scaled scores of the strip's queries, rows of width() numbers, into weights; minus infinity stays.
  void softmax_rows(Index strip, Index rows, float* scaled) const;
  // Marks the pooled scores of these keys as stale after a change that no function above made, or before one.
  void note_moved(Index strip, Span keys) { pools_->note(strip, keys); }
  void forget_pools() { pools_->forget(); }  // after a change of the mask
  // Adds the strip's queries to the sums of a head summary. May run on several threads.
  void add_to(HeadSums& sums, Index strip, const StripRules& rules) const;
  // Whether every value and every row's sum is finite, and therefore every weight.
  bool finite() const;

 private:
  struct Part {  // a range of keys of a strip with one kind of bias
    Index begin = 0, count = 0;
    const float* bias = nullptr;
  };
  // The open keys in three ranges: open to some queries at the left edge, open to all, open to some at the
  // right edge. An empty range has count 0.
  std::array<Part, 3> parts(Index strip, const StripRules& rules) const;
  // The range of that one key; empty if it is open to no query.
  Part part_of(Index strip, Index key, const StripRules& rules) const;
  Index first_query(Index strip) const { return panels_.first_query(strip); }
  // The keys that the band opens to at least one query of the strip.
  Span open_keys(Index strip) const {
    const Index first = first_query(strip);
    return {band_.begin(first), band_.end(first + width() - 1)};
  }
  // The first key whose score is stored: the start of its panel.
  Index first_stored(Index strip) const {
    return open_keys(strip).begin / HeadPanels::height() * HeadPanels::height();
  }
  float* scores(Index strip, Index key) {
    return scores_.row(strip).data() + (key - first_stored(strip)) * width();
  }
  const float* scores(Index strip, Index key) const {
    return scores_.row(strip).data() + (key - first_stored(strip)) * width();
  }
  struct Exchange;
  // The two halves of move_key(). exchange_key() updates the key's scores and computes the new sums without
  // storing them; exchange_values() updates the context. Both return false if too many digits would be lost.
  bool exchange_key(Index strip, const MovedKey& moved, const Part& part, float factor, Exchange& exchange);
  bool exchange_values(Index strip, const MovedKey& moved, const Exchange& exchange, const Matrix* noise,
                       MatrixOut context);
  // Calls strip_shares() for some of the strip's keys; adds to the arguments.
  void add_shares(Index strip, const Part& part, const StripRules& rules, Eigen::ArrayXd& logarithmic,
                  Eigen::ArrayXd& distance) const;
  // Computes e^(scaled - maximum) of the open keys, one row per key; adds to `sums`.
  void exponentials(Index strip, const StripRules& rules, float* out, double* sums) const;
  void pool_blocks(Index strip, Span blocks, const Matrix& q, const StripRules& rules, StripPool& pool) const;
  void read_scaled(Index strip, float factor, const Matrix& q, const Matrix& k, MatrixOut rows) const;
  Eigen::ArrayXf divisors(Index strip) const;  // exponential / divisor = weight
  void read_weights(Index strip, const StripRules& rules, MatrixOut rows) const;

  HeadPanels panels_;
  KeyBand band_;  // the band whose scores are stored
  // For a band narrower than a strip: which query may attend to which key, from the band's first key on.
  Matrix edges_;
  Matrix scores_;  // strip by strip, each with space for a whole number of panels of keys
  // By query, including the padding after the last one: the maximum of the scaled scores, 0 if every key is
  // masked; the sum of the exponentials, in float64 of float32 terms, so that adding and subtracting terms
  // leaves no growing error; and the largest value of that sum since it was last computed from scratch.
  Eigen::ArrayXf maxima_;
  Eigen::ArrayXd sums_, largest_sums_;
  std::unique_ptr<StripPools> pools_ = std::make_unique<StripPools>();
  Eigen::ArrayXf drifts_;  // by query: bound of the error that move_key() has left in the context
  struct Shares {          // the sums over the keys that add_to() needs, cached per strip
    std::mutex mutex;
    Eigen::ArrayXd logarithmic, distance;  // by query
    std::vector<char> known;               // by strip: whether the cached sums match the scores
  };
  std::unique_ptr<Shares> shares_ = std::make_unique<Shares>();
};

}  // namespace headlight
