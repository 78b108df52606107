#include "engine/attention/head_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/vector_loops.h"

namespace headlight {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// At once: their scores and weights stay in the second-level cache. Whole panels and whole blocks.
constexpr Index kKeys = 528;

using Lanes = Eigen::Array<float, 1, Eigen::Dynamic>;

// 0 where the strip's queries may attend to the key, else minus infinity.
void own_bias(const Matrix& allowed, Index first, Index there, Span keys, float* out) {
  const Index width = HeadPanels::width();
  std::fill_n(out, keys.size() * width, 0.0f);
  for (Index lane = 0; lane < there; ++lane)
    for (Index key = keys.begin; key < keys.end; ++key)
      if (allowed(first + lane, key) == 0.0f) out[(key - keys.begin) * width + lane] = -kInfinity;
}

// What rows of one strip hold, block of keys by block, turned so that a row is a query.
Matrix turned(const Matrix& by_block, Index begin, Index end) {
  Matrix rows(by_block.cols(), end - begin);
  best_vector_loops().transpose(by_block.row(begin).data(), by_block.cols(), end - begin, by_block.cols(),
                                rows.data(), rows.cols());
  return rows;
}

}  // namespace

HeadMap::Grid::Grid(Index rows, Index columns)
    : low(Matrix::Constant(rows, columns, kInfinity)), high(-low), sum(Matrix::Zero(rows, columns)) {}

struct HeadMap::Keys {
  Index begin, count;
  Index open;  // so many of them are open to all queries; of the others the bias tells
  const float *scores, *weights, *bias;
};

struct HeadMap::Survey {
  Survey(Index blocks, Index open_begin)
      : open_from(open_begin),
        all(blocks, HeadPanels::width()),
        open(blocks - open_begin, HeadPanels::width()) {
    weights.high.resize(blocks, HeadPanels::width());
    weights.sum.setZero(blocks, HeadPanels::width());
  }
  Index open_from;  // the block that the first row of `open` stands for: those before it are open to all
  Grid all, open, weights;
};

Index HeadMap::band_rows() {
  return std::max<Index>(kBlock, HeadPanels::width());
}

void HeadMap::reshape(Index tokens, Index d_k) {
  panels_.reshape(tokens, d_k);
  maxima_.setZero(panels_.strips() * HeadPanels::width());
  sums_.setZero(maxima_.size());
  least_weights_.setConstant(maxima_.size(), kInfinity);
  const Index side = (tokens + kBlock - 1) / kBlock;
  for (Grid* grid : {&all_, &open_, &weights_})
    *grid = Grid(side, side);
  weights_.low.resize(0, 0);
  surveyed_.assign(static_cast<std::size_t>(bands()), 0);
}

Index HeadMap::open_from(Index line, const StripRules& rules) const {
  if (rules.allowed) return 0;
  const Index width = HeadPanels::width();
  return rules.causal ? line * kBlock / width * width / kBlock : all_.sum.cols();
}

void HeadMap::survey(Index band, const Matrix& q, const StripRules& rules, MatrixOut context) {
  const Index strips = band_rows() / HeadPanels::width();
  for (Index strip = band * strips; strip < std::min((band + 1) * strips, panels_.strips()); ++strip)
    survey_strip(strip, q, rules, context);
  surveyed_[static_cast<std::size_t>(band)] = 1;
}

