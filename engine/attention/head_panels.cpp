#include "engine/attention/head_panels.h"

#include <cstring>
#include <limits>

#include "engine/simd/vector_loops.h"

namespace headlight {

const float* causal_bias() {
  static const Matrix kBias = [] {
    const Index width = HeadPanels::width();
    Matrix bias = Matrix::Zero(kOpenBefore + width, width);
    for (Index key = 0; key < width; ++key)
      bias.row(kOpenBefore + key).head(key).setConstant(-std::numeric_limits<float>::infinity());
    return bias;
  }();
  return kBias.row(kOpenBefore).data();
}

const float* window_bias() {
  static const Matrix kBias = [] {
    const Index width = HeadPanels::width();
    Matrix bias = Matrix::Zero(width, width);
    for (Index row = 0; row < width; ++row)
      bias.row(row).tail(width - row - 1).setConstant(-std::numeric_limits<float>::infinity());
    return bias;
  }();
  return kBias.data();
}

Index HeadPanels::width() {
  return best_vector_loops().tile_columns;
}

Index HeadPanels::height() {
  return best_vector_loops().tile_rows;
}

void HeadPanels::reshape(Index queries, Index keys, Index d_k, Index d_v) {
  queries_ = queries;
  key_count_ = keys;
  d_k_ = d_k;
  d_v_ = d_v;
  keys_.resize((keys + height() - 1) / height() * height() * d_k + kInterleaveRoom);
  values_.resize(turned_columns() * keys);
}

void HeadPanels::take_keys(const Matrix& k, Index begin, Index end) {
  // One panel at a time: interleave() overwrites the numbers after the panel, which are saved and restored.
  for (Index row = begin / height() * height(); row < end; row += height()) {
    float* panel = keys_.data() + row * d_k_;
    float behind[kInterleaveRoom];
    std::memcpy(behind, panel + height() * d_k_, sizeof behind);
    best_vector_loops().interleave(k.row(row).data(), k.outerStride(), std::min(height(), key_count_ - row),
                                   d_k_, panel);
    std::memcpy(panel + height() * d_k_, behind, sizeof behind);
  }
}

void HeadPanels::take_values(const Matrix& v, Index begin, Index end) {
  // A zero weight times an infinite value is NaN. The flag can become true only when all values are checked.
  values_finite_ =
      (values_finite_ || end - begin == key_count_) && all_finite(v.middleRows(begin, end - begin));
  for (Index first = 0; first < d_v_; first += height()) {
    const Index there = std::min(height(), d_v_ - first);
    float* panel = values_.data() + first * key_count_;
    for (Index key = begin; key < end; ++key) {
      std::memcpy(panel + key * height(), v.row(key).data() + first,
                  static_cast<std::size_t>(there) * sizeof(float));
      std::fill(panel + key * height() + there, panel + (key + 1) * height(), 0.0f);
    }
  }
}

Scratch HeadPanels::transposed_queries(Index strip, const Matrix& q) const {
  const Index there = queries(strip);
  Scratch turned(*workspace_, d_k_ * width());
  if (there < width()) std::fill_n(turned.data(), d_k_ * width(), 0.0f);
  best_vector_loops().transpose(q.row(first_query(strip)).data(), q.outerStride(), there, d_k_, turned.data(),
                                width());
  return turned;
}

void HeadPanels::score(const float* transposed_queries, Index begin, Index end, float* scores) const {
  for (Index key = begin; key < end; key += height())
    best_vector_loops().multiply(keys_.data() + key * d_k_, transposed_queries, d_k_,
                                 {scores + (key - begin) * width(), width(), height(), width(), false});
}

void HeadPanels::weighted_sum(const float* weights, Index begin, Index count, bool add,
                              float* context) const {
  constexpr Index kKeys = 264;  // keys per step: their values and weights stay in the first-level cache
  for (Index key = 0; key < count; key += kKeys)
    for (Index column = 0; column < d_v_; column += height())
      best_vector_loops().multiply(values_.data() + column * key_count_ + (begin + key) * height(),
                                   weights + key * width(), std::min(kKeys, count - key),
                                   {context + column * width(), width(), height(), width(), add || key > 0});
}

}  // namespace headlight
