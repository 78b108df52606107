#include "engine/attention/kernels.h"

#include <algorithm>
#include <cmath>

#include "engine/attention/infinity.h"
#include "engine/simd/vector_loops.h"

namespace headlight {
namespace {

// A stage may be computed in the memory of the one before it.
void copy_unless_same(const MatrixRef& from, MatrixOut to) {
  if (to.data() != from.data()) to = from;
}

void softmax_row(Eigen::Ref<Eigen::RowVectorXf> row) {
  // Subtract the row maximum: exp overflows above 88.
  const float maximum = row_maximum(row);
  if (maximum == -kInfinity) {
    row.setZero();
    return;
  }
  exponentiate(row, maximum);
  divide_row_by_sum(row);
}

// The softmax of the row and one more logit, without the weight of that.
void sink_softmax_row(Eigen::Ref<Eigen::RowVectorXf> row, float sink) {
  const float maximum = std::max(row_maximum(row), sink);
  exponentiate(row, maximum);
  row /= row.sum() + std::exp(sink - maximum);
}

void naive_softmax_row(Eigen::Ref<Eigen::RowVectorXf> row) {
  if ((row.array() == -kInfinity).all()) {
    row.setZero();
    return;
  }
  exponentiate(row, 0.0f);
  divide_row_by_sum(row);
}

// Minus infinity is either a masked cell or a score that overflowed; the latter is part of the sum.
void sum_row(const OpenCells& open, Index query, Eigen::Ref<Eigen::RowVectorXf> row) {
  bool any = false;
  for (Index key = 0; key < row.size(); ++key) {
    if (row(key) == -kInfinity && (open.bias_closes || !open.contains(query, key)))
      row(key) = 0.0f;
    else
      any = true;
  }
  if (any) divide_row_by_sum(row);
}

struct PairAngles {
  const float *cosines, *sines;  // one per pair
};

// Rotates pairs in place. The two numbers of a pair are `apart` from each other; consecutive pairs are kStep
// apart. before: scratch, one number per pair.
template <int kStep>
void turn_pairs(float* row, Index apart, const PairAngles& angles, Eigen::ArrayXf& before) {
  using Numbers = Eigen::Map<Eigen::ArrayXf, 0, Eigen::InnerStride<kStep>>;
  Numbers first(row, before.size()), second(row + apart, before.size());
  const Eigen::Map<const Eigen::ArrayXf> cosines(angles.cosines, before.size());
  const Eigen::Map<const Eigen::ArrayXf> sines(angles.sines, before.size());
  before = first;
  first = before * cosines - second * sines;
  second = second * cosines + before * sines;
}

}  // namespace

float row_maximum(const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  return row.maxCoeff<Eigen::PropagateNaN>();
}

// Not Eigen's exp, which clamps its argument to -88.7, so that a masked cell would have a weight of 1e-39,
// and which rounds differently at the end of a row.
void exponentiate(Eigen::Ref<Eigen::RowVectorXf> row, float subtracted) {
  best_vector_loops().exponentiate(row.data(), row.size(), subtracted, row.data());
}

void divide_row_by_sum(Eigen::Ref<Eigen::RowVectorXf> row) {
  row /= row.sum();
}

void score(const MatrixRef& q, const MatrixRef& k, MatrixOut scores, Workspace& workspace) {
  multiply_transposed(q, k, scores, workspace);
}

void scale(const MatrixRef& scores, float factor, MatrixOut scaled) {
  scaled = scores * factor;
}

Rotation::Rotation(const Position& position, Index dims, Index start, Index tokens)
    : pairs_(position.pairs), cosines_(tokens, dims / 2), sines_(tokens, dims / 2) {
  // Each token adds the same angle. In double, so that the thousandth token is as exact as the first.
  for (Index pair = 0; pair < dims / 2; ++pair) {
    const double step = rotary_angle(position, dims, pair, 1);
    for (Index token = 0; token < tokens; ++token) {
      const double angle = step * static_cast<double>(start + token);
      cosines_(token, pair) = static_cast<float>(position.scaling.magnitude * std::cos(angle));
      sines_(token, pair) = static_cast<float>(position.scaling.magnitude * std::sin(angle));
    }
  }
}

void Rotation::apply_rope(const MatrixRef& x, Index first, MatrixOut turned) const {
  turned = x;
  Eigen::ArrayXf before(cosines_.cols());
  for (Index row = 0; row < x.rows(); ++row) {
    const PairAngles angles = {cosines_.row(first + row).data(), sines_.row(first + row).data()};
    if (pairs_ == RotaryPairs::Halves)
      turn_pairs<1>(turned.row(row).data(), cosines_.cols(), angles, before);
    else
      turn_pairs<2>(turned.row(row).data(), 1, angles, before);
  }
}

Rotation Rotation::transposed() const {
  Rotation back = *this;
  back.sines_ = -sines_;
  return back;
}

void cap_scores(const MatrixRef& scaled, double cap, MatrixOut capped) {
  const auto limit = static_cast<float>(cap);
  capped = scaled.unaryExpr([limit](float value) { return limit * std::tanh(value / limit); });
}

float bias_of(const Layer& layer, Index sequence, Index head, Index query, Index key) {
  double bias = 0;
  if (layer.attention.position.kind == PositionKind::Alibi)
    bias =
        -layer.alibi_slope(head) * std::abs(static_cast<double>(layer.query_offset(sequence) + query - key));
  if (!layer.score_bias.empty()) bias += static_cast<double>(layer.score_bias.at(sequence, head, query, key));
  return static_cast<float>(bias);
}

void add_bias(const MatrixRef& scores, const Layer& layer, Index sequence, Index head, Index first,
              MatrixOut biased) {
  biased = scores;
  if (layer.attention.position.kind == PositionKind::Alibi) {
    const double slope = layer.alibi_slope(head);
    const Index offset = layer.query_offset(sequence);
    const bool also = !layer.score_bias.empty();
    for (Index row = 0; row < biased.rows(); ++row)
      for (Index key = 0; key < biased.cols(); ++key) {
        double more = -slope * std::abs(static_cast<double>(offset + first + row - key));
        if (also) more += static_cast<double>(layer.score_bias.at(sequence, head, first + row, key));
        biased(row, key) += static_cast<float>(more);
      }
    return;
  }
  const Matrix& bias = layer.score_bias.of(sequence, head);
  for (Index row = 0; row < biased.rows(); ++row) {
    const auto own = bias.row(bias.rows() == 1 ? 0 : first + row);
    if (own.size() == 1)
      biased.row(row).array() += own(0);
    else
      biased.row(row) += own.head(biased.cols());
  }
}

void apply_mask(const MatrixRef& scores, const OpenCells& open, Index first, MatrixOut masked) {
  copy_unless_same(scores, masked);
  for (Index row = 0; row < masked.rows(); ++row) {
    const Index begin = std::min(open.band.begin(first + row), masked.cols()),
                end = std::min(open.band.end(first + row), masked.cols());
    if (begin > 0) masked.row(row).head(begin).setConstant(-kInfinity);
    if (end < masked.cols()) masked.row(row).tail(masked.cols() - end).setConstant(-kInfinity);
  }
  if (open.allowed)
    masked = (open.allowed->block(first, 0, scores.rows(), scores.cols()).array() != 0.0f)
                 .select(masked, -kInfinity);
}

void normalize_rows(const MatrixRef& masked, Normalization how, const OpenCells& open, Index first,
                    MatrixOut weights, std::optional<float> sink) {
  copy_unless_same(masked, weights);
  for (Index row = 0; row < weights.rows(); ++row) {
    switch (how) {
      case Normalization::Softmax:
        if (sink)
          sink_softmax_row(weights.row(row), *sink);
        else
          softmax_row(weights.row(row));
        break;
      case Normalization::NaiveSoftmax:
        naive_softmax_row(weights.row(row));
        break;
      case Normalization::Sum:
        sum_row(open, first + row, weights.row(row));
        break;
    }
  }
}

void drop(const MatrixRef& weights, const MatrixRef& noise, MatrixOut dropped) {
  dropped = weights.cwiseProduct(noise);
}

void head_part(const Matrix& concat, const Matrix* w, WeightLayout layout, Index head, Index d_v,
               Matrix& part) {
  Workspace workspace;
  const Index first = head * d_v;
  const auto columns = concat.middleCols(first, d_v);
  if (!w) {
    part = Matrix::Zero(concat.rows(), concat.cols());
    part.middleCols(first, d_v) = columns;
  } else if (layout == WeightLayout::InOut) {
    part.resize(concat.rows(), w->cols());
    multiply(columns, w->middleRows(first, d_v), part, workspace);
  } else {
    part.resize(concat.rows(), w->rows());
    multiply_transposed(columns, w->middleCols(first, d_v), part, workspace);
  }
}

void weighted_sum(const MatrixRef& dropped, const MatrixRef& v, const KeyBand& band, Index first,
                  MatrixOut context, Workspace& workspace) {
  // Zero weights are skipped only if v is finite, because 0 times infinity is NaN. A row that was divided by
  // zero or NaN is not zero outside the band; such a row is not finite in its first column either.
  const Index last = first + dropped.rows() - 1;
  if ((band.begin(last) == 0 && band.end(first) == v.rows()) || !all_finite(v) ||
      !all_finite(dropped.leftCols(1))) {
    multiply(dropped, v, context, workspace);
    return;
  }
  constexpr Index kRows = 120;
  for (Index row = 0; row < dropped.rows(); row += kRows) {
    const Index count = std::min(kRows, dropped.rows() - row);
    const Index begin = band.begin(first + row), end = band.end(first + row + count - 1);
    if (begin < end)
      multiply(dropped.block(row, begin, count, end - begin), v.middleRows(begin, end - begin),
               context.middleRows(row, count), workspace);
    else
      context.middleRows(row, count).setZero();
  }
}

}  // namespace headlight
