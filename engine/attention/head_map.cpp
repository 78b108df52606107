#include "engine/attention/head_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/infinity.h"
#include "engine/core/parallel.h"
#include "engine/simd/vector_loops.h"

namespace headlight {
namespace {

// Keys per step: their scores and weights stay in the second-level cache. A multiple of the panel height for
// every instruction set, and of the block size.
constexpr Index kKeys = 1056;

using Lanes = Eigen::Array<float, 1, Eigen::Dynamic>;
using Strips = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// 0 where the strip's queries may attend to the key, else minus infinity.
void own_bias(const Matrix& allowed, Index first, Index there, Span keys, float* out) {
  const Index width = HeadPanels::width();
  std::fill_n(out, keys.size() * width, 0.0f);
  for (Index lane = 0; lane < there; ++lane)
    for (Index key = keys.begin; key < keys.end; ++key)
      if (allowed(first + lane, key) == 0.0f) out[(key - keys.begin) * width + lane] = -kInfinity;
}

// The factor from pooled scores to scaled ones. Never 0, which would turn the infinite bounds of an empty
// block into NaN: the smallest positive number is used instead.
float pooled_factor(const StripRules& rules) {
  return rules.factor == 0.0f ? std::numeric_limits<float>::min() : rules.factor;
}

}  // namespace

// width() numbers for each block; `low` may be null.
struct HeadMap::Pooled {
  const float *low, *high, *sum;
  Pooled from(Index block) const {
    const Index at = block * HeadPanels::width();
    return {low ? low + at : nullptr, high + at, sum + at};
  }
};

struct HeadMap::Survey {
  explicit Survey(Workspace& workspace)
      : queries(workspace),
        context(workspace),
        largest(workspace),
        weights(workspace),
        references(workspace) {}

