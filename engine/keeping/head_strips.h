// The scores of one head whose T x T stages are too large to keep each: they are kept once, with what the
// softmax of every row needs, and the stages behind them are made again for the rows that are asked for.
//
// The queries are cut into strips, as many side by side as the widest tile of a product has columns; within a
// strip stands key after key. So a key's scores lie in one piece, sums over the keys run through all queries
// of a strip at once, and the exponentials stand as the product with the values reads them.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/keeping/head_panels.h"
#include "engine/keeping/strip_pools.h"
#include "engine/keeping/strip_rules.h"
#include "engine/model/stage.h"
#include "engine/views/head_summary.h"
#include "engine/views/span.h"

namespace headlight {

// A mask of the model's own, laid out as the scores are: 0 where a query may attend, else minus infinity.
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

  // Makes room; what was kept is gone.
  void reshape(Index queries, Index keys, Index d_k, Index d_v, const KeyBand& band);
  Index count() const { return panels_.strips(); }
  Index key_count() const { return panels_.key_count(); }
  HeadPanels& panels() { return panels_; }  // for the keys and values that go in

  // The functions below may run on several threads for different strips.
  // Scores from queries and keys. Those of keys that the band leaves to no query of the strip are left out.
  void score(Index strip, const Matrix& q);
  // Maxima, sums and rows of `context`, Tq x d_v, from scores and values.
  void weigh(Index strip, const StripRules& rules, MatrixOut context);
  // A key has changed, and the value with it: scores and context of the strip follow, at the cost of those
  // that change. False: a row's sum or context would lose too many digits, and weigh() has to follow.
  // Precondition: no query of the strip has changed.
  struct MovedKey {
    Index key = 0;
    const Matrix &q, &v;
    Eigen::RowVectorXf value_before;
  };
  bool move_key(Index strip, const MovedKey& moved, const StripRules& rules, MatrixOut context);

  // Rows of a stage of pairs, those of the strip's queries; `rows` has room for them and is Tk wide.
  void read(Stage stage, Index strip, const Matrix& q, const Matrix& k, const StripRules& rules,
            MatrixOut rows) const;
  // Pooled scores, as they are now: `rules` are those of the last weigh().
  std::shared_ptr<const StripPool> pool(const PoolRequest& request, StripPools::Along along, const Matrix& q,
                                        const StripRules& rules) const;
  // Turns scaled scores of the strip's queries, rows of width() numbers, into weights; minus infinity stays.
  void weigh_rows(Index strip, Index rows, float* scaled) const;
  // Scores of these keys have changed, or are about to, though no function above was told.
  void note_moved(Index strip, Span keys) { pools_->note(strip, keys); }
  void forget_pools() { pools_->forget(); }  // the mask is another
  // Adds the strip's queries to the sums that a summary is made of. May run on several threads.
  void add_to(HeadSums& sums, Index strip, const StripRules& rules) const;
  // Whether every value is finite, and every row's sum, and so every weight.
  bool finite() const;

 private:
  struct Part {  // keys of a strip under one rule
    Index begin = 0, count = 0;
    const float* bias = nullptr;
  };
  // Those that are left out at the left edge for some queries, for none, at the right edge; of no keys where
  // there are none. Together the open keys.
  std::array<Part, 3> parts(Index strip, const StripRules& rules) const;
  // That one key; of no keys where it is open to no query.
  Part part_of(Index strip, Index key, const StripRules& rules) const;
  Index first_query(Index strip) const { return panels_.first_query(strip); }
  // The keys that the band leaves to any of its queries.
  Span open_keys(Index strip) const {
    const Index first = first_query(strip);
    return {band_.begin(first), band_.end(first + width() - 1)};
  }
  // The first key whose score is kept: where a panel begins.
  Index first_kept(Index strip) const {
    return open_keys(strip).begin / HeadPanels::height() * HeadPanels::height();
  }
  float* scores(Index strip, Index key) {
    return scores_.row(strip).data() + (key - first_kept(strip)) * width();
  }
  const float* scores(Index strip, Index key) const {
    return scores_.row(strip).data() + (key - first_kept(strip)) * width();
  }
  struct Exchange;
  // The two halves of move_key(): the key's scores, and what they make of maxima and sums, which stay as they
  // are; and the context by those. False: too many digits would be lost.
  bool exchange_key(Index strip, const MovedKey& moved, const Part& part, float factor, Exchange& exchange);
  bool exchange_values(Index strip, const MovedKey& moved, const Exchange& exchange, const Matrix* noise,
                       MatrixOut context);
  // strip_shares() of some of the strip's keys: adds to what is there.
  void add_shares(Index strip, const Part& part, const StripRules& rules, Eigen::ArrayXd& logarithmic,
                  Eigen::ArrayXd& distance) const;
  // e^(scaled - maximum) of the open keys, key by key; adds to `sums`.
  void exponentials(Index strip, const StripRules& rules, float* out, double* sums) const;
  void pool_blocks(Index strip, Span blocks, const Matrix& q, const StripRules& rules, StripPool& pool) const;
  void read_scaled(Index strip, float factor, const Matrix& q, const Matrix& k, MatrixOut rows) const;
  Eigen::ArrayXf divisors(Index strip) const;  // what turns exponentials into weights
  void read_weights(Index strip, const StripRules& rules, MatrixOut rows) const;

  HeadPanels panels_;
  KeyBand band_;   // whose keys are kept
  Matrix edges_;   // of a band narrower than a strip: which query is open to which key, from the first one on
  Matrix scores_;  // strip by strip, each with room for a whole number of panels of keys
  // By query, those behind the last one too: the maximum of the scaled scores, 0 where nothing is allowed;
  // the sum of the exponentials, of which each is a float32 number, so that adding and taking away leaves no
  // error that grows; and the largest that the sum has been since it was made.
  Eigen::ArrayXf maxima_;
  Eigen::ArrayXd sums_, largest_sums_;
  std::unique_ptr<StripPools> pools_ = std::make_unique<StripPools>();
  Eigen::ArrayXf drifts_;  // by query: a bound of what moving keys has left wrong in the context
  struct Shares {          // what add_to() sums up over the keys: kept for strips that were asked for
    std::mutex mutex;
    Eigen::ArrayXd logarithmic, distance;  // by query
    std::vector<char> known;               // by strip: as the scores are now
  };
  std::unique_ptr<Shares> shares_ = std::make_unique<Shares>();
};

}  // namespace headlight
