// A reference implementation of the forward pass: every stage in plain loops over double, written from the
// formulas alone. Each value carries a bound on the float32 rounding error, so the comparison needs no
// guessed tolerance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/core/torch_stream.h"
#include "engine/layer/layer.h"
#include "engine/layer/stage.h"

namespace headlight_test {

inline constexpr double kUnit = 0x1p-23;  // relative; above the error of one float32 operation or std::exp
inline constexpr double kNothing = -std::numeric_limits<double>::infinity();

struct Bounded {
  double value = 0, error = 0;
};

inline bool agrees(float got, const Bounded& expected) {
  if (!std::isfinite(expected.error)) return true;  // no bound, e.g. where the row sum may be zero
  if (std::isinf(expected.value)) return got == static_cast<float>(expected.value);
  // Below the smallest normal float32 value, errors are absolute.
  return std::abs(static_cast<double>(got) - expected.value) <= expected.error + 1e-37;
}

using PlainRow = std::vector<Bounded>;
using PlainMatrix = std::vector<PlainRow>;

struct PlainForward {
  // By stage; index sequence * heads + head, as in the evaluator.
  std::array<std::vector<PlainMatrix>, headlight::kStageCount> stages;
  std::vector<std::vector<std::vector<float>>> noise;  // by sequence * H + head; empty without dropout

  std::vector<PlainMatrix>& of(headlight::Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const std::vector<PlainMatrix>& of(headlight::Stage stage) const {
    return stages[static_cast<std::size_t>(stage)];
  }
};

inline PlainMatrix plain(const headlight::Matrix& matrix) {
  PlainMatrix result(static_cast<std::size_t>(matrix.rows()),
                     PlainRow(static_cast<std::size_t>(matrix.cols())));
  for (std::size_t r = 0; r < result.size(); ++r)
    for (std::size_t c = 0; c < result[r].size(); ++c)
      result[r][c].value = matrix(static_cast<headlight::Index>(r), static_cast<headlight::Index>(c));
  return result;
}

// The sum of left x right. Whatever the order of the additions, a float32 sum of n products errs by at most n
// units of the sum of their magnitudes.
class PlainSum {
 public:
  void add(const Bounded& left, const Bounded& right) {
    sum_.value += left.value * right.value;
    sum_.error +=
        std::abs(left.value) * right.error + std::abs(right.value) * left.error + left.error * right.error;
    magnitude_ += (std::abs(left.value) + left.error) * (std::abs(right.value) + right.error);
    ++count_;
  }
  Bounded result() const { return {sum_.value, sum_.error + (count_ + 1) * kUnit * magnitude_}; }