  Index strip = 0, keys = 0;  // how many keys its queries may attend to
  Scratch queries, context;
  Lanes maxima, reference;  // running maxima; the value that is subtracted in the exponents
  Lanes lowest;             // negated smallest scaled score
  Eigen::Array<double, 1, Eigen::Dynamic> sums;
  // By block of keys. largest: the bound of the scores that becomes the largest scaled score. weights: the
  // sum of the exponentials.
  Scratch largest, weights;
  Scratch references;  // the `reference` of each step of kKeys keys
};

Index HeadMap::band_rows() {
  constexpr Index kRows = 64;
  return std::max<Index>(kRows, HeadPanels::width());
}

void HeadMap::reshape(Index tokens, Index d_k, Index d_v) {
  panels_.reshape(tokens, tokens, d_k, d_v);
  maxima_.setZero(panels_.strips() * HeadPanels::width());
  sums_.setZero(maxima_.size());
  const Index side = (tokens + kBlock - 1) / kBlock;
  for (Grid* grid : {&all_, &open_, &weights_}) {
    if (grid != &weights_) grid->low.resize(side, side);
    grid->high.resize(side, side);
    grid->sum.resize(side, side);
  }
  surveyed_.assign(static_cast<std::size_t>(bands()), 0);
  ranges_.resize(surveyed_.size());
}

Span HeadMap::band_lines(Index band) const {
  const Index lines = band_rows() / kBlock;
  return {band * lines, std::min((band + 1) * lines, all_.high.rows())};
}

void HeadMap::clear_band(Index band) {
  const Span lines = band_lines(band);
  for (Grid* grid : {&all_, &open_, &weights_}) {
    if (grid != &weights_) grid->low.middleRows(lines.begin, lines.size()).setConstant(kInfinity);
    grid->high.middleRows(lines.begin, lines.size()).setConstant(-kInfinity);
    grid->sum.middleRows(lines.begin, lines.size()).setZero();
  }
}

void HeadMap::note_scores(Index band) {
  const Span lines = band_lines(band);
  BandRange& range = ranges_[static_cast<std::size_t>(band)];
  range.low = all_.low.middleRows(lines.begin, lines.size()).minCoeff();
  range.high = all_.high.middleRows(lines.begin, lines.size()).maxCoeff();
}

void HeadMap::note_open(Index band, const StripRules& rules) {
  const Span lines = band_lines(band);
  BandRange& range = ranges_[static_cast<std::size_t>(band)];
  range.largest_weight = weights_.high.middleRows(lines.begin, lines.size()).maxCoeff();
  range.open_low = kInfinity;
  range.open_high = -kInfinity;
  for (Index line = lines.begin; line < lines.end; ++line) {
    const Index own = std::min(open_from(line, rules), all_.high.cols()), rest = all_.high.cols() - own;
    const auto widen = [&range](const auto& low, const auto& high) {
      if (low.size() == 0) return;
      range.open_low = std::min(range.open_low, low.minCoeff());
      range.open_high = std::max(range.open_high, high.maxCoeff());
    };
    widen(all_.low.row(line).head(own), all_.high.row(line).head(own));
    widen(open_.low.row(line).tail(rest), open_.high.row(line).tail(rest));
  }
  range.masked = 0;
  if (rules.allowed)
    for (Index row = lines.begin * kBlock; row < std::min(lines.end * kBlock, panels_.key_count()); ++row)
      range.masked += (rules.allowed->row(row).array() == 0.0f).count();
}

Index HeadMap::open_from(Index line, const StripRules& rules) const {
  if (rules.allowed) return 0;
  const Index width = HeadPanels::width();
  return rules.causal() ? line * kBlock / width * width / kBlock : all_.sum.cols();
}

void HeadMap::survey(Index band, const Matrix& q, const StripRules& rules, MatrixOut context) {
  const Index strips = band_rows() / HeadPanels::width(), first = band * strips;
  const Index count = std::min(strips, panels_.strips() - first);
  std::vector<Survey> surveys;
  for (Index i = 0; i < count; ++i)
    surveys.emplace_back(panels_.workspace());
  clear_band(band);
  Index most_keys = 0;
  for (Index i = 0; i < count; ++i) {
    Survey& survey = surveys[static_cast<std::size_t>(i)];
    begin_survey(first + i, q, rules, survey);
    most_keys = std::max(most_keys, survey.keys);
  }
  for (Index begin = 0; begin < most_keys; begin += kKeys)
    for (Index i = 0; i < count; ++i) {
      Survey& survey = surveys[static_cast<std::size_t>(i)];
      if (begin < survey.keys) survey_keys({begin, std::min(begin + kKeys, survey.keys)}, rules, survey);
    }
  float& least_weight = ranges_[static_cast<std::size_t>(band)].least_weight;
  least_weight = kInfinity;
  for (Index i = 0; i < count; ++i) {
    const float least = end_survey(rules, surveys[static_cast<std::size_t>(i)], context);
    least_weight = std::min(least_weight, least);
  }
  note_scores(band);
  note_open(band, rules);
  surveyed_[static_cast<std::size_t>(band)] = 1;
}

void HeadMap::begin_survey(Index strip, const Matrix& q, const StripRules& rules, Survey& survey) const {
  const Index width = HeadPanels::width(), first = panels_.first_query(strip), tokens = panels_.key_count();
  survey.strip = strip;
  survey.keys = rules.causal() ? std::min(first + width, tokens) : tokens;
  survey.queries = panels_.transposed_queries(strip, q);
  survey.context.resize(panels_.turned_columns() * width);
  for (Lanes* ends : {&survey.maxima, &survey.lowest})
    ends->setConstant(width, -kInfinity);
  survey.reference.setZero(width);
  survey.sums.setZero(width);
  for (Scratch* numbers : {&survey.largest, &survey.weights})
    numbers->resize((survey.keys + kBlock - 1) / kBlock * width);
  survey.references.resize((survey.keys + kKeys - 1) / kKeys * width);
}

struct HeadMap::ScoredKeys {
  Span keys;
  const float* scores;
  OpenKeys open;
};

HeadMap::OpenKeys HeadMap::open_keys(Index strip, Span keys, const StripRules& rules, Scratch& own) const {
  const Index width = HeadPanels::width(), first = panels_.first_query(strip);
  if (rules.allowed) {
    own.resize(kKeys * width);
    float* bias = own.data();
    own_bias(*rules.allowed, first, panels_.queries(strip), keys, bias);
    return {0, bias};
  }
  if (!rules.causal() || keys.end <= first) return {keys.size(), nullptr};
  const Index open = std::max<Index>(0, first - keys.begin) / kBlock * kBlock;
  return {open, causal_bias() + (keys.begin + open - first) * width};
}

void HeadMap::survey_keys(Span keys, const StripRules& rules, Survey& survey) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), count = keys.size();
  Scratch stored_scores(panels_.workspace(), (kKeys + HeadPanels::height()) * width);
  Scratch stored_weights(panels_.workspace(), kKeys * width), stored_bias(panels_.workspace());
  float* scores = stored_scores.data();
  panels_.score(survey.queries.data(), keys.begin, keys.end, scores);
  const auto [open, bias] = open_keys(survey.strip, keys, rules, stored_bias);
  pool_keys({keys, scores, {open, bias}}, pooled_factor(rules), survey);

  const Lanes reference = (survey.maxima == -kInfinity).select(0.0f, survey.maxima);
  if (keys.begin > 0 && (reference != survey.reference).any()) {
    // A maximum only grows, except from the 0 that it has before the first open key.
    const Lanes less = (survey.reference - reference).min(0.0f).exp();
    Strips(survey.context.data(), panels_.turned_columns(), width).rowwise() *= less;
    survey.sums *= less.cast<double>();
  }
  survey.reference = reference;
  std::copy_n(reference.data(), width, survey.references.data() + keys.begin / kKeys * width);
  float* weights = stored_weights.data();
  float* block_weights = survey.weights.data() + keys.begin / kBlock * width;
  loops.strip_exponentials(scores, open, rules.factor, nullptr, reference.data(), weights, survey.sums.data(),
                           block_weights);
  loops.strip_exponentials(scores + open * width, count - open, rules.factor, bias, reference.data(),
                           weights + open * width, survey.sums.data(), block_weights + open / kBlock * width);
  panels_.weighted_sum(weights, keys.begin, count, keys.begin > 0, survey.context.data());
}

