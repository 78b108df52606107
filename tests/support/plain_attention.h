// The slow twin of the engine: the whole forward pass in plain loops over double, every stage of it, written
// from the formulas alone. Each value carries a bound on what float32 rounding may have made of it, so that
// the comparison needs no guessed tolerance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"
#include "engine/random/torch_stream.h"

namespace headlight_test {

inline constexpr double kUnit = 0x1p-23;  // more than any one float32 operation or std::exp errs, relative
inline constexpr double kNothing = -std::numeric_limits<double>::infinity();

struct Bounded {
  double value = 0, error = 0;
};

inline bool agrees(float got, const Bounded& expected) {
  if (!std::isfinite(expected.error)) return true;  // nothing can be said: the row sum may be zero
  if (std::isinf(expected.value)) return got == static_cast<float>(expected.value);
  // Below the smallest normal float32 value errors are absolute.
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

// The sum of left x right. In whatever order float32 adds n products, it errs by at most n units of the sum
// of their magnitudes.
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

// exp(s) / sum of exp: a shift of every score by the same number changes nothing, so one formula serves the
// stable softmax and the naive one. The naive one is not compared where float32 may overflow or underflow.
// A weight is largest where its own score is as large as it may be and all others are as small, and the other
// way round: scores of a million, of which float32 leaves out hundredths, still tell who is attended to.
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
    // The subtraction of the maximum rounds, too, by a unit of the difference.
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

// Where torch's generator stands when the first mask is drawn.
inline headlight::TorchStream plain_dropout_stream(const headlight::Model& model) {
  using namespace headlight;
  if (model.attention.dropout.seed) return TorchStream(*model.attention.dropout.seed);
  if (!model.weights.recipe) return TorchStream(0);
  TorchStream stream(model.weights.recipe->seed);
  for (Parameter p : model.weights.recipe->order) {
    const bool output = p == Parameter::Output;
    if (output ? !model.attention.output_projection : model.attention.projection != Projection::Linear)
      continue;
    const Index values = (output ? model.d_out() : model.d_in()) * model.d_out();
    const bool drawn_bias =
        model.weights.recipe->init == InitKind::Linear && (output || model.attention.qkv_bias);
    for (Index i = 0; i < values + (drawn_bias ? model.d_out() : 0); ++i)
      stream.next_u32();
  }
  return stream;
}

// B x H x T x T multipliers of 0 or 1/(1-p), masked cells drawing too.
inline std::vector<std::vector<std::vector<float>>> plain_noise(const headlight::Model& model) {
  const headlight::Dropout& dropout = model.attention.dropout;
  if (!dropout.training || dropout.probability == 0.0) return {};
  const double keep = 1.0 - dropout.probability;
  const auto count = static_cast<std::size_t>(model.token_count());
  headlight::TorchStream stream = plain_dropout_stream(model);
  std::vector<std::vector<std::vector<float>>> noise(
      static_cast<std::size_t>(model.sequence_count() * model.head_count()),
      std::vector<std::vector<float>>(count, std::vector<float>(count, 0.0f)));
  if (keep == 0.0) return noise;
  for (auto& matrix : noise)
    for (auto& row : matrix)
      for (float& value : row) {
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

// One head of one sequence, from queries, keys and values to its context.
inline void plain_head(const headlight::Model& model, std::size_t matrix, PlainForward& forward) {
  using namespace headlight;
  const AttentionSettings& a = model.attention;
  const PlainMatrix scores =
      plain_scores(forward.of(Stage::Queries)[matrix], forward.of(Stage::Keys)[matrix]);
  const double factor = a.scale.kind == ScaleKind::None ? 1.0
                        : a.scale.kind == ScaleKind::Number
                            ? a.scale.number
                            : 1.0 / std::sqrt(static_cast<double>(model.d_k()));
  PlainMatrix scaled = scores, masked, weights, dropped, context;
  for (PlainRow& row : scaled)
    for (Bounded& s : row)
      s = {s.value * factor, std::abs(factor) * (s.error + 3 * kUnit * std::abs(s.value))};
  masked = scaled;
  for (std::size_t i = 0; i < masked.size(); ++i)
    for (std::size_t j = 0; j < masked.size(); ++j) {
      const bool hidden = (a.mask == MaskKind::Causal && j > i) ||
                          (a.mask == MaskKind::Custom &&
                           model.custom_mask(static_cast<Index>(i), static_cast<Index>(j)) == 0.0f);
      if (hidden) masked[i][j] = {kNothing, 0.0};
    }
  for (const PlainRow& row : masked)
    weights.push_back(a.normalization == Normalization::Sum
                          ? plain_sum_normalize(row)
                          : plain_softmax(row, a.normalization == Normalization::NaiveSoftmax));
  dropped = weights;
  if (!forward.noise.empty())
    for (std::size_t i = 0; i < dropped.size(); ++i)
      for (std::size_t j = 0; j < dropped.size(); ++j) {
        const double noise = forward.noise[matrix][i][j];
        const Bounded& cell = weights[i][j];
        dropped[i][j] = {cell.value * noise, noise * (cell.error + kUnit * std::abs(cell.value))};
      }
  const PlainMatrix& values = forward.of(Stage::Values)[matrix];
  for (const PlainRow& row : dropped) {
    context.emplace_back();
    for (std::size_t c = 0; c < values[0].size(); ++c) {
      PlainSum sum;
      for (std::size_t j = 0; j < row.size(); ++j)
        sum.add(row[j], values[j][c]);
      context.back().push_back(sum.result());
    }
  }
  forward.of(Stage::Scores).push_back(scores);
  forward.of(Stage::Scaled).push_back(scaled);
  forward.of(Stage::Masked).push_back(masked);
  forward.of(Stage::Weights).push_back(weights);
  forward.of(Stage::Dropped).push_back(dropped);
  forward.of(Stage::Context).push_back(context);
}

inline PlainForward plain_forward(const headlight::Model& model) {
  using namespace headlight;
  const auto heads = static_cast<std::size_t>(model.head_count());
  const auto d_k = static_cast<std::size_t>(model.d_k()), d_out = heads * d_k;
  const auto weight = [&](Parameter p) { return plain(model.weights.matrix(p)); };
  PlainForward forward;
  forward.noise = plain_noise(model);
  for (std::size_t b = 0; b < model.embeddings.size(); ++b) {
    const PlainMatrix x = plain(model.embeddings[b]);
    forward.of(Stage::Embeddings).push_back(x);
    for (const auto& [stage, p] :
         {std::pair(Stage::Queries, Parameter::Query), std::pair(Stage::Keys, Parameter::Key),
          std::pair(Stage::Values, Parameter::Value)}) {
      const PlainMatrix bias = model.attention.qkv_bias ? plain(model.weights.bias(p)) : PlainMatrix{};
      const PlainMatrix whole = model.attention.projection == Projection::None ? x
                                : model.attention.projection == Projection::Given
                                    ? plain(model.given[static_cast<std::size_t>(p)][b])
                                    : plain_project(x, weight(p), model.weights.layout, bias, d_out);
      for (std::size_t h = 0; h < heads; ++h)
        forward.of(stage).push_back(plain_columns(whole, h * d_k, d_k));
    }
    PlainMatrix concat(x.size());
    for (std::size_t h = 0; h < heads; ++h) {
      plain_head(model, b * heads + h, forward);
      const PlainMatrix& context = forward.of(Stage::Context).back();
      for (std::size_t t = 0; t < concat.size(); ++t)
        if (model.attention.head_enabled(static_cast<Index>(h)))
          concat[t].insert(concat[t].end(), context[t].begin(), context[t].end());
        else
          concat[t].resize(concat[t].size() + d_k);
    }
    forward.of(Stage::Concat).push_back(concat);
    forward.of(Stage::Output)
        .push_back(model.attention.output_projection
                       ? plain_project(concat, weight(Parameter::Output), model.weights.layout,
                                       plain(model.weights.bias(Parameter::Output)), d_out)
                       : concat);
  }
  return forward;
}

}  // namespace headlight_test
