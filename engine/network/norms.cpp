#include "engine/network/norms.h"

#include <cmath>
#include <vector>

#include "engine/simd/vector_loops.h"

namespace headlight {
namespace {

using Row = Eigen::Ref<Eigen::RowVectorXf>;

// x / (1 + e^-z)
void divide_by_logistic(const Eigen::RowVectorXf& minus_z, Row x) {
  thread_local std::vector<float> powers;
  powers.resize(static_cast<std::size_t>(x.size()));
  best_vector_loops().exponentiate(minus_z.data(), minus_z.size(), 0, powers.data());
  x.array() /= 1 + Eigen::Map<const Eigen::RowVectorXf>(powers.data(), x.size()).array();
}

// 0.5 x (1 + tanh u) is x / (1 + e^-2u).
constexpr float kTanhFactor = 2 * 0.7978845608028654f;  // 2 sqrt(2 / pi)
constexpr float kTanhCubic = 0.044715f;

void activate_row(Activation how, Row x) {
  thread_local Eigen::RowVectorXf minus_z;
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

}  // namespace

void norm_rows(const NetworkConfig& config, const NormWeights& norm, const MatrixRef& x, MatrixOut y) {
  const auto epsilon = static_cast<float>(config.epsilon);
  for (Index i = 0; i < x.rows(); ++i) {
    auto row = y.row(i).array();
    const float mean = config.norm == NormKind::Layer ? x.row(i).mean() : 0;
    row = x.row(i).array() - mean;
    row *= 1 / std::sqrt(row.square().mean() + epsilon);
    if (config.norm == NormKind::RmsPlusOne)
      row *= 1 + norm.weight.array();
    else
      row *= norm.weight.array();
    if (norm.bias.size() > 0) row += norm.bias.array();
  }
}

void activate(Activation how, MatrixOut x) {
  for (Index i = 0; i < x.rows(); ++i)
    activate_row(how, x.row(i));
}

void activate_gated(Activation how, const MatrixRef& gate, MatrixOut up) {
  thread_local Eigen::RowVectorXf row;
  for (Index i = 0; i < up.rows(); ++i) {
    row = gate.row(i);
    activate_row(how, row);
    up.row(i).array() *= row.array();
  }
}

}  // namespace headlight