void HeadMap::pool_keys(const ScoredKeys& keys, float factor, Survey& survey) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), count = keys.keys.size(), room = kKeys / kBlock * width;
  const Span blocks = {keys.keys.begin / kBlock, (keys.keys.end + kBlock - 1) / kBlock};
  const auto [open, bias] = keys.open;
  // Bounds of all cells where some are masked, and of the open cells. The bounds that become the largest
  // scaled scores stay in survey.largest until all keys were visited.
  Scratch stored(panels_.workspace(), 5 * room);
  float* const numbers = stored.data();
  float *const all_low = numbers, *const all_high = numbers + room, *const all_sum = numbers + 2 * room;
  float *const other = numbers + 3 * room, *const sum = numbers + 4 * room;
  float* const largest = survey.largest.data() + blocks.begin * width;
  float *const low = factor < 0 ? largest : other, *const high = factor < 0 ? other : largest;
  for (Index key = 0; key < count; key += kBlock) {
    const Index there = std::min(kBlock, count - key), at = key / kBlock * width;
    const float* scores = keys.scores + key * width;
    const bool masks = key >= open;
    if (masks) loops.strip_pool(scores, there, nullptr, all_low + at, all_high + at, all_sum + at);
    loops.strip_pool(scores, there, masks ? bias + (key - open) * width : nullptr, low + at, high + at,
                     sum + at);
  }
  loops.strip_maximum(largest, blocks.size(), factor, nullptr, survey.maxima.data());
  loops.strip_maximum(other, blocks.size(), -factor, nullptr, survey.lowest.data());

  const Index open_blocks = open == count ? blocks.size() : open / kBlock;
  const Span masked_blocks = {blocks.begin + open_blocks, blocks.end};
  const Pooled all = {all_low, all_high, all_sum}, best = {low, high, sum};
  enter(survey.strip, best, {blocks.begin, masked_blocks.begin}, all_);
  enter(survey.strip, all.from(open_blocks), masked_blocks, all_);
  enter(survey.strip, best.from(open_blocks), masked_blocks, open_);
}

float HeadMap::end_survey(const StripRules& rules, Survey& survey, MatrixOut context) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), first = panels_.first_query(survey.strip);
  const Index blocks = (survey.keys + kBlock - 1) / kBlock, together = kKeys / kBlock;
  const Lanes& maxima = survey.reference;
  const Lanes sums = (survey.sums > 0.0).select(survey.sums, 1.0).cast<float>();
  maxima_.segment(first, width) = maxima.transpose();
  sums_.segment(first, width) = sums.transpose();
  Strips(survey.context.data(), panels_.turned_columns(), width).rowwise() /= sums;
  loops.transpose(survey.context.data(), width, panels_.d_v(), panels_.queries(survey.strip),
                  context.row(first).data(), context.outerStride());

  loops.strip_weights(survey.largest.data(), blocks, pooled_factor(rules), nullptr, maxima.data(),
                      sums.data(), -kInfinity, survey.largest.data());
  // Rescales block sums that were taken relative to earlier maxima.
  for (Index block = 0; block < blocks; block += together) {
    const Eigen::Map<const Lanes> reference(survey.references.data() + block / together * width, width);
    Strips(survey.weights.data() + block * width, std::min(together, blocks - block), width).rowwise() *=
        ((reference - maxima).min(0.0f).exp() / sums).eval();
  }
  enter(survey.strip, {nullptr, survey.largest.data(), survey.weights.data()}, {0, blocks}, weights_);
  const Lanes least = (-survey.lowest - maxima).exp() / sums;
  return (survey.lowest == -kInfinity)
      .select(kInfinity, least)
      .head(panels_.queries(survey.strip))
      .minCoeff();
}

