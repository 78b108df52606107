// A reference implementation of gradients: the backward rule of each stage in plain loops over double, from
// its definition. Each value carries a bound on the float32 rounding error, as in plain_attention.h.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/layer/overwriting.h"
#include "engine/learning/goal.h"
#include "tests/support/plain_attention.h"

namespace headlight_test {

struct PlainGradients {
  Bounded loss;
  std::array<std::vector<PlainMatrix>, headlight::kStageCount> stages;  // as in PlainForward
  std::vector<PlainMatrix> key_embeddings;
  std::array<PlainMatrix, 4> matrices, biases;

  std::vector<PlainMatrix>& of(headlight::Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
};

inline Bounded plus(const Bounded& a, const Bounded& b) {
  const double value = a.value + b.value;
  return {value, a.error + b.error + kUnit * std::abs(value)};
}
inline Bounded times(const Bounded& a, const Bounded& b) {
  const double value = a.value * b.value;
  return {value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                     2 * kUnit * std::abs(value)};
}
inline Bounded negative(const Bounded& a) {
  return {-a.value, a.error};
}
inline Bounded inverse(const Bounded& a) {
  const double least = std::abs(a.value) - a.error;
  if (!(least > 0)) return {1 / a.value, std::numeric_limits<double>::infinity()};
  return {1 / a.value, a.error / (std::abs(a.value) * least) + kUnit / std::abs(a.value)};
}

// One backward pass. Indices of matrices and cells are std::size_t, as in plain_attention.h.
class PlainBackward {
 public:
  PlainBackward(const headlight::Layer& layer, const headlight::Goal& goal)
      : layer_(layer), goal_(goal), forward_(plain_forward(layer)) {
    for (std::size_t s = 0; s < headlight::kStageCount; ++s)
      for (const PlainMatrix& x : forward_.stages[s])
        out_.stages[s].emplace_back(x.size(), PlainRow(x.empty() ? 0 : x[0].size()));
    for (const headlight::Parameter p : headlight::kParameters) {
      const auto at = static_cast<std::size_t>(p);
      if (layer.uses(p)) out_.matrices[at] = zeros(plain(layer.weights.matrix(p)));
      if (layer.uses_bias(p)) out_.biases[at] = zeros(plain(layer.weights.bias(p)));
    }
    for (const headlight::Matrix& rows : layer.key_embeddings)
      out_.key_embeddings.push_back(zeros(plain(rows)));
  }

  PlainGradients run() {
    using headlight::Stage;
    for (auto stage = goal_.stage;; stage = static_cast<Stage>(static_cast<int>(stage) - 1)) {
      if (stage == goal_.stage) start();
      if (!out_.of(stage).empty()) pass_back(stage);
      if (stage == Stage::Embeddings) break;
    }
    return std::move(out_);
  }

 private:
  using Index = headlight::Index;
  using Stage = headlight::Stage;
  using Parameter = headlight::Parameter;

  static PlainMatrix zeros(PlainMatrix like) {
    for (PlainRow& row : like)
      for (Bounded& cell : row)
        cell = {};
    return like;
  }
  std::size_t sequences() const { return static_cast<std::size_t>(layer_.sequence_count()); }
  std::size_t heads() const { return static_cast<std::size_t>(layer_.head_count()); }
  std::size_t groups() const { return static_cast<std::size_t>(layer_.kv_head_count()); }
  std::size_t group_of(std::size_t head) const { return head / (heads() / groups()); }
  // The number of matrices of the stage for one sequence.
  std::size_t count_of(Stage stage) { return out_.of(stage).size() / sequences(); }

  double target(std::size_t matrix, std::size_t row, std::size_t column) {
    const std::size_t count = count_of(goal_.stage);
    return static_cast<double>(goal_.target.at(static_cast<Index>(matrix / count),
                                               static_cast<Index>(matrix % count), static_cast<Index>(row),
                                               static_cast<Index>(column)));
  }

  void start() { goal_.loss == headlight::Loss::Squared ? start_squared() : start_entropy(); }

  void start_squared() {
    const std::vector<PlainMatrix>& x = forward_.of(goal_.stage);
    double count = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t m = 0; m < x.size(); ++m)
        for (std::size_t i = 0; i < x[m].size(); ++i)
          for (std::size_t j = 0; j < x[m][i].size(); ++j) {
            const double t = target(m, i, j);
            if (std::isnan(t)) continue;
            if (pass == 0) {
              ++count;
              continue;
            }
            const Bounded away = plus(x[m][i][j], {-t, 0});
            out_.loss.value += away.value * away.value / count;
            out_.loss.error += (2 * std::abs(away.value) + away.error) * away.error / count;
            out_.of(goal_.stage)[m][i][j] = times({2 / count, kUnit * 2 / count}, away);
          }
    out_.loss.error += kUnit * out_.loss.value;
  }