 private:
  Bounded sum_;
  double magnitude_ = 0;
  int count_ = 0;
};

// x: T x n; w: as stored in `layout`; bias: 1 x d_out or empty.
inline PlainMatrix plain_project(const PlainMatrix& x, const PlainMatrix& w, headlight::WeightLayout layout,
                                 const PlainMatrix& bias, std::size_t d_out) {
  PlainMatrix y(x.size(), PlainRow(d_out));
  for (std::size_t t = 0; t < x.size(); ++t)
    for (std::size_t o = 0; o < d_out; ++o) {
      PlainSum sum;
      for (std::size_t i = 0; i < x[t].size(); ++i)
        sum.add(x[t][i], layout == headlight::WeightLayout::InOut ? w[i][o] : w[o][i]);
      if (!bias.empty()) sum.add(bias[0][o], {1.0, 0.0});
      y[t][o] = sum.result();
    }
  return y;
}

inline PlainMatrix plain_columns(const PlainMatrix& matrix, std::size_t begin, std::size_t count) {
  PlainMatrix result;
  for (const PlainRow& row : matrix)
    result.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(begin),
                        row.begin() + static_cast<std::ptrdiff_t>(begin + count));
  return result;
}

// exp(s) / sum of exp. Subtracting the same number from every score does not change the result, so this
// formula serves both the stable softmax and the naive one. The naive one is not compared where float32 may
// overflow or underflow. The upper bound of a weight takes its own score at its largest and all others at
// their smallest, the lower bound the reverse: the bound stays useful for scores around a million, which
// float32 resolves only to hundredths.
inline PlainRow plain_softmax(const PlainRow& masked, bool naive) {
  double largest = kNothing, sum = 0, sum_low = 0, sum_high = 0;
  bool extreme = false;
  for (const Bounded& s : masked) {
    if (s.value == kNothing) continue;
    largest = std::max(largest, s.value);
    extreme = extreme || (naive && std::abs(s.value) > 80);
  }
  PlainRow weights(masked.size());
  if (largest == kNothing) return weights;
  for (const Bounded& s : masked) {
    sum += std::exp(s.value - largest);
    sum_low += std::exp(s.value - largest - s.error);
    sum_high += std::exp(s.value - largest + s.error);
  }
  for (std::size_t j = 0; j < masked.size(); ++j) {
    if (masked[j].value == kNothing) continue;
    // Subtracting the maximum also rounds, by one unit of the difference.
    const double below = largest - masked[j].value, difference = naive ? 0 : below;
    const double rounding = std::exp(kUnit * (static_cast<double>(masked.size()) + 6 + difference));
    const double low = std::exp(-below - masked[j].error), high = std::exp(-below + masked[j].error);
    const double own = std::exp(-below) / sum;
    const double most = high / (high + std::max(0.0, sum_low - low)) * rounding;
    const double least = low / (low + std::max(0.0, sum_high - high)) / rounding;
    weights[j] = {own, std::max(most - own, own - least)};
    if (extreme) weights[j].error = std::numeric_limits<double>::infinity();
  }
  return weights;
}

inline PlainRow plain_sum_normalize(const PlainRow& masked) {
  double sum = 0, magnitude = 0, error = 0;
  bool any = false;
  for (const Bounded& s : masked) {
    if (s.value == kNothing) continue;
    sum += s.value;
    magnitude += std::abs(s.value);
    error += s.error;
    any = true;
  }
  error += static_cast<double>(masked.size()) * kUnit * magnitude;
  PlainRow weights(masked.size());
  if (!any) return weights;
  for (std::size_t j = 0; j < masked.size(); ++j) {
    const Bounded s = masked[j].value == kNothing ? Bounded{} : masked[j];
    const double weight = s.value / sum;
    weights[j] = {weight, (s.error + std::abs(weight) * error) / (std::abs(sum) - error) +
                              2 * kUnit * std::abs(weight)};
    if (!(std::abs(sum) > 2 * error)) weights[j].error = std::numeric_limits<double>::infinity();
  }
  return weights;
}

// The state of torch's generator before the first dropout mask is drawn.
inline headlight::TorchStream plain_dropout_stream(const headlight::Layer& layer) {
  using namespace headlight;
  if (layer.attention.dropout.seed) return TorchStream(*layer.attention.dropout.seed);
  if (!layer.weights.recipe) return TorchStream(0);
  TorchStream stream(layer.weights.recipe->seed);
  for (Parameter p : layer.weights.recipe->order) {
    const bool output = p == Parameter::Output;
    if (output ? !layer.attention.output_projection : layer.attention.projection != Projection::Linear)
      continue;
    const Index groups = layer.kv_head_count();
    const Index in = output                  ? layer.head_count() * layer.d_v()
                     : p == Parameter::Query ? layer.d_in()
                                             : layer.key_d_in();
    const Index out = output                  ? layer.d_out()
                      : p == Parameter::Query ? layer.head_count() * layer.d_k()
                                              : groups * (p == Parameter::Key ? layer.d_k() : layer.d_v());
    const bool drawn_bias =
        layer.weights.recipe->init == InitKind::Linear && (output || layer.attention.qkv_bias);
    for (Index i = 0; i < in * out + (drawn_bias ? out : 0); ++i)
      stream.next_u32();
  }
  return stream;
}

// B x H x Tq x Tk multipliers, 0 or 1/(1-p). Masked cells draw a number too.
inline std::vector<std::vector<std::vector<float>>> plain_noise(const headlight::Layer& layer) {
  const headlight::Dropout& dropout = layer.attention.dropout;
  if (!dropout.training || dropout.probability == 0.0) return {};
  const double keep = 1.0 - dropout.probability;
  const auto queries = static_cast<std::size_t>(layer.token_count());
  const auto keys = static_cast<std::size_t>(layer.key_count());
  headlight::TorchStream stream = plain_dropout_stream(layer);
  std::vector<std::vector<std::vector<float>>> noise(
      static_cast<std::size_t>(layer.sequence_count() * layer.head_count()),
      std::vector<std::vector<float>>(queries, std::vector<float>(keys, 0.0f)));
  if (keep == 0.0) return noise;
  const bool mkl = dropout.build == headlight::DropoutBuild::Mkl;
  std::uint64_t state = mkl ? stream.next_u32() % 0x7FFFFFFF : 0;
  if (state == 0) state = 1;
  for (auto& matrix : noise)
    for (auto& row : matrix)
      for (float& value : row) {
        if (mkl) {
          if (static_cast<double>(state) / 0x7FFFFFFF < keep) value = 1.0f / static_cast<float>(keep);
          state = state * 1132489760 % 0x7FFFFFFF;
          continue;
        }
        const std::uint64_t high = stream.next_u32(), low = stream.next_u32();
        const std::uint64_t bits = (high << 32 | low) & 0x1FFFFFFFFFFFFF;
        if (static_cast<double>(bits) * 0x1p-53 < keep) value = 1.0f / static_cast<float>(keep);
      }
  return noise;
}

inline PlainMatrix plain_scores(const PlainMatrix& q, const PlainMatrix& k) {
  PlainMatrix scores(q.size(), PlainRow(k.size()));
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = 0; j < k.size(); ++j) {
      PlainSum sum;
      for (std::size_t c = 0; c < q[i].size(); ++c)
        sum.add(q[i][c], k[j][c]);
      scores[i][j] = sum.result();
    }
  return scores;
}

