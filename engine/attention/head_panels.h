// The keys and the values of one head, copied into the order in which matrix products read them. Private to
// engine/attention.
#pragma once

#include <algorithm>

#include "engine/core/matrix.h"
#include "engine/simd/workspace.h"

namespace headlight {

// Causal bias of a strip's queries against their own keys, one row of width() numbers per key: 0 where the
// causal mask lets the query attend, else minus infinity. The kOpenBefore rows before the returned pointer
// are zeros, for the keys before the strip's own.
const float* causal_bias();
inline constexpr Index kOpenBefore = 16;
// The bias at the left edge of a window: in row r of width() numbers, queries 0 to r of the strip are 0 and
// the others minus infinity.
const float* window_bias();

class HeadPanels {
 public:
  // The workspace is that of the evaluator, and must outlive this object.
  explicit HeadPanels(Workspace& workspace) : workspace_(&workspace) {}
  Workspace& workspace() const { return *workspace_; }

  // How many queries form a strip; they are stored side by side.
  static Index width();
  static Index height();  // of a panel: how many keys, or columns of the values, it holds

  // Resizes and discards the contents.
  void reshape(Index queries, Index keys, Index d_k, Index d_v);
  Index query_count() const { return queries_; }
  Index key_count() const { return key_count_; }
  Index d_k() const { return d_k_; }
  Index d_v() const { return d_v_; }
  Index strips() const { return (queries_ + width() - 1) / width(); }
  Index first_query(Index strip) const { return strip * width(); }
  Index queries(Index strip) const { return std::min(width(), queries_ - first_query(strip)); }

  // Copies rows of keys or values; the other rows do not change.
  void take_keys(const Matrix& k, Index begin, Index end);
  void take_values(const Matrix& v, Index begin, Index end);
  bool values_finite() const { return values_finite_; }

  // The strip's queries transposed: d_k rows of width() numbers, zero-padded after the last query.
  Scratch transposed_queries(Index strip, const Matrix& q) const;
  // Their scores with keys `begin`, a multiple of height(), to `end`: one row of width() numbers per key.
  // `scores` must have space for whole panels.
  void score(const float* transposed_queries, Index begin, Index end, float* scores) const;
  // Weighted sum of the values of `count` keys from `begin` on. weights: `count` rows of width() numbers.
  // context: turned_columns() rows of width() numbers, one per column of the values; overwritten, or added to
  // if `add`.
  void weighted_sum(const float* weights, Index begin, Index count, bool add, float* context) const;
  Index turned_columns() const { return (d_v_ + height() - 1) / height() * height(); }

 private:
  Workspace* workspace_;
  Index queries_ = 0, key_count_ = 0, d_k_ = 0, d_v_ = 0;
  bool values_finite_ = true;
  Eigen::VectorXf keys_, values_;  // panel by panel
};

}  // namespace headlight
