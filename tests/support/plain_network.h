// The loss and the logits of a whole model in plain loops of float64, one number after the other: what the
// fast passes and their gradients are compared with.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/network/layer_steps.h"
#include "engine/network/network_pass.h"

namespace headlight_test {

using headlight::Index;

// A number that is changed on its way: of a stage that a patch can overwrite, see PatchStage in
// engine/network/network_pass.h.
struct Nudge {
  std::optional<headlight::PatchStage> what;  // nullopt: nothing
  Index layer = 0, head = 0, row = 0, column = 0;
  double by = 0;
};

class PlainNetwork {
 public:
  using Rows = std::vector<std::vector<double>>;

  explicit PlainNetwork(const headlight::Network& network) : c_(network.config()), w_(network.weights()) {
    for (const headlight::Tensor* tensor : headlight::tensors_of(w_)) {
      const Index count = tensor->rows() * tensor->columns();
      std::vector<float> numbers(static_cast<std::size_t>(count));
      headlight::read_numbers(*tensor, 0, count, numbers.data());
      numbers_[tensor].assign(numbers.begin(), numbers.end());
    }
  }

  std::vector<double>& numbers(const headlight::Tensor* tensor) { return numbers_.at(tensor); }

  // -ln p of each token but the first.
  std::vector<double> losses(const std::vector<std::int32_t>& ids, const Nudge& nudge = {}) const {
    const Rows x = streams(ids, nudge);
    std::vector<double> losses;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i)
      losses.push_back(loss_of(x[i], ids[i + 1]));
    return losses;
  }
  // The logit of one token less that of another, behind the token at `position`.
  double logit_difference(const std::vector<std::int32_t>& ids, Index position, std::int32_t id,
                          std::int32_t other, const Nudge& nudge = {}) const {
    const std::vector<double> logits = logits_of(streams(ids, nudge)[at(position)]);
    return logits[at(id)] - logits[at(other)];
  }
  double loss(const std::vector<std::int32_t>& ids, const Nudge& nudge = {}) const {
    const std::vector<double> all = losses(ids, nudge);
    double sum = 0;
    for (const double one : all)
      sum += one;
    return sum / static_cast<double>(all.size());
  }

 private:
  using Numbers = std::vector<double>;
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // The stream as it leaves the last layer.
  Rows streams(const std::vector<std::int32_t>& ids, const Nudge& nudge) const {
    Rows x = embedded(ids);
    for (Index layer = 0; layer < c_.layers; ++layer) {
      apply(nudge, headlight::PatchStage::Residual, layer, x);
      x = left(layer, x, nudge);
    }
    apply(nudge, headlight::PatchStage::Residual, c_.layers, x);
    return x;
  }

  // width: columns of one head; 0: the stage has no heads, or the rows are those of the nudge's head.
  static void apply(const Nudge& nudge, headlight::PatchStage what, Index layer, Rows& rows,
                    Index width = 0) {
    if (nudge.what == what && nudge.layer == layer)
      rows[at(nudge.row)][at(nudge.head * width + nudge.column)] += nudge.by;
  }

  double number(const headlight::Tensor* tensor, Index row, Index column) const {
    return numbers_.at(tensor)[at(row * tensor->columns() + column)];
  }