// The YaRN authors' formula: a ramp between the pairs that make `high` and `low` turns in `positions` tokens.
inline double plain_ramped_frequency(const headlight::Position& position, double frequency, std::size_t pair,
                                     std::size_t dims) {
  const headlight::RotaryScaling& scaling = position.scaling;
  const auto width = static_cast<double>(dims), length = static_cast<double>(scaling.positions);
  double bounds[2];
  for (int i = 0; i < 2; ++i)
    bounds[i] = width * std::log(length / ((i == 0 ? scaling.high : scaling.low) * 6.283185307179586)) /
                (2 * std::log(position.theta));
  if (scaling.blend == headlight::RotaryBlend::WholePairs) {
    bounds[0] = std::floor(bounds[0]);
    bounds[1] = std::ceil(bounds[1]);
  }
  if (bounds[0] < 0) bounds[0] = 0;
  if (bounds[1] > width - 1) bounds[1] = width - 1;
  if (bounds[0] == bounds[1]) bounds[1] += 0.001;
  double ramp = (static_cast<double>(pair) - bounds[0]) / (bounds[1] - bounds[0]);
  if (ramp < 0) ramp = 0;
  if (ramp > 1) ramp = 1;
  return frequency / scaling.factor * ramp + frequency * (1 - ramp);
}