void HeadMap::enter(Index strip, const Pooled& pooled, Span blocks, Grid& grid) const {
  const VectorLoops& loops = best_vector_loops();
  const Index there = panels_.queries(strip);
  for (Index lane = 0; lane < there && blocks.size() > 0; lane += kBlock) {
    const Index row = (panels_.first_query(strip) + lane) / kBlock, lanes = std::min(kBlock, there - lane);
    if (pooled.low)
      loops.fold_low(pooled.low + lane, blocks.size(), lanes, grid.low.row(row).data() + blocks.begin);
    loops.fold_high(pooled.high + lane, blocks.size(), lanes, grid.high.row(row).data() + blocks.begin);
    loops.fold_sum(pooled.sum + lane, blocks.size(), lanes, grid.sum.row(row).data() + blocks.begin);
  }
}

void HeadMap::survey_future(Index band, const Matrix& q) {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), tokens = panels_.key_count(), height = HeadPanels::height();
  const Index strips = band_rows() / width;
  Scratch stored_scores(panels_.workspace(), (kKeys + 2 * height) * width);
  float* scores = stored_scores.data();
  std::vector<float> low(static_cast<std::size_t>(width)), high = low, sum = low;
  const Pooled pooled = {low.data(), high.data(), sum.data()};
  for (Index strip = band * strips; strip < std::min((band + 1) * strips, panels_.strips()); ++strip) {
    const Index begin = std::min(panels_.first_query(strip) + width, tokens);
    const Scratch queries = panels_.transposed_queries(strip, q);
    for (Index first = begin; first < tokens;) {
      const Index end = std::min(tokens, (first / kKeys + 1) * kKeys), panel = first / height * height;
      panels_.score(queries.data(), panel, end, scores);
      while (first < end) {
        const Index block = first / kBlock, until = std::min(end, (block + 1) * kBlock);
        loops.strip_pool(scores + (first - panel) * width, until - first, nullptr, low.data(), high.data(),
                         sum.data());
        enter(strip, pooled, {block, block + 1}, all_);
        first = until;
      }
    }
  }
  note_scores(band);
}

HeadSums HeadMap::sums(const Matrix& q, const StripRules& rules) const {
  std::vector<HeadSums> by_strip(static_cast<std::size_t>(panels_.strips()));
  for_each_index(panels_.strips(), static_cast<double>(panels_.key_count() * panels_.key_count()),
                 [&](Index strip) { add_sums(strip, q, rules, by_strip[static_cast<std::size_t>(strip)]); });
  HeadSums all;
  for (const HeadSums& some : by_strip)
    all.add(some);
  return all;
}

void HeadMap::add_sums(Index strip, const Matrix& q, const StripRules& rules, HeadSums& sums) const {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), first = panels_.first_query(strip), tokens = panels_.key_count();
  const Index attended = rules.causal() ? std::min(first + width, tokens) : tokens;
  const Lanes maxima = maxima_.segment(first, width).transpose(),
              divisors = sums_.segment(first, width).transpose();
  Lanes first_weights(width);
  Eigen::ArrayXd logarithmic = Eigen::ArrayXd::Zero(width), distance = logarithmic;
  Scratch stored_scores(panels_.workspace(), (kKeys + HeadPanels::height()) * width);
  Scratch stored_bias(panels_.workspace());
  float* scores = stored_scores.data();
  const Scratch queries = panels_.transposed_queries(strip, q);
  for (Index begin = 0; begin < attended; begin += kKeys) {
    const Span keys = {begin, std::min(begin + kKeys, attended)};
    panels_.score(queries.data(), keys.begin, keys.end, scores);
    const auto [open, bias] = open_keys(strip, keys, rules, stored_bias);
    if (begin == 0)
      loops.strip_weights(scores, 1, rules.factor, open > 0 ? nullptr : bias, maxima.data(), divisors.data(),
                          0.0f, first_weights.data());
    const auto add = [&](Span part, const float* part_bias) {
      loops.strip_shares(scores + part.begin * width, part.size(), rules.factor, part_bias, maxima.data(),
                         static_cast<float>(first + rules.offset - begin - part.begin), logarithmic.data(),
                         distance.data());
    };
    add({0, open}, nullptr);
    add({open, keys.size()}, bias);
  }
  for (Index lane = 0; lane < panels_.queries(strip); ++lane) {
    // divisors holds 1 for a query that attends to nothing.
    const bool attends = !rules.allowed || (rules.allowed->row(first + lane).array() != 0.0f).any();
    if (attends)
      sums.add_row(first + rules.offset + lane, double{divisors(lane)}, logarithmic(lane), distance(lane),
                   first_weights(lane));
  }
}

}  // namespace headlight