// One pass over the keys that the strip's queries may attend to.
void HeadMap::survey_strip(Index strip, const Matrix& q, const StripRules& rules, MatrixOut context) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), first = panels_.first_query(strip), there = panels_.queries(strip);
  const Index tokens = panels_.tokens(), keys = rules.causal ? std::min(first + width, tokens) : tokens;
  const Index blocks = (keys + kBlock - 1) / kBlock;
  Survey survey(blocks, std::min(open_from(first / kBlock, rules), blocks));
  Matrix references((keys + kKeys - 1) / kKeys, width);

  thread_local std::vector<float> kept_scores, kept_weights, kept_bias, kept_context;
  float* scores = scratch(kept_scores, (kKeys + HeadPanels::height()) * width);
  float* weights = scratch(kept_weights, kKeys * width);
  float* context_turned = scratch(kept_context, panels_.turned_columns() * width);
  const float* queries = panels_.turned_queries(strip, q);
  Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> mixed(
      context_turned, panels_.turned_columns(), width);
  Lanes maxima = Lanes::Constant(width, -kInfinity), reference = Lanes::Zero(width);
  Eigen::Array<double, 1, Eigen::Dynamic> sums = decltype(sums)::Zero(width);
  for (Index begin = 0; begin < keys; begin += kKeys) {
    const Index count = std::min(kKeys, keys - begin);
    panels_.score(queries, begin, begin + count, scores);
    // The first keys are open to all; of the others the bias tells.
    Index open = count;
    const float* bias = nullptr;
    if (rules.allowed) {
      float* own = scratch(kept_bias, kKeys * width);
      own_bias(*rules.allowed, first, there, {begin, begin + count}, own);
      bias = own;
      open = 0;
    } else if (rules.causal && begin + count > first) {
      open = std::max<Index>(0, first - begin);
      bias = causal_bias() + (begin + open - first) * width;
    }
    const float* masked_scores = scores + open * width;
    loops.strip_maximum(scores, open, rules.factor, nullptr, maxima.data());
    loops.strip_maximum(masked_scores, count - open, rules.factor, bias, maxima.data());
    const Lanes moved = (maxima == -kInfinity).select(0.0f, maxima);
    if (begin > 0 && (moved != reference).any()) {
      const Lanes less = (reference - moved).exp();
      mixed.rowwise() *= less;
      sums *= less.cast<double>();
    }
    reference = moved;
    references.row(begin / kKeys) = reference;
    loops.strip_exponentials(scores, open, rules.factor, nullptr, reference.data(), weights, sums.data());
    loops.strip_exponentials(masked_scores, count - open, rules.factor, bias, reference.data(),
                             weights + open * width, sums.data());
    panels_.mix(weights, begin, count, begin > 0, context_turned);
    survey_keys({begin, count, open, scores, weights, bias}, survey);
  }
  maxima_.segment(first, width) = reference.transpose();
  sums_.segment(first, width) = (sums > 0.0).select(sums, 1.0).cast<float>().transpose();
  mixed.rowwise() /= sums_.segment(first, width).transpose();
  loops.transpose(context_turned, width, panels_.d_k(), there, context.row(first).data(),
                  context.outerStride());
  weigh_blocks(strip, rules, references, survey);
  enter(strip, survey.all, 0, {0, blocks}, all_);
  enter(strip, survey.open, survey.open_from, {survey.open_from, blocks}, open_);
  enter(strip, survey.weights, 0, {0, blocks}, weights_);
}

void HeadMap::survey_keys(const Keys& keys, Survey& survey) const {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width();
  for (Index at = 0; at < keys.count; at += kBlock) {
    const Index block = (keys.begin + at) / kBlock, count = std::min(kBlock, keys.count - at);
    const float* scores = keys.scores + at * width;
    loops.strip_ends(scores, count, 1.0f, nullptr, survey.all.low.row(block).data(),
                     survey.all.high.row(block).data());
    loops.strip_sum(scores, count, survey.all.sum.row(block).data());
    loops.strip_sum(keys.weights + at * width, count, survey.weights.sum.row(block).data());
    if (block < survey.open_from) continue;
    const Index open = std::clamp<Index>(keys.open - at, 0, count);
    const Index own = block - survey.open_from;
    float *low = survey.open.low.row(own).data(), *high = survey.open.high.row(own).data();
    loops.strip_ends(scores, open, 1.0f, nullptr, low, high);
    loops.strip_sum(scores, open, survey.open.sum.row(own).data());
    if (open == count) continue;
    const float* bias = keys.bias + (at + open - keys.open) * width;
    loops.strip_ends(scores + open * width, count - open, 1.0f, bias, low, high);
    for (Index key = 0; key < count - open; ++key)
      for (Index lane = 0; lane < width; ++lane)
        if (bias[key * width + lane] == 0.0f)
          survey.open.sum(own, lane) += scores[(open + key) * width + lane];
  }
}