// The frequency of a pair. `RotaryBlend::Turns` is Llama 3.1's scaling by wavelength, in its authors'
// formula.
inline double plain_frequency(const headlight::Position& position, double frequency, std::size_t pair,
                              std::size_t dims) {
  const auto& [factor, low, high, positions, how, magnitude, factors] = position.scaling;
  if (!factors.empty()) frequency /= factors[pair];
  if (factor == 1) return frequency;
  if (how != headlight::RotaryBlend::Turns) return plain_ramped_frequency(position, frequency, pair, dims);
  const double wavelength = 2 * 3.14159265358979323846 / frequency, length = static_cast<double>(positions);
  if (wavelength > length / low) return frequency / factor;
  if (wavelength < length / high) return frequency;
  const double blend = (length / wavelength - low) / (high - low);
  return (1 - blend) * frequency / factor + blend * frequency;
}

// Rotates pairs of columns by the position of their row. Sines and cosines are rounded to float32.
inline PlainMatrix plain_turned(const PlainMatrix& rows, const headlight::Layer& layer,
                                headlight::Index start) {
  const headlight::Position& position = layer.attention.position;
  const auto width = rows[0].size();
  const std::size_t dims = position.dims > 0 ? static_cast<std::size_t>(position.dims) : width;
  PlainMatrix turned = rows;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < dims / 2; ++i) {
      const bool halves = position.pairs == headlight::RotaryPairs::Halves;
      const std::size_t first = halves ? i : 2 * i, second = halves ? i + dims / 2 : 2 * i + 1;
      const double angle =
          static_cast<double>(start + static_cast<headlight::Index>(row)) *
          plain_frequency(position,
                          std::pow(position.theta, -2.0 * static_cast<double>(i) / static_cast<double>(dims)),
                          i, dims);
      // The float64 angle has a rounding error proportional to its size, so to the position.
      const double magnitude = position.scaling.magnitude;
      const double unsure = magnitude * (kUnit + std::abs(angle) * 0x1p-50);
      const Bounded cosine = {magnitude * std::cos(angle), unsure},
                    sine = {magnitude * std::sin(angle), unsure};
      PlainSum a, b;
      a.add(rows[row][first], cosine);
      a.add({-rows[row][second].value, rows[row][second].error}, sine);
      b.add(rows[row][second], cosine);
      b.add(rows[row][first], sine);
      turned[row][first] = a.result();
      turned[row][second] = b.result();
    }
  return turned;
}

// The number of keys before the first query.
inline headlight::Index plain_offset(const headlight::Layer& layer, std::size_t sequence) {
  const auto& offsets = layer.attention.rules.offsets;
  if (layer.attention.mask != headlight::MaskKind::Rules || offsets.empty()) return 0;
  return offsets[offsets.size() == 1 ? 0 : sequence];
}

inline bool plain_hidden(const headlight::Layer& layer, std::size_t sequence, std::size_t head, std::size_t i,
                         std::size_t j) {
  using namespace headlight;
  const AttentionSettings& a = layer.attention;
  const auto query = static_cast<Index>(i), key = static_cast<Index>(j);
  if (a.mask == MaskKind::Causal) return key > query;
  if (a.mask == MaskKind::Custom) return layer.custom_mask(query, key) == 0.0f;
  if (a.mask != MaskKind::Rules) return false;
  const Index at = plain_offset(layer, sequence) + query;
  if (a.rules.causal && key > at) return true;
  if (a.rules.left && key < at - *a.rules.left) return true;
  if (a.rules.right && key > at + *a.rules.right) return true;
  if (!a.rules.keys.empty() && key >= a.rules.keys[sequence]) return true;
  if (layer.allowed.empty()) return false;
  return layer.allowed.at(static_cast<Index>(sequence), static_cast<Index>(head), query, key) == 0.0f;
}

inline double plain_slope(const headlight::Layer& layer, std::size_t head) {
  if (!layer.attention.position.slopes.empty()) return layer.attention.position.slopes[head];
  const auto heads = static_cast<std::size_t>(layer.head_count());
  std::size_t low = 1;
  while (2 * low <= heads)
    low *= 2;
  if (head < low) return std::pow(2.0, -8.0 * static_cast<double>(head + 1) / static_cast<double>(low));
  return std::pow(2.0, -4.0 * static_cast<double>(2 * (head - low) + 1) / static_cast<double>(low));
}

