// The keys and the values of one head, copied in the order that products with them read. Private to
// engine/keeping.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// Numbers kept by the thread: so large a piece of memory would be asked of the system for each strip.
inline float* scratch(std::vector<float>& kept, Index count) {
  if (kept.size() < static_cast<std::size_t>(count)) kept.resize(static_cast<std::size_t>(count));
  return kept.data();
}

// Of the square of a strip's own queries and their keys, key by key: 0 where the causal mask lets a query
// attend, else minus infinity. Before it stand zeros, those of the kOpenBefore keys before the strip's own.
const float* causal_bias();
inline constexpr Index kOpenBefore = 16;
// The same at the other edge of a window: row r of width() numbers is 0 up to the query number r of the
// strip.
const float* window_bias();

class HeadPanels {
 public:
  // Queries are taken so many at a time, side by side: a strip.
  static Index width();
  static Index height();  // of a panel: so many keys, or columns of the values

  // Makes room; what was kept is gone.
  void reshape(Index queries, Index keys, Index d_k, Index d_v);
  Index query_count() const { return queries_; }
  Index key_count() const { return key_count_; }
  Index d_k() const { return d_k_; }
  Index d_v() const { return d_v_; }
  Index strips() const { return (queries_ + width() - 1) / width(); }
  Index first_query(Index strip) const { return strip * width(); }
  Index queries(Index strip) const { return std::min(width(), queries_ - first_query(strip)); }

  // Rows of keys or values; the others stay.
  void take_keys(const Matrix& k, Index begin, Index end);
  void take_values(const Matrix& v, Index begin, Index end);
  bool values_finite() const { return values_finite_; }

  // The strip's queries turned over, d_k rows of width() numbers, with zeros behind the last query. Into
  // `kept`, or where the thread keeps the last ones.
  const float* turned_queries(Index strip, const Matrix& q, std::vector<float>& kept) const;
  const float* turned_queries(Index strip, const Matrix& q) const;
  // Their scores with the keys from `begin`, a multiple of height(), to `end`: key by key, width() numbers
  // each. Room for whole panels.
  void score(const float* turned_queries, Index begin, Index end, float* scores) const;
  // context + weights times the values of the keys from `begin` on. weights: `count` rows of width() numbers;
  // context: turned_columns() rows of width() numbers, one for each column of the values; anew or added.
  void mix(const float* weights, Index begin, Index count, bool add, float* context) const;
  Index turned_columns() const { return (d_v_ + height() - 1) / height() * height(); }

 private:
  Index queries_ = 0, key_count_ = 0, d_k_ = 0, d_v_ = 0;
  bool values_finite_ = true;
  Eigen::VectorXf keys_, values_;  // panel by panel
};

}  // namespace headlight