  void start_entropy() {
    const std::vector<PlainMatrix>& weights = forward_.of(Stage::Weights);
    double count = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t m = 0; m < weights.size(); ++m)
        for (std::size_t i = 0; i < weights[m].size(); ++i) {
          double total = 0;
          for (std::size_t j = 0; j < weights[m][i].size(); ++j)
            total += target(m, i, j);
          if (!(total > 0)) continue;  // also NaN
          if (pass == 0)
            ++count;
          else
            start_entropy_row(m, i, total, count);
        }
  }

  void start_entropy_row(std::size_t m, std::size_t i, double total, double count) {
    const PlainRow& weights = forward_.of(Stage::Weights)[m][i];
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double share = target(m, i, j) / total / count;
      if (share == 0) continue;
      const Bounded below = inverse(weights[j]);
      out_.loss.value -= share * std::log(weights[j].value);
      out_.loss.error += share * (weights[j].error / (weights[j].value - weights[j].error) +
                                  kUnit * (1 + std::abs(std::log(weights[j].value))));
      if (!std::isfinite(below.error)) out_.loss.error = below.error;
      out_.of(Stage::Weights)[m][i][j] = times({-share, kUnit * share}, below);
    }
  }

  // Clears the gradient of overwritten numbers after it has been reported: nothing before affects them.
  PlainMatrix passed(Stage stage, std::size_t matrix) {
    const std::size_t count = count_of(stage);
    PlainMatrix gradient = out_.of(stage)[matrix];
    for (std::size_t i = 0; i < gradient.size(); ++i)
      for (std::size_t j = 0; j < gradient[i].size(); ++j)
        if (headlight::is_overwritten(
                layer_, {stage, static_cast<Index>(matrix / count), static_cast<Index>(matrix % count),
                         static_cast<Index>(i), static_cast<Index>(j)}))
          gradient[i][j] = {};
    return gradient;
  }

  void pass_back(Stage stage) {
    switch (stage) {
      case Stage::Output:
        return layer_.attention.output_projection ? through_layer(Parameter::Output)
                                                  : copy_to(Stage::Concat, stage);
      case Stage::Concat:
        return through_concat();
      case Stage::Context:
        return through_context();
      case Stage::Dropped:
        return through_dropped();
      case Stage::Weights:
        return through_weights();
      case Stage::Masked:
      case Stage::Biased:
      case Stage::Capped:
      case Stage::Scaled:
        return through_scores(stage);
      case Stage::Scores:
        return through_products();
      case Stage::RotatedKeys:
        return through_rotation(stage, Stage::Keys, layer_.attention.position.key_start);
      case Stage::RotatedQueries:
        return through_rotation(stage, Stage::Queries, layer_.attention.position.start);
      case Stage::Values:
        return through_input(Parameter::Value);
      case Stage::Keys:
        return through_input(Parameter::Key);
      case Stage::Queries:
        return through_input(Parameter::Query);
      case Stage::Embeddings:
        return;
    }
  }

  void copy_to(Stage to, Stage from) { out_.of(to) = out_.of(from); }

  void through_concat() {
    const auto width = static_cast<std::size_t>(layer_.d_v());
    for (std::size_t b = 0; b < sequences(); ++b)
      for (std::size_t h = 0; h < heads(); ++h)
        if (layer_.attention.head_enabled(static_cast<Index>(h)))
          out_.of(Stage::Context)[b * heads() + h] =
              plain_columns(out_.of(Stage::Concat)[b], h * width, width);
  }

  void through_context() {
    for (std::size_t b = 0; b < sequences(); ++b)
      for (std::size_t g = 0; g < groups(); ++g) {
        const PlainMatrix& values = forward_.of(Stage::Values)[b * groups() + g];
        std::vector<std::vector<PlainSum>> sums(values.size(), std::vector<PlainSum>(values[0].size()));
        for (std::size_t h = 0; h < heads(); ++h) {
          if (group_of(h) != g) continue;
          const PlainMatrix gradient = passed(Stage::Context, b * heads() + h);
          const PlainMatrix& dropped = forward_.of(Stage::Dropped)[b * heads() + h];
          for (std::size_t i = 0; i < dropped.size(); ++i)
            for (std::size_t j = 0; j < dropped[i].size(); ++j) {
              PlainSum sum;
              for (std::size_t c = 0; c < values[j].size(); ++c) {
                sum.add(gradient[i][c], values[j][c]);
                sums[j][c].add(dropped[i][j], gradient[i][c]);
              }
              out_.of(Stage::Dropped)[b * heads() + h][i][j] = sum.result();
            }
        }
        write(sums, out_.of(Stage::Values)[b * groups() + g]);
      }
  }

  static void write(const std::vector<std::vector<PlainSum>>& sums, PlainMatrix& to) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t j = 0; j < sums[i].size(); ++j)
        to[i][j] = sums[i][j].result();
  }

  void through_dropped() {
    copy_to(Stage::Weights, Stage::Dropped);
    if (forward_.noise.empty()) return;
    for (std::size_t m = 0; m < forward_.noise.size(); ++m)
      for (std::size_t i = 0; i < forward_.noise[m].size(); ++i)
        for (std::size_t j = 0; j < forward_.noise[m][i].size(); ++j) {
          Bounded& cell = out_.of(Stage::Weights)[m][i][j];
          cell = times(cell, {static_cast<double>(forward_.noise[m][i][j]), 0});
        }
  }

  void through_weights() {
    using headlight::Normalization;
    if (layer_.attention.projection == headlight::Projection::Weights) return;
    const Normalization how = layer_.attention.normalization;
    for (std::size_t m = 0; m < out_.of(Stage::Weights).size(); ++m) {
      const PlainMatrix gradient = passed(Stage::Weights, m);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const PlainRow& masked = forward_.of(Stage::Masked)[m][i];
        const bool sum = how == Normalization::Sum;
        const PlainRow weights =
            plain_normalize(layer_, m % static_cast<std::size_t>(layer_.head_count()), masked);
        PlainSum mean;
        Bounded total;  // of the scores
        for (std::size_t j = 0; j < masked.size(); ++j) {
          mean.add(weights[j], gradient[i][j]);
          if (masked[j].value != kNothing) total = plus(total, masked[j]);
        }
        for (std::size_t j = 0; j < masked.size(); ++j) {
          if (masked[j].value == kNothing) continue;
          // The difference also rounds each of its terms.
          Bounded away = plus(gradient[i][j], negative(mean.result()));
          away.error += kUnit * (std::abs(gradient[i][j].value) + std::abs(mean.result().value));
          out_.of(Stage::Masked)[m][i][j] = times(away, sum ? inverse(total) : weights[j]);
        }
      }
    }
  }

  // From one of masked, biased, capped and scaled to the stage before it.
  void through_scores(Stage stage) {
    const Stage before = headlight::stage_before(layer_, stage);
    const double cap = layer_.attention.softcap;
    const auto factor = static_cast<double>(layer_.scale_factor());
    for (std::size_t m = 0; m < out_.of(stage).size(); ++m)
      for (std::size_t i = 0; i < out_.of(stage)[m].size(); ++i)
        for (std::size_t j = 0; j < out_.of(stage)[m][i].size(); ++j) {
          Bounded cell = out_.of(stage)[m][i][j];
          const Bounded& y = forward_.of(stage)[m][i][j];
          if (stage == Stage::Masked && plain_hidden(layer_, m / heads(), m % heads(), i, j)) cell = {};
          if (stage == Stage::Capped) {
            const double share = y.value / cap;
            cell = times(cell, {1 - share * share, 2 * std::abs(share) * y.error / cap + 4 * kUnit});
          }
          if (stage == Stage::Scaled) cell = times(cell, {factor, kUnit * std::abs(factor)});
          out_.of(before)[m][i][j] = cell;
        }
  }

  void through_products() {
    const bool turned = layer_.attention.position.kind == headlight::PositionKind::Rotary;
    const Stage of_queries = turned ? Stage::RotatedQueries : Stage::Queries;
    const Stage of_keys = turned ? Stage::RotatedKeys : Stage::Keys;
    for (std::size_t b = 0; b < sequences(); ++b)
      for (std::size_t g = 0; g < groups(); ++g) {
        const PlainMatrix& keys = forward_.of(of_keys)[b * groups() + g];
        std::vector<std::vector<PlainSum>> of_key(keys.size(), std::vector<PlainSum>(keys[0].size()));
        for (std::size_t h = 0; h < heads(); ++h) {
          if (group_of(h) != g) continue;
          const PlainMatrix& gradient = out_.of(Stage::Scores)[b * heads() + h];
          const PlainMatrix& queries = forward_.of(of_queries)[b * heads() + h];
          std::vector<std::vector<PlainSum>> of_query(queries.size(), std::vector<PlainSum>(keys[0].size()));
          for (std::size_t i = 0; i < queries.size(); ++i)
            for (std::size_t j = 0; j < keys.size(); ++j)
              for (std::size_t c = 0; c < keys[j].size(); ++c) {
                of_query[i][c].add(gradient[i][j], keys[j][c]);
                of_key[j][c].add(gradient[i][j], queries[i][c]);
              }
          write(of_query, out_.of(of_queries)[b * heads() + h]);
        }
        write(of_key, out_.of(of_keys)[b * groups() + g]);
      }
  }

  // A rotation is linear: column c of its matrix is what it makes of the c-th unit vector.
  void through_rotation(Stage from, Stage to, Index start) {
    for (std::size_t m = 0; m < out_.of(from).size(); ++m) {
      const PlainMatrix gradient = passed(from, m);
      for (std::size_t c = 0; c < gradient[0].size(); ++c) {
        PlainMatrix unit(gradient.size(), PlainRow(gradient[0].size()));
        for (PlainRow& row : unit)
          row[c].value = 1;
        const PlainMatrix column = plain_turned(unit, layer_, start);
        for (std::size_t i = 0; i < gradient.size(); ++i) {
          PlainSum sum;
          for (std::size_t other = 0; other < gradient[i].size(); ++other)
            sum.add(gradient[i][other], column[i][other]);
          out_.of(to)[m][i][c] = sum.result();
        }
      }
    }
  }

  void through_input(Parameter p) {
    using headlight::Projection;
    if (layer_.attention.projection == Projection::Linear) return through_layer(p);
    if (layer_.attention.projection != Projection::None) return;
    for (std::size_t b = 0; b < sequences(); ++b) {
      PlainMatrix& input = input_gradient(p, b);
      const PlainMatrix gradient = joined(p, b);
      for (std::size_t i = 0; i < input.size(); ++i)
        for (std::size_t c = 0; c < input[i].size(); ++c)
          input[i][c] = plus(input[i][c], gradient[i][c]);
    }
  }

  PlainMatrix& input_gradient(Parameter p, std::size_t b) {
    if (p == Parameter::Output) return out_.of(Stage::Concat)[b];
    return p != Parameter::Query && !out_.key_embeddings.empty() ? out_.key_embeddings[b]
                                                                 : out_.of(Stage::Embeddings)[b];
  }
  PlainMatrix input(Parameter p, std::size_t b) {
    if (p == Parameter::Output) return forward_.of(Stage::Concat)[b];
    return p != Parameter::Query && !layer_.key_embeddings.empty() ? plain(layer_.key_embeddings[b])
                                                                   : forward_.of(Stage::Embeddings)[b];
  }

  // The gradient of the layer's result, its heads side by side.
  PlainMatrix joined(Parameter p, std::size_t b) {
    const Stage stage = headlight::projected_stage(p);
    const std::size_t count = count_of(stage);
    PlainMatrix all(out_.of(stage)[b * count].size());
    for (std::size_t h = 0; h < count; ++h) {
      const PlainMatrix gradient = passed(stage, b * count + h);
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i].insert(all[i].end(), gradient[i].begin(), gradient[i].end());
    }
    return all;
  }

  void through_layer(Parameter p) {
    const auto at = static_cast<std::size_t>(p);
    const bool in_out = layer_.weights.layout == headlight::WeightLayout::InOut;
    const PlainMatrix w = plain(layer_.weights.matrix(p));
    PlainMatrix& of_w = out_.matrices[at];
    std::vector<std::vector<PlainSum>> sums(of_w.size(), std::vector<PlainSum>(of_w[0].size()));
    std::vector<std::vector<PlainSum>> biases(
        1, std::vector<PlainSum>(out_.biases[at].empty() ? 0 : out_.biases[at][0].size()));
    for (std::size_t b = 0; b < sequences(); ++b) {
      const PlainMatrix gradient = joined(p, b), x = input(p, b);
      PlainMatrix& of_x = input_gradient(p, b);
      for (std::size_t t = 0; t < x.size(); ++t) {
        for (std::size_t i = 0; i < x[t].size(); ++i) {
          PlainSum sum;
          for (std::size_t o = 0; o < gradient[t].size(); ++o) {
            sum.add(gradient[t][o], in_out ? w[i][o] : w[o][i]);
            (in_out ? sums[i][o] : sums[o][i]).add(x[t][i], gradient[t][o]);
          }
          of_x[t][i] = plus(of_x[t][i], sum.result());
        }
        for (std::size_t o = 0; o < biases[0].size(); ++o)
          biases[0][o].add(gradient[t][o], {1, 0});
      }
    }
    write(sums, of_w);
    if (!biases[0].empty()) write(biases, out_.biases[at]);
  }

  const headlight::Layer& layer_;
  const headlight::Goal& goal_;
  PlainForward forward_;
  PlainGradients out_;
};

inline PlainGradients plain_gradients(const headlight::Layer& layer, const headlight::Goal& goal) {
  return PlainBackward(layer, goal).run();
}

}  // namespace headlight_test