// The number added to a score; minus infinity masks the pair.
inline double plain_bias(const headlight::Layer& layer, std::size_t sequence, std::size_t head, std::size_t i,
                         std::size_t j) {
  using namespace headlight;
  double bias = 0;
  if (layer.attention.position.kind == PositionKind::Alibi)
    bias -= plain_slope(layer, head) * std::abs(static_cast<double>(plain_offset(layer, sequence)) +
                                                static_cast<double>(i) - static_cast<double>(j));
  if (!layer.score_bias.empty()) {
    const PairArray& array = layer.score_bias;
    const std::size_t b = array.sequences == 1 ? 0 : sequence, h = array.heads == 1 ? 0 : head;
    const Matrix& matrix = array.matrices[b * static_cast<std::size_t>(array.heads) + h];
    bias += static_cast<double>(matrix(matrix.rows() == 1 ? 0 : static_cast<Index>(i),
                                       matrix.cols() == 1 ? 0 : static_cast<Index>(j)));
  }
  return bias;
}

// The logits of raw scores: scaled, then capped and biased if the layer does so; stores each of these stages.
inline PlainMatrix plain_logits(const headlight::Layer& layer, std::size_t sequence, std::size_t head,
                                PlainForward& forward, const PlainMatrix& scores) {
  using namespace headlight;
  const AttentionSettings& a = layer.attention;
  const double factor = a.scale.kind == ScaleKind::None ? 1.0
                        : a.scale.kind == ScaleKind::Number
                            ? a.scale.number
                            : 1.0 / std::sqrt(static_cast<double>(layer.d_k()));
  PlainMatrix logits = scores;
  for (PlainRow& row : logits)
    for (Bounded& s : row)
      s = {s.value * factor, std::abs(factor) * (s.error + 3 * kUnit * std::abs(s.value))};
  forward.of(Stage::Scaled).push_back(logits);
  if (a.softcap > 0) {
    for (PlainRow& row : logits)
      for (Bounded& s : row) {
        const double capped = a.softcap * std::tanh(s.value / a.softcap);
        s = {capped, s.error + 4 * kUnit * (std::abs(capped) + std::abs(s.value))};
      }
    forward.of(Stage::Capped).push_back(logits);
  }
  if (a.position.kind == PositionKind::Alibi || !layer.score_bias.empty()) {
    for (std::size_t i = 0; i < logits.size(); ++i)
      for (std::size_t j = 0; j < logits[i].size(); ++j) {
        const double bias = plain_bias(layer, sequence, head, i, j);
        Bounded& s = logits[i][j];
        s = std::isinf(bias)
                ? Bounded{kNothing, 0.0}
                : Bounded{s.value + bias, s.error + 2 * kUnit * (std::abs(bias) + std::abs(s.value + bias))};
      }
    forward.of(Stage::Biased).push_back(logits);
  }
  return logits;
}

// Replaces the overwritten cells in the last matrix of the stage, which is that of `head`.
inline void plain_overwrite(const headlight::Layer& layer, headlight::Stage stage, std::size_t sequence,
                            std::size_t head, PlainForward& forward) {
  for (const headlight::Overwritten& block : layer.overwritten) {
    if (block.stage != stage || static_cast<std::size_t>(block.sequence) != sequence ||
        static_cast<std::size_t>(block.head) != head)
      continue;
    for (headlight::Index i = 0; i < block.values.rows(); ++i)
      for (headlight::Index j = 0; j < block.values.cols(); ++j)
        forward.of(stage).back()[static_cast<std::size_t>(block.row + i)]
                                [static_cast<std::size_t>(block.column + j)] = {block.values(i, j), 0.0};
  }
}

