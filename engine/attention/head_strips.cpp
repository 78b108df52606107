#include "engine/attention/head_strips.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "engine/attention/infinity.h"
#include "engine/attention/kernels.h"
#include "engine/simd/product.h"
#include "engine/simd/vector_loops.h"

namespace headlight {

MaskStrips::MaskStrips(const Matrix& allowed)
    : open_by_row_(allowed.rows()),
      strips_((allowed.rows() + HeadStrips::width() - 1) / HeadStrips::width(),
              allowed.cols() * HeadStrips::width()) {
  strips_.setZero();  // including the padding after the last query, whose sums must stay finite
  take_rows(allowed, 0, allowed.rows());
}

void MaskStrips::take_rows(const Matrix& allowed, Index begin, Index end) {
  const Index width = HeadStrips::width();
  for (Index row = begin; row < end; ++row) {
    float* at = strips_.row(row / width).data() + row % width;
    for (Index key = 0; key < allowed.cols(); ++key)
      at[key * width] = allowed(row, key) != 0.0f ? 0.0f : -kInfinity;
    open_by_row_(row) = (allowed.row(row).array() != 0.0f).count();
  }
}

void HeadStrips::reshape(Index queries, Index keys, Index d_k, Index d_v, const KeyBand& band) {
  const Index height = HeadPanels::height();
  panels_.reshape(queries, keys, d_k, d_v);
  band_ = band;
  const Index span = band.to - band.from;
  edges_.resize(0, 0);
  if (span < width()) {
    edges_.setConstant(span + width() - 1, width(), -kInfinity);
    for (Index row = 0; row < edges_.rows(); ++row)
      for (Index lane = std::max<Index>(0, row - span + 1); lane <= std::min(row, width() - 1); ++lane)
        edges_(row, lane) = 0;
  }
  Index most = 0;
  for (Index strip = 0; strip < count(); ++strip)
    most = std::max(most, open_keys(strip).end - first_stored(strip));
  scores_.resize(count(), (most + height - 1) / height * height * width());
  maxima_.setZero(count() * width());
  sums_.setZero(maxima_.size());
  largest_sums_.setZero(maxima_.size());
  drifts_.setZero(maxima_.size());
  shares_->logarithmic.setZero(maxima_.size());
  shares_->distance.setZero(maxima_.size());
  shares_->known.assign(static_cast<std::size_t>(count()), 0);
  forget_pools();
}

void HeadStrips::score(Index strip, const Matrix& q) {
  const Index begin = first_stored(strip), end = open_keys(strip).end;
  if (begin < end)
    panels_.score(panels_.transposed_queries(strip, q).data(), begin, end, scores(strip, begin));
  note_moved(strip, {0, panels_.key_count()});
}

std::array<HeadStrips::Part, 3> HeadStrips::parts(Index strip, const StripRules& rules) const {
  const Span open = open_keys(strip);
  if (rules.mask) return {Part{open.begin, open.size(), rules.mask->strip(strip) + open.begin * width()}};
  const Index first = first_query(strip);
  if (edges_.size() > 0)
    return {Part{open.begin, open.size(), edges_.data() + (open.begin - first - band_.from) * width()}};
  // Keys between the edges are open to every query of the strip.
  const Index left = first + width() - 1 + band_.from, right = first + band_.to - 1;
  const Index begin = std::clamp(left, open.begin, open.end), end = std::clamp(right, begin, open.end);
  Part at_left = {open.begin, begin - open.begin, nullptr}, at_right = {end, open.end - end, nullptr};
  if (at_left.count > 0) at_left.bias = window_bias() + (open.begin - first - band_.from) * width();
  if (at_right.count > 0) at_right.bias = causal_bias() + (end - right) * width();
  return {at_left, Part{begin, end - begin, nullptr}, at_right};
}

HeadStrips::Part HeadStrips::part_of(Index strip, Index key, const StripRules& rules) const {
  for (const Part& part : parts(strip, rules))
    if (key >= part.begin && key < part.begin + part.count)
      return {key, 1, part.bias ? part.bias + (key - part.begin) * width() : nullptr};
  return {};
}

void HeadStrips::exponentials(Index strip, const StripRules& rules, float* out, double* sums) const {
  const Index begin = open_keys(strip).begin;
  for (const Part& part : parts(strip, rules))
    if (part.count > 0)
      best_vector_loops().strip_exponentials(scores(strip, part.begin), part.count, rules.factor, part.bias,
                                             maxima_.data() + first_query(strip),
                                             out + (part.begin - begin) * width(), sums, nullptr);
}

void HeadStrips::softmax_strip(Index strip, const StripRules& rules, MatrixOut context) {
  const VectorLoops& loops = best_vector_loops();
  const Index across = width(), first = first_query(strip), there = panels_.queries(strip);
  const Span open = open_keys(strip);
  float* maxima = maxima_.data() + first;
  std::fill_n(maxima, across, -kInfinity);
  for (const Part& part : parts(strip, rules))
    if (part.count > 0)
      loops.strip_maximum(scores(strip, part.begin), part.count, rules.factor, part.bias, maxima);
  std::replace(maxima, maxima + across, -kInfinity, 0.0f);

  Scratch stored_weights(panels_.workspace(), open.size() * across);
  float* weights = stored_weights.data();
  auto sums = sums_.segment(first, across);
  sums.setZero();
  exponentials(strip, rules, weights, sums.data());
  largest_sums_.segment(first, across) = sums;
  drifts_.segment(first, across).setZero();
  shares_->known[static_cast<std::size_t>(strip)] = 0;
  if (rules.noise && open.size() > 0) {
    Scratch stored_noise(panels_.workspace(), open.size() * across);
    float* noise = stored_noise.data();
    loops.transpose(rules.noise->row(first).data() + open.begin, rules.noise->outerStride(), there,
                    open.size(), noise, across);
    Eigen::Map<Eigen::ArrayXf>(weights, open.size() * across) *=
        Eigen::Map<Eigen::ArrayXf>(noise, open.size() * across);
  }

  if (open.size() == 0) {
    context.middleRows(first, there).setZero();
    return;
  }
  Scratch stored_context(panels_.workspace(), panels_.turned_columns() * across);
  float* turned = stored_context.data();
  panels_.weighted_sum(weights, open.begin, open.size(), false, turned);
  using Strip = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Strip>(turned, panels_.d_v(), across).rowwise() /= divisors(strip).transpose();
  loops.transpose(turned, across, panels_.d_v(), there, context.row(first).data(), context.outerStride());
}

// What a changed key subtracts from its queries and what it adds, by query.
struct HeadStrips::Exchange {
  explicit Exchange(Index across)
      : numbers(3 * across), before(numbers.data()), after(before + across), highest(after + across) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Eigen::ArrayXf numbers;
  float *before, *after;   // the key's exponentials with its old and its new score
  float* highest;          // the maximum including the new score
  Eigen::ArrayXd sums;     // with the new exponential in place of the old one
  Eigen::ArrayXd largest;  // as largest_sums_, including these sums
};

// NOLINTNEXTLINE(readability-function-size): one formula in cases that share their sums
bool HeadStrips::move_key(Index strip, const MovedKey& moved, const StripRules& rules, MatrixOut context) {
  const Index across = width(), first = first_query(strip);
  const Part part = part_of(strip, moved.key, rules);
  if (part.count == 0) return true;
  const bool shared = shares_->known[static_cast<std::size_t>(strip)] != 0;
  Eigen::ArrayXd gone_logarithmic = Eigen::ArrayXd::Zero(across), gone_distance = gone_logarithmic;
  if (shared) add_shares(strip, part, rules, gone_logarithmic, gone_distance);
  Exchange exchange(across);
  if (!exchange_key(strip, moved, part, rules.factor, exchange)) return false;
  const bool accurate = exchange_values(strip, moved, exchange, rules.noise, context);
  sums_.segment(first, across) = exchange.sums;
  largest_sums_.segment(first, across) = exchange.largest;
  if (shared) {
    Eigen::ArrayXd logarithmic = shares_->logarithmic.segment(first, across) - gone_logarithmic;
    Eigen::ArrayXd distance = shares_->distance.segment(first, across) - gone_distance;
    add_shares(strip, part, rules, logarithmic, distance);
    shares_->logarithmic.segment(first, across) = logarithmic;
    shares_->distance.segment(first, across) = distance;
  }
  return accurate;
}

bool HeadStrips::exchange_key(Index strip, const MovedKey& moved, const Part& part, float factor,
                              Exchange& exchange) {
  constexpr float kMostAbove = 2;       // how far a new score may exceed the row's maximum
  constexpr double kLeastLeft = 0.125;  // the share of a row's largest sum that must remain
  const VectorLoops& loops = best_vector_loops();
  const Index across = width(), first = first_query(strip);
  float* at = scores(strip, moved.key);
  const float* maxima = maxima_.data() + first;
  Eigen::ArrayXd gone = Eigen::ArrayXd::Zero(across), come = gone;
  loops.strip_exponentials(at, 1, factor, part.bias, maxima, exchange.before, gone.data(), nullptr);
  // Uses the product that computes whole strips, so that the bits are the same: scores the key's panel and
  // copies one row of it.
  const Index panel = moved.key / HeadPanels::height() * HeadPanels::height();
  Scratch scored(panels_.workspace(), HeadPanels::height() * across);
  panels_.score(panels_.transposed_queries(strip, moved.q).data(), panel, moved.key + 1, scored.data());
  std::copy_n(scored.data() + (moved.key - panel) * across, across, at);
  loops.strip_exponentials(at, 1, factor, part.bias, maxima, exchange.after, come.data(), nullptr);
  std::copy_n(maxima, across, exchange.highest);
  loops.strip_maximum(at, 1, factor, part.bias, exchange.highest);
  exchange.sums = sums_.segment(first, across) + (come - gone);
  exchange.largest = largest_sums_.segment(first, across).max(exchange.sums);
  for (Index lane = 0; lane < panels_.queries(strip); ++lane)
    if (!(exchange.highest[lane] <= maxima[lane] + kMostAbove) ||
        !(exchange.sums(lane) >= kLeastLeft * exchange.largest(lane)))
      return false;
  return true;
}

bool HeadStrips::exchange_values(Index strip, const MovedKey& moved, const Exchange& exchange,
                                 const Matrix* noise, MatrixOut context) {
  constexpr float kRounding = 6e-8f, kMostDrift = 5e-6f;  // relative to a row's largest number
  const Index first = first_query(strip);
  const auto value = moved.v.row(moved.key);
  const float value_size = value.cwiseAbs().maxCoeff(),
              size_before = moved.value_before.cwiseAbs().maxCoeff();
  bool accurate = true;
  for (Index lane = 0; lane < panels_.queries(strip); ++lane) {
    const double sum = exchange.sums(lane);
    if (sum == 0) continue;
    const auto share = static_cast<float>(1 / sum) * (noise ? (*noise)(first + lane, moved.key) : 1.0f);
    const auto kept = static_cast<float>(sums_(first + lane) / sum);
    const float come_share = exchange.after[lane] * share, gone_share = exchange.before[lane] * share;
    auto row = context.row(first + lane);
    row = row * kept + value * come_share - moved.value_before * gone_share;
    // Bound of the rounding error that this update leaves in the row, for its three terms.
    const float size = row.cwiseAbs().maxCoeff(),
                rounded = value_size * come_share + size_before * gone_share;
    float& drift = drifts_(first + lane);
    drift = drift * kept + kRounding * (size + 2 * rounded);
    accurate &= drift <= kMostDrift * size;
  }
  return accurate;
}

void HeadStrips::read_scaled(Index strip, float factor, const Matrix& q, const Matrix& k,
                             MatrixOut rows) const {
  const VectorLoops& loops = best_vector_loops();
  const Span open = open_keys(strip);
  const Index behind = panels_.key_count() - open.end;
  if (open.size() > 0)
    loops.transpose(scores(strip, open.begin), width(), open.size(), rows.rows(), rows.data() + open.begin,
                    rows.outerStride());
  const auto queries = q.middleRows(first_query(strip), rows.rows());
  if (open.begin > 0)
    multiply_transposed(queries, k.topRows(open.begin), rows.leftCols(open.begin), panels_.workspace());
  if (behind > 0)
    multiply_transposed(queries, k.bottomRows(behind), rows.rightCols(behind), panels_.workspace());
  if (factor != 1.0f) scale(rows, factor, rows);
}

Eigen::ArrayXf HeadStrips::divisors(Index strip) const {
  const auto sums = sums_.segment(first_query(strip), width());
  return (sums > 0.0).select(sums, 1.0).cast<float>();
}

void HeadStrips::read_weights(Index strip, const StripRules& rules, MatrixOut rows) const {
  const VectorLoops& loops = best_vector_loops();
  const Index across = width();
  const Span open = open_keys(strip);
  Scratch stored_weights(panels_.workspace(), open.size() * across);
  float* weights = stored_weights.data();
  const Eigen::ArrayXf divisor = divisors(strip);
  for (const Part& part : parts(strip, rules))
    if (part.count > 0)
      loops.strip_weights(scores(strip, part.begin), part.count, rules.factor, part.bias,
                          maxima_.data() + first_query(strip), divisor.data(), 0.0f,
                          weights + (part.begin - open.begin) * across);
  if (open.size() > 0)
    loops.transpose(weights, across, open.size(), rows.rows(), rows.data() + open.begin, rows.outerStride());
  rows.leftCols(open.begin).setZero();
  rows.rightCols(panels_.key_count() - open.end).setZero();
}

void HeadStrips::read(Stage stage, Index strip, const Matrix& q, const Matrix& k, const StripRules& rules,
                      MatrixOut rows) const {
  const Index first = first_query(strip);
  // Without `default`: the compiler warns of a stage that is missing here.
  switch (stage) {
    case Stage::Scores:
      read_scaled(strip, 1.0f, q, k, rows);
      return;
    case Stage::Scaled:
      read_scaled(strip, rules.factor, q, k, rows);
      return;
    case Stage::Masked:
      read_scaled(strip, rules.factor, q, k, rows);
      mask_rows(rules, first, {0, panels_.key_count()}, -kInfinity, rows);
      return;
    case Stage::Weights:
      read_weights(strip, rules, rows);
      return;
    case Stage::Dropped:
      read_weights(strip, rules, rows);
      if (rules.noise) drop(rows, rules.noise->middleRows(first, rows.rows()), rows);
      return;
    case Stage::Capped:  // storage_choice.cpp stores these two as matrices
    case Stage::Biased:
    case Stage::Embeddings:
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Values:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Context:
    case Stage::Concat:
    case Stage::Output:
      break;
  }
  assert(false);
}

std::shared_ptr<const StripPool> HeadStrips::pool(const PoolRequest& request, StripPools::Along along,
                                                  const Matrix& q, const StripRules& rules) const {
  return pools_->get(
      request, along, {panels_.query_count(), panels_.key_count()}, count(), width(),
      [&](Index strip, Span blocks, StripPool& pool) { pool_blocks(strip, blocks, q, rules, pool); });
}

void HeadStrips::pool_blocks(Index strip, Span blocks, const Matrix& q, const StripRules& rules,
                             StripPool& pool) const {
  if (blocks.size() == 0) return;
  const VectorLoops& loops = best_vector_loops();
  const auto block = [&](Index i) { return pool.blocks[static_cast<std::size_t>(i)]; };
  pool.low.middleRows(pool.row(strip, blocks.begin), blocks.size()).setConstant(kInfinity);
  pool.high.middleRows(pool.row(strip, blocks.begin), blocks.size()).setConstant(-kInfinity);
  // `at`: the scores of the keys from part.begin on.
  const auto add = [&](const Part& part, const float* at) {
    for (Index i = blocks.begin; i < blocks.end; ++i) {
      const Index begin = std::max(part.begin, block(i).begin);
      const Index end = std::min(part.begin + part.count, block(i).end);
      if (begin >= end) continue;
      const Index from = (begin - part.begin) * width(), row = pool.row(strip, i);
      loops.strip_ends(at + from, end - begin, part.bias ? part.bias + from : nullptr,
                       pool.low.row(row).data(), pool.high.row(row).data());
    }
  };
  if (pool.request.masked) {
    for (const Part& part : parts(strip, rules))
      if (part.count > 0) add(part, scores(strip, part.begin));
    return;
  }
  const Span open = open_keys(strip);
  if (open.size() > 0) add({open.begin, open.size(), nullptr}, scores(strip, open.begin));
  // Scores that the mask hides are not stored: recompute them.
  const Index wanted = block(blocks.begin).begin, end = block(blocks.end - 1).end;
  const auto add_hidden = [&](Index from, Index to) {
    if (from >= to) return;
    const Index panel = from / HeadPanels::height() * HeadPanels::height();
    Scratch hidden(panels_.workspace(), (to - panel + HeadPanels::height()) * width());
    panels_.score(panels_.transposed_queries(strip, q).data(), panel, to, hidden.data());
    add({from, to - from, nullptr}, hidden.data() + (from - panel) * width());
  };
  add_hidden(wanted, std::min(open.begin, end));
  add_hidden(std::max(open.end, wanted), end);
}

void HeadStrips::softmax_rows(Index strip, Index rows, float* scaled) const {
  const Eigen::ArrayXf divisor = divisors(strip);
  best_vector_loops().strip_weights(scaled, rows, 1.0f, nullptr, maxima_.data() + first_query(strip),
                                    divisor.data(), -kInfinity, scaled);
}

void HeadStrips::add_shares(Index strip, const Part& part, const StripRules& rules,
                            Eigen::ArrayXd& logarithmic, Eigen::ArrayXd& distance) const {
  const Index first = first_query(strip);
  if (part.count == 0) return;
  best_vector_loops().strip_shares(
      scores(strip, part.begin), part.count, rules.factor, part.bias, maxima_.data() + first,
      static_cast<float>(first + rules.offset - part.begin), logarithmic.data(), distance.data());
}

void HeadStrips::add_to(HeadSums& sums, Index strip, const StripRules& rules) const {
  const Index across = width(), first = first_query(strip);
  Eigen::ArrayXd logarithmic = Eigen::ArrayXd::Zero(across), distance = logarithmic;
  {
    const std::lock_guard lock(shares_->mutex);
    char& known = shares_->known[static_cast<std::size_t>(strip)];
    if (known) {
      logarithmic = shares_->logarithmic.segment(first, across);
      distance = shares_->distance.segment(first, across);
    } else {
      for (const Part& part : parts(strip, rules))
        add_shares(strip, part, rules, logarithmic, distance);
      shares_->logarithmic.segment(first, across) = logarithmic;
      shares_->distance.segment(first, across) = distance;
      known = 1;
    }
  }
  Eigen::ArrayXf weights = Eigen::ArrayXf::Zero(across);
  if (const Part of_first = part_of(strip, 0, rules); of_first.count > 0) {
    weights = Eigen::Map<const Eigen::ArrayXf>(scores(strip, 0), across) * rules.factor;
    if (of_first.bias) weights += Eigen::Map<const Eigen::ArrayXf>(of_first.bias, across);
    softmax_rows(strip, 1, weights.data());
  }
  for (Index lane = 0; lane < panels_.queries(strip); ++lane)
    sums.add_row(first + rules.offset + lane, sums_(first + lane), logarithmic(lane), distance(lane),
                 weights(lane));
}

bool HeadStrips::finite() const {
  return panels_.values_finite() && (sums_ - sums_ == 0.0).all() && (maxima_ - maxima_ == 0.0f).all();
}

}  // namespace headlight
