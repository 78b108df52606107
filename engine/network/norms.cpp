#include "engine/network/norms.h"

#include <algorithm>
#include <cmath>

#include "engine/simd/vector_loops.h"

namespace headlight {
namespace {

using Row = Eigen::Ref<Eigen::RowVectorXf>;

// x / (1 + e^-z). minus_z is overwritten.
void divide_by_logistic(Row minus_z, Row x) {
  best_vector_loops().exponentiate(minus_z.data(), minus_z.size(), 0, minus_z.data());
  x.array() /= 1 + minus_z.array();
}

// 0.5 x (1 + tanh u) is x / (1 + e^-2u).
constexpr float kTanhFactor = 2 * 0.7978845608028654f;  // 2 sqrt(2 / pi)
constexpr float kTanhCubic = 0.044715f;

// minus_z: scratch space of the length of x.
void activate_row(Activation how, Row x, Row minus_z) {
  switch (how) {
    case Activation::Gelu:
      for (Index i = 0; i < x.size(); ++i)
        x(i) *= 0.5f * (1 + std::erf(x(i) * 0.7071067811865476f));
      break;
    case Activation::GeluTanh:
      minus_z = -kTanhFactor * (x.array() * (1 + kTanhCubic * x.array().square())).matrix();
      divide_by_logistic(minus_z, x);
      break;
    case Activation::QuickGelu:
      minus_z = -1.702f * x;
      divide_by_logistic(minus_z, x);
      break;
    case Activation::Relu:
      x.array() = (x.array() < 0).select(0.0f, x.array());  // NaN stays
      break;
    case Activation::ReluSquared:
      x.array() = (x.array() < 0).select(0.0f, x.array().square());
      break;
    case Activation::Silu:
      minus_z = -x;
      divide_by_logistic(minus_z, x);
      break;
  }
}

// The derivative of x s(a(x)) with the logistic function s: s + x s (1 - s) a'(x). slope: s on entry, and the
// result; inner: a'(x).
template <class Inner>
void logistic_slope(const Eigen::RowVectorXf& x, Row slope, const Inner& inner) {
  const auto s = slope.array();
  slope = (s + x.array() * s * (1 - s) * inner).matrix().eval();
}

// row = f(row), slope = f'(row).
void activate_row_with_slope(Activation how, Row row, Row slope) {
  const Eigen::RowVectorXf x = row;
  const auto logistic = [&](const auto& minus_z) {
    slope = minus_z.matrix();
    best_vector_loops().exponentiate(slope.data(), slope.size(), 0, slope.data());
    slope.array() = 1 / (1 + slope.array());
    row.array() *= slope.array();
  };
  constexpr float kRootHalf = 0.7071067811865476f, kDensity = 0.3989422804014327f;  // 1 / sqrt(2 pi)
  switch (how) {
    case Activation::Gelu:
      for (Index i = 0; i < x.size(); ++i) {
        const float share = 0.5f * (1 + std::erf(x(i) * kRootHalf));
        row(i) = x(i) * share;
        slope(i) = share + x(i) * kDensity * std::exp(-0.5f * x(i) * x(i));
      }
      break;
    case Activation::GeluTanh:
      logistic(-kTanhFactor * (x.array() * (1 + kTanhCubic * x.array().square())));
      logistic_slope(x, slope, kTanhFactor * (1 + 3 * kTanhCubic * x.array().square()));
      break;
    case Activation::QuickGelu:
      logistic(-1.702f * x.array());
      logistic_slope(x, slope, 1.702f);
      break;
    case Activation::Silu:
      logistic(-x.array());
      logistic_slope(x, slope, 1.0f);
      break;
    case Activation::Relu:
      row.array() = (x.array() < 0).select(0.0f, x.array());
      slope.array() = (x.array() > 0).cast<float>();
      break;
    case Activation::ReluSquared:
      row.array() = (x.array() < 0).select(0.0f, x.array().square());
      slope.array() = (x.array() < 0).select(0.0f, 2 * x.array());
      break;
  }
}

void norm_by(const NetworkConfig& config, const Eigen::Ref<const Eigen::RowVectorXf>& weight,
             const Eigen::RowVectorXf& bias, const MatrixRef& x, MatrixOut y) {
  const auto epsilon = static_cast<float>(config.epsilon);
  for (Index i = 0; i < x.rows(); ++i) {
    auto row = y.row(i).array();
    const float mean = config.norm == NormKind::Layer ? x.row(i).mean() : 0;
    row = x.row(i).array() - mean;
    row *= 1 / std::sqrt(row.square().mean() + epsilon);
    if (config.norm == NormKind::RmsPlusOne)
      row *= 1 + weight.array();
    else
      row *= weight.array();
    if (bias.size() > 0) row += bias.array();
  }
}

}  // namespace

void norm_rows(const NetworkConfig& config, const NormWeights& norm, const MatrixRef& x, MatrixOut y) {
  norm_by(config, norm.weight, norm.bias, x, y);
}

void clip_rows(const NetworkConfig& config, MatrixOut rows) {
  if (config.clip == 0) return;
  const auto most = static_cast<float>(config.clip);
  rows = rows.cwiseMax(-most).cwiseMin(most);
}

void norm_heads(const NetworkConfig& config, const NormWeights& norm, MatrixOut rows) {
  clip_rows(config, rows);
  if (norm.empty()) return;
  if (config.head_norms == HeadNorm::Whole) return norm_rows(config, norm, rows, rows);
  const Index width = config.head_width;
  const bool own = config.head_norms == HeadNorm::EachHead;
  for (Index column = 0; column < rows.cols(); column += width) {
    auto head = rows.middleCols(column, width);
    norm_by(config, norm.weight.segment(own ? column : 0, width), norm.bias, head, head);
  }
}

void activate(Activation how, MatrixOut x, Workspace& workspace) {
  ScratchMatrix minus_z(workspace, 1, x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    activate_row(how, x.row(i), minus_z->row(0));
}

void activate_with_slope(Activation how, MatrixOut x, MatrixOut slope) {
  for (Index i = 0; i < x.rows(); ++i)
    activate_row_with_slope(how, x.row(i), slope.row(i));
}

void activate_gated(Activation how, const MatrixRef& gate, MatrixOut up, Workspace& workspace) {
  ScratchMatrix rows(workspace, 2, up.cols());
  for (Index i = 0; i < up.rows(); ++i) {
    rows->row(0) = gate.row(i);
    activate_row(how, rows->row(0), rows->row(1));
    up.row(i).array() *= rows->row(0).array();
  }
}

void activate_clamped(const MatrixRef& gate_up, MatrixOut hidden) {
  constexpr float kMost = 7, kSlope = 1.702f;
  for (Index i = 0; i < hidden.rows(); ++i)
    for (Index j = 0; j < hidden.cols(); ++j) {
      const float gate = std::min(gate_up(i, 2 * j), kMost),
                  up = std::clamp(gate_up(i, 2 * j + 1), -kMost, kMost);
      hidden(i, j) = (up + 1) * gate / (1 + std::exp(-kSlope * gate));
    }
}

}  // namespace headlight