// The weights of a row of a head. Its sink is one more key, whose weight is dropped.
inline PlainRow plain_normalize(const headlight::Layer& layer, std::size_t head, PlainRow masked) {
  const headlight::AttentionSettings& a = layer.attention;
  if (a.normalization == headlight::Normalization::Sum) return plain_sum_normalize(masked);
  const auto keys = masked.size();
  if (!a.sinks.empty()) masked.push_back({a.sinks[head], kUnit * std::abs(a.sinks[head])});
  PlainRow weights = plain_softmax(masked, a.normalization == headlight::Normalization::NaiveSoftmax);
  weights.resize(keys);
  return weights;
}

// The stages of one head of one sequence from `Scores` to `Dropped`.
inline void plain_weights(const headlight::Layer& layer, std::size_t sequence, std::size_t head,
                          PlainForward& forward) {
  using namespace headlight;
  const AttentionSettings& a = layer.attention;
  const auto heads = static_cast<std::size_t>(layer.head_count());
  const auto groups = static_cast<std::size_t>(layer.kv_head_count());
  if (a.projection == Projection::Weights) {
    forward.of(Stage::Weights).push_back(plain(layer.given_weights.matrices[sequence * heads + head]));
  } else {
    const bool turned = a.position.kind == PositionKind::Rotary;
    const PlainMatrix scores = plain_scores(
        forward.of(turned ? Stage::RotatedQueries : Stage::Queries)[sequence * heads + head],
        forward.of(turned ? Stage::RotatedKeys : Stage::Keys)[sequence * groups + head / (heads / groups)]);
    forward.of(Stage::Scores).push_back(scores);
    PlainMatrix masked = plain_logits(layer, sequence, head, forward, scores), weights;
    for (std::size_t i = 0; i < masked.size(); ++i)
      for (std::size_t j = 0; j < masked[i].size(); ++j)
        if (plain_hidden(layer, sequence, head, i, j)) masked[i][j] = {kNothing, 0.0};
    for (const PlainRow& row : masked)
      weights.push_back(plain_normalize(layer, head, row));
    forward.of(Stage::Masked).push_back(masked);
    forward.of(Stage::Weights).push_back(weights);
  }
  plain_overwrite(layer, Stage::Weights, sequence, head, forward);
  PlainMatrix dropped = forward.of(Stage::Weights).back();
  if (!forward.noise.empty())
    for (std::size_t i = 0; i < dropped.size(); ++i)
      for (std::size_t j = 0; j < dropped[i].size(); ++j) {
        const double noise = forward.noise[sequence * heads + head][i][j];
        const Bounded cell = dropped[i][j];
        dropped[i][j] = {cell.value * noise, noise * (cell.error + kUnit * std::abs(cell.value))};
      }
  forward.of(Stage::Dropped).push_back(dropped);
}

inline PlainMatrix plain_context(const PlainMatrix& dropped, const PlainMatrix& values) {
  PlainMatrix context;
  for (const PlainRow& row : dropped) {
    context.emplace_back();
    for (std::size_t c = 0; c < values[0].size(); ++c) {
      PlainSum sum;
      for (std::size_t j = 0; j < row.size(); ++j)
        sum.add(row[j], values[j][c]);
      context.back().push_back(sum.result());
    }
  }
  return context;
}