// Weights from scores, and from exponentials that were taken below earlier maxima.
void HeadMap::weigh_blocks(Index strip, const StripRules& rules, const Matrix& references, Survey& survey) {
  const Index width = HeadPanels::width(), first = panels_.first_query(strip);
  const Index blocks = survey.all.sum.rows(), open = survey.open_from;
  const Lanes maxima = maxima_.segment(first, width).transpose(),
              sums = sums_.segment(first, width).transpose();
  const auto scaled_ends = [&](bool high) {
    const bool turns = rules.factor < 0;  // the largest score is then the least scaled one
    Matrix ends(blocks, width);
    ends.topRows(open) = (high != turns ? survey.all.high : survey.all.low).topRows(open);
    ends.bottomRows(blocks - open) = high != turns ? survey.open.high : survey.open.low;
    if (rules.factor > 0) return Matrix(ends * rules.factor);
    // No score at all stays what it was, whatever the factor is.
    const float none = high ? -kInfinity : kInfinity;
    return Matrix(ends.unaryExpr([&](float end) { return std::isinf(end) ? none : end * rules.factor; }));
  };
  const Matrix high = scaled_ends(true), low = scaled_ends(false);
  best_vector_loops().strip_weights(high.data(), blocks, 1.0f, nullptr, maxima.data(), sums.data(),
                                    -kInfinity, survey.weights.high.data());
  const Lanes lowest = low.colwise().minCoeff();
  least_weights_.segment(first, width) =
      (lowest == kInfinity).select(kInfinity, (lowest - maxima).exp() / sums).transpose();
  const Index together = kKeys / kBlock;
  for (Index block = 0; block < blocks; block += together)
    survey.weights.sum.middleRows(block, std::min(together, blocks - block)).array().rowwise() *=
        (references.row(block / together).array() - maxima).exp() / sums;
}

void HeadMap::enter(Index strip, const Grid& pooled, Index first_block, Span blocks, Grid& grid) const {
  if (blocks.size() == 0) return;
  const Index begin = blocks.begin - first_block, end = blocks.end - first_block;
  const bool has_low = pooled.low.size() > 0;
  const Matrix lows = has_low ? turned(pooled.low, begin, end) : Matrix();
  const Matrix highs = turned(pooled.high, begin, end), sums = turned(pooled.sum, begin, end);
  for (Index lane = 0; lane < panels_.queries(strip); ++lane) {
    const Index row = (panels_.first_query(strip) + lane) / kBlock;
    auto high = grid.high.row(row).segment(blocks.begin, blocks.size());
    if (has_low) {
      auto low = grid.low.row(row).segment(blocks.begin, blocks.size());
      low = low.cwiseMin(lows.row(lane));
    }
    high = high.cwiseMax(highs.row(lane));
    grid.sum.row(row).segment(blocks.begin, blocks.size()) += sums.row(lane);
  }
}

void HeadMap::survey_future(Index band, const Matrix& q) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), tokens = panels_.tokens(), height = HeadPanels::height();
  const Index strips = band_rows() / width;
  thread_local std::vector<float> kept_scores;
  float* scores = scratch(kept_scores, (kKeys + 2 * height) * width);
  for (Index strip = band * strips; strip < std::min((band + 1) * strips, panels_.strips()); ++strip) {
    const Index begin = std::min(panels_.first_query(strip) + width, tokens), from = begin / kBlock;
    const Index blocks = (tokens + kBlock - 1) / kBlock;
    Grid ends(blocks - from, width);
    const float* queries = panels_.turned_queries(strip, q);
    for (Index first = begin; first < tokens;) {
      const Index end = std::min(tokens, (first / kKeys + 1) * kKeys), panel = first / height * height;
      panels_.score(queries, panel, end, scores);
      while (first < end) {
        const Index block = first / kBlock, until = std::min(end, (block + 1) * kBlock);
        const float* here = scores + (first - panel) * width;
        loops.strip_ends(here, until - first, 1.0f, nullptr, ends.low.row(block - from).data(),
                         ends.high.row(block - from).data());
        loops.strip_sum(here, until - first, ends.sum.row(block - from).data());
        first = until;
      }
    }
    enter(strip, ends, from, {from, blocks}, all_);
  }
}

}  // namespace headlight