  Rows embedded(const std::vector<std::int32_t>& ids) const {
    Rows x;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Numbers row;
      for (Index j = 0; j < c_.width; ++j) {
        double sum =
            number(w_.tokens, ids[i], j) * static_cast<double>(static_cast<float>(c_.embedding_factor));
        if (w_.positions) sum += number(w_.positions, c_.position_offset + static_cast<Index>(i), j);
        if (w_.types) sum += number(w_.types, 0, j);
        row.push_back(sum);
      }
      x.push_back(w_.embedding_norm.empty() ? row : normed(w_.embedding_norm, row));
    }
    return x;
  }

  Numbers normed(const headlight::NormWeights& norm, Numbers x) const {
    const auto count = static_cast<double>(x.size());
    double mean = 0, square = 0;
    if (c_.norm == headlight::NormKind::Layer)
      for (const double one : x)
        mean += one / count;
    for (double& one : x) {
      one -= mean;
      square += one * one / count;
    }
    const double one = c_.norm == headlight::NormKind::RmsPlusOne ? 1 : 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] *= ((norm.weight_tensor ? numbers_.at(norm.weight_tensor)[i] : 1) + one) /
              std::sqrt(square + c_.epsilon);
      if (norm.bias_tensor) x[i] += numbers_.at(norm.bias_tensor)[i];
    }
    return x;
  }
  Numbers normed_if(const headlight::NormWeights& norm, const Numbers& x) const {
    return norm.empty() ? x : normed(norm, x);
  }

  Numbers product(const headlight::Factor& w, const Numbers& x) const {
    const double* const factor = numbers_.at(w.tensor).data();
    const Index columns = w.tensor->columns();
    Numbers y;
    for (Index output = 0; output < w.outputs; ++output) {
      const Index place = w.place(output);
      double sum = w.bias ? numbers_.at(w.bias)[at(place)] : 0;
      for (Index input = 0; input < w.inputs; ++input)
        sum += x[at(input)] * factor[w.transposed ? place * columns + input : input * columns + place];
      y.push_back(sum);
    }
    return y;
  }

  double activated(double x) const { return activated(c_.activation, x); }
  static double activated(headlight::Activation how, double x) {
    switch (how) {
      case headlight::Activation::Gelu:
        return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
      case headlight::Activation::GeluTanh:
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      case headlight::Activation::QuickGelu:
        return x / (1 + std::exp(-1.702 * x));
      case headlight::Activation::Silu:
        return x / (1 + std::exp(-x));
      case headlight::Activation::Relu:
        return std::max(x, 0.0);
      case headlight::Activation::ReluSquared:
        return std::max(x, 0.0) * std::max(x, 0.0);
    }
    return 0;
  }

  // Queries or keys of one token: their norm, then the rotation of each head.
  Numbers turned(const headlight::NormWeights& norm, Numbers x, Index layer, Index token,
                 Index tokens) const {
    const headlight::Position position = c_.position_in(layer, tokens);
    const bool whole = c_.head_norms == headlight::HeadNorm::Whole;
    if (whole) x = normed_if(norm, x);
    for (std::size_t head = 0; head < x.size(); head += at(c_.head_width)) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(head);
      if (!whole) {
        const Numbers own = normed_if(norm, Numbers(begin, begin + c_.head_width));
        std::copy(own.begin(), own.end(), begin);
      }
      if (position.kind != headlight::PositionKind::Rotary) continue;
      for (Index pair = 0; pair < position.dims / 2; ++pair) {
        const double angle = headlight::rotary_angle(position, position.dims, pair, token);
        const bool halves = position.pairs == headlight::RotaryPairs::Halves;
        double &one = x[head + at(halves ? pair : 2 * pair)],
               &two = x[head + at(halves ? pair + position.dims / 2 : 2 * pair + 1)];
        const double cosine = position.scaling.magnitude * std::cos(angle),
                     sine = position.scaling.magnitude * std::sin(angle), before = one;
        one = before * cosine - two * sine;
        two = two * cosine + before * sine;
      }
    }
    return x;
  }

  Rows weights_of(const headlight::Layer& frame, Index head, const Rows& q, const Rows& k) const {
    const Index d_k = c_.head_width, group = head / (c_.heads / c_.kv_heads);
    const headlight::OpenCells open = frame.open_cells(0, head);
    Rows weights;
    for (std::size_t i = 0; i < q.size(); ++i) {
      Numbers row(k.size());
      double sum = 0;
      for (std::size_t j = 0; j < k.size(); ++j) {
        if (!open.contains(static_cast<Index>(i), static_cast<Index>(j))) continue;
        double score = 0;
        for (Index d = 0; d < d_k; ++d)
          score += q[i][at(head * d_k + d)] * k[j][at(group * d_k + d)];
        score *= static_cast<double>(frame.scale_factor());
        if (c_.softcap > 0) score = c_.softcap * std::tanh(score / c_.softcap);
        if (frame.attention.position.kind == headlight::PositionKind::Alibi)
          score -= frame.alibi_slope(head) * std::abs(static_cast<double>(i) - static_cast<double>(j));
        if (!frame.score_bias.empty())
          score +=
              static_cast<double>(frame.score_bias.at(0, head, static_cast<Index>(i), static_cast<Index>(j)));
        sum += row[j] = std::exp(score);
      }
      for (double& weight : row)
        weight /= sum;
      weights.push_back(row);
    }
    return weights;
  }

  Rows attention_added(Index layer, const Rows& x, const Nudge& nudge) const {
    const headlight::LayerWeights& w = w_.layers[at(layer)];
    const auto tokens = static_cast<Index>(x.size());
    headlight::Layer frame;
    headlight::set_layer_frame(c_, w_, layer, tokens, frame);
    Rows read = x, q, k, v, concat(x.size(), Numbers(at(c_.heads * c_.head_width)));
    if (c_.norm_place != headlight::NormPlace::After)
      for (Numbers& row : read)
        row = normed_if(w.attention_norm, row);
    apply(nudge, headlight::PatchStage::Input, layer, read);
    for (Index i = 0; i < tokens; ++i) {
      q.push_back(turned(w.query_norm, product(w.query, read[at(i)]), layer, i, tokens));
      k.push_back(turned(w.key_norm, product(w.key, read[at(i)]), layer, i, tokens));
      v.push_back(product(w.value, read[at(i)]));
    }
    apply(nudge, headlight::PatchStage::Queries, layer, q, c_.head_width);
    apply(nudge, headlight::PatchStage::Keys, layer, k, c_.head_width);
    apply(nudge, headlight::PatchStage::Values, layer, v, c_.head_width);
    for (Index head = 0; head < c_.heads; ++head) {
      Rows weights = weights_of(frame, head, q, k);
      if (nudge.head == head) apply(nudge, headlight::PatchStage::Weights, layer, weights);
      const Index group = head / (c_.heads / c_.kv_heads);
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j)
          for (Index d = 0; d < c_.head_width; ++d)
            concat[i][at(head * c_.head_width + d)] += weights[i][j] * v[j][at(group * c_.head_width + d)];
    }
    apply(nudge, headlight::PatchStage::Context, layer, concat, c_.head_width);
    for (Numbers& row : concat)
      row = scaled(normed_if(w.attention_out_norm, product(w.output, row)), c_.residual_factor);
    apply(nudge, headlight::PatchStage::AttentionAdded, layer, concat);
    return concat;
  }

  static Numbers scaled(Numbers x, double factor) {
    for (double& one : x)
      one *= static_cast<double>(static_cast<float>(factor));
    return x;
  }

  Numbers mlp_added(Index layer, const Numbers& x) const {
    const headlight::LayerWeights& w = w_.layers[at(layer)];
    const Numbers read = c_.norm_place == headlight::NormPlace::After ? x : normed_if(w.mlp_norm, x);
    Numbers wide = product(w.up, read);
    if (c_.gated) {
      const Numbers gate = product(w.gate, read);
      for (std::size_t i = 0; i < wide.size(); ++i)
        wide[i] *= activated(gate[i]);
    } else {
      for (double& one : wide)
        one = activated(one);
    }
    return scaled(normed_if(w.mlp_out_norm, product(w.down, wide)), c_.residual_factor);
  }

  static void add(const Numbers& more, Numbers& to) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] += more[i];
  }

  Rows left(Index layer, const Rows& x, const Nudge& nudge) const {
    const headlight::LayerWeights& w = w_.layers[at(layer)];
    const bool after = c_.norm_place == headlight::NormPlace::After;
    const Rows attention = attention_added(layer, x, nudge);
    Rows rows = x, made;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add(attention[i], rows[i]);
      if (after) rows[i] = normed(w.attention_norm, rows[i]);
      made.push_back(mlp_added(layer, c_.parallel ? x[i] : rows[i]));
    }
    apply(nudge, headlight::PatchStage::MlpAdded, layer, made);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add(made[i], rows[i]);
      if (after) rows[i] = normed(w.mlp_norm, rows[i]);
    }
    return rows;
  }

  Numbers logits_of(const Numbers& left) const {
    Numbers x = normed_if(w_.final_norm, left);
    if (!w_.head_transform.empty()) {
      x = product(w_.head_transform, x);
      for (double& one : x)
        one = activated(c_.head_activation, one);
      x = normed(w_.head_norm, x);
    }
    Numbers logits = scaled(product(w_.logits, x), c_.logit_factor);
    for (double& logit : logits)
      if (c_.final_softcap > 0) logit = c_.final_softcap * std::tanh(logit / c_.final_softcap);
    return logits;
  }

  double loss_of(const Numbers& left, std::int32_t next) const {
    const Numbers logits = logits_of(left);
    double sum = 0;
    for (const double logit : logits)
      sum += std::exp(logit);
    return std::log(sum) - logits[at(next)];
  }

  const headlight::NetworkConfig& c_;
  const headlight::NetworkWeights& w_;
  std::map<const headlight::Tensor*, Numbers> numbers_;
};

}  // namespace headlight_test