// Queries, keys and values of one sequence, with the rotated queries and keys.
inline void plain_inputs(const headlight::Layer& layer, std::size_t sequence, PlainForward& forward) {
  using namespace headlight;
  const AttentionSettings& a = layer.attention;
  if (!layer.embeddings.empty()) forward.of(Stage::Embeddings).push_back(plain(layer.embeddings[sequence]));
  for (const auto& [stage, p] :
       {std::pair(Stage::Queries, Parameter::Query), std::pair(Stage::Keys, Parameter::Key),
        std::pair(Stage::Values, Parameter::Value)}) {
    const bool queries = p == Parameter::Query, values = p == Parameter::Value;
    if (a.projection == Projection::Weights && (!values || layer.given[2].empty())) continue;
    const Index heads = queries ? layer.head_count() : layer.kv_head_count();
    const Index width = values ? layer.d_v() : layer.d_k();
    PlainMatrix whole;
    if (!layer.given[static_cast<std::size_t>(p)].empty()) {
      whole = plain(layer.given[static_cast<std::size_t>(p)][sequence]);
    } else {
      const bool others = !queries && !layer.key_embeddings.empty();
      whole = plain(others ? layer.key_embeddings[sequence] : layer.embeddings[sequence]);
      if (a.projection == Projection::Linear)
        whole = plain_project(whole, plain(layer.weights.matrix(p)), layer.weights.layout,
                              a.qkv_bias ? plain(layer.weights.bias(p)) : PlainMatrix{},
                              static_cast<std::size_t>(heads * width));
    }
    for (Index h = 0; h < heads; ++h) {
      forward.of(stage).push_back(
          plain_columns(whole, static_cast<std::size_t>(h * width), static_cast<std::size_t>(width)));
      plain_overwrite(layer, stage, sequence, static_cast<std::size_t>(h), forward);
    }
    if (a.position.kind != PositionKind::Rotary || values) continue;
    const Stage turned = queries ? Stage::RotatedQueries : Stage::RotatedKeys;
    for (Index h = 0; h < heads; ++h) {
      forward.of(turned).push_back(plain_turned(
          forward.of(stage)[sequence * static_cast<std::size_t>(heads) + static_cast<std::size_t>(h)], layer,
          queries ? a.position.start : a.position.key_start));
      plain_overwrite(layer, turned, sequence, static_cast<std::size_t>(h), forward);
    }
  }
}

// Stages that the layer does not use are empty.
inline PlainForward plain_forward(const headlight::Layer& layer) {
  using namespace headlight;
  const auto heads = static_cast<std::size_t>(layer.head_count());
  const auto group = heads / static_cast<std::size_t>(layer.kv_head_count());
  const auto d_v = static_cast<std::size_t>(layer.d_v());
  PlainForward forward;
  forward.noise = plain_noise(layer);
  const auto sequences = layer.attention.projection == Projection::Weights ? layer.given_weights.sequences
                         : layer.embeddings.empty() ? static_cast<Index>(layer.given[0].size())
                                                    : static_cast<Index>(layer.embeddings.size());
  for (std::size_t b = 0; b < static_cast<std::size_t>(sequences); ++b) {
    plain_inputs(layer, b, forward);
    PlainMatrix concat(layer.tokens.size());
    for (std::size_t h = 0; h < heads; ++h) {
      plain_weights(layer, b, h, forward);
      if (forward.of(Stage::Values).empty()) continue;
      forward.of(Stage::Context)
          .push_back(plain_context(forward.of(Stage::Dropped).back(),
                                   forward.of(Stage::Values)[b * (heads / group) + h / group]));
      plain_overwrite(layer, Stage::Context, b, h, forward);
      const PlainMatrix& context = forward.of(Stage::Context).back();
      for (std::size_t t = 0; t < concat.size(); ++t)
        if (layer.attention.head_enabled(static_cast<Index>(h)))
          concat[t].insert(concat[t].end(), context[t].begin(), context[t].end());
        else
          concat[t].resize(concat[t].size() + d_v);
    }
    if (forward.of(Stage::Values).empty()) continue;
    forward.of(Stage::Concat).push_back(concat);
    forward.of(Stage::Output)
        .push_back(layer.attention.output_projection
                       ? plain_project(concat, plain(layer.weights.matrix(Parameter::Output)),
                                       layer.weights.layout, plain(layer.weights.bias(Parameter::Output)),
                                       static_cast<std::size_t>(layer.d_out()))
                       : concat);
  }
  return forward;
}

}  // namespace headlight_test
