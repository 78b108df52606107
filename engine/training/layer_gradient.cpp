#include "engine/training/layer_gradient.h"

#include "engine/core/parallel.h"
#include "engine/learning/goal.h"
#include "engine/learning/pair_backward.h"
#include "engine/network/layer_attention.h"
#include "engine/network/norms.h"
#include "engine/training/row_backward.h"

namespace headlight {
namespace {

constexpr Index kActivatedRows = 32;  // per block of cheap work

// The heads side by side, as what scores are computed from.
void turn_windows(const LayerOfWindows& layer, const NormWeights& norm, const Rotation* rotation,
                  Matrix& rows, Matrix& projected) {
  if (!norm.empty()) projected = rows;
  for (Index window = 0; window < layer.windows; ++window)
    turn_heads(layer.config, norm, rotation, 0, rows.middleRows(window * layer.length(), layer.length()));
}

void attend_windows(const LayerOfWindows& layer, LayerTrace& trace) {
  for (Index window = 0; window < layer.windows; ++window) {
    const Index first = window * layer.length(), count = layer.length();
    attend(layer.frame, trace.queries.middleRows(first, count), trace.keys.middleRows(first, count),
           trace.values.middleRows(first, count), 0, trace.concat.middleRows(first, count), layer.workspace);
  }
}

struct HeadGradients {
  Matrix queries, keys, values;  // of the shapes of what they are the gradients of
};

HeadGradients zeros_like(const LayerTrace& trace) {
  return {Matrix::Zero(trace.queries.rows(), trace.queries.cols()),
          Matrix::Zero(trace.keys.rows(), trace.keys.cols()),
          Matrix::Zero(trace.values.rows(), trace.values.cols())};
}

// From dL/d(concat) through the stages of pairs: a task for each window and head of keys, so that no two add
// to the same numbers.
HeadGradients pairs_backward(const LayerOfWindows& layer, const LayerTrace& trace, const Matrix& concat,
                             const LayerGradients& wanted) {
  const Layer& frame = layer.frame;
  Matrix* const weights = wanted.weights;
  const Index groups = frame.kv_head_count(), shared = frame.head_count() / groups;
  const Index length = layer.length(), d_k = frame.d_k(), d_v = frame.d_v();
  Goal through;  // whatever comes after the heads
  through.stage = Stage::Output;
  through.loss = Loss::Squared;
  std::vector<Matrix> noise = layer.noise ? *layer.noise : std::vector<Matrix>();
  const StageSet stored = weights ? stage_bit(Stage::Weights) : 0;
  const PairPass pass = {frame,
                         through,
                         0,
                         existing_stages(frame),
                         stored,
                         false,
                         noise,
                         layer.workspace,
                         wanted.through_weights};
  Gradients stages;
  if (weights)
    stages.of(Stage::Weights)
        .assign(static_cast<std::size_t>(frame.head_count()), Matrix::Zero(length, length));
  HeadGradients made = zeros_like(trace);
  const double work = 4 * static_cast<double>(layer.windows * frame.head_count() * length * length);
  for_each_index(layer.windows * groups, work, [&](Index task) {
    const Index first = task / groups * length, group = task % groups;
    const auto part = [&](auto& rows, Index head, Index width) {
      return rows.block(first, head * width, length, width);
    };
    for (Index head = group * shared; head < (group + 1) * shared; ++head)
      pair_backward(pass,
                    {0, head, part(trace.queries, head, d_k), part(trace.keys, group, d_k),
                     part(trace.values, group, d_v), part(concat, head, d_v)},
                    stages, part(made.queries, head, d_k), part(made.keys, group, d_k),
                    part(made.values, group, d_v));
  });
  if (weights) std::move(stages.of(Stage::Weights).begin(), stages.of(Stage::Weights).end(), weights);
  return made;
}

// gradient, by what attention adds to the stream, becomes that by its input.
void attention_backward(const LayerOfWindows& layer, const LayerTrace& trace, Matrix& gradient,
                        const LayerGradients& wanted) {
  const LayerWeights& w = layer.weights;
  TensorGradients* const gradients = wanted.tensors;
  wanted.pass_by(PatchStage::AttentionAdded, gradient);
  if (layer.config.residual_factor != 1) gradient *= static_cast<float>(layer.config.residual_factor);
  if (!w.attention_out_norm.empty())
    norm_backward(layer.config, w.attention_out_norm, trace.attention_output, gradient, gradients);
  Matrix concat = Matrix::Zero(trace.concat.rows(), trace.concat.cols());
  factor_backward(w.output, trace.concat, gradient, concat, gradients, layer.workspace);
  wanted.pass_by(PatchStage::Context, concat);
  HeadGradients heads = pairs_backward(layer, trace, concat, wanted);
  wanted.pass_by(PatchStage::Queries, heads.queries);
  wanted.pass_by(PatchStage::Keys, heads.keys);
  wanted.pass_by(PatchStage::Values, heads.values);
  const auto unturned = [&](PatchStage stage) {
    return [&wanted, stage](MatrixOut rows) {
      if (wanted.at_unturned) wanted.at_unturned(stage, rows);
    };
  };
  turn_back(layer, w.query_norm, layer.rotations.queries, trace.projected_queries, heads.queries, gradients,
            unturned(PatchStage::Queries));
  turn_back(layer, w.key_norm, layer.rotations.keys, trace.projected_keys, heads.keys, gradients,
            unturned(PatchStage::Keys));
  gradient.setZero();
  factor_backward(w.query, trace.attention_input, heads.queries, gradient, gradients, layer.workspace);
  factor_backward(w.key, trace.attention_input, heads.keys, gradient, gradients, layer.workspace);
  factor_backward(w.value, trace.attention_input, heads.values, gradient, gradients, layer.workspace);
  wanted.pass_by(PatchStage::Input, gradient);
}

// hidden = f(up), or f(gate) up; slopes = its derivative by what is activated. Returns f(gate), by which a
// gated MLP's hidden numbers change with `up`.
Matrix activation_backward(const NetworkConfig& c, const MlpTrace& trace, Matrix& hidden, Matrix& slopes) {
  hidden = c.gated ? trace.gate : trace.up;
  slopes.resize(hidden.rows(), hidden.cols());
  for_each_block(hidden.rows(), kActivatedRows, 12 * hidden.cols(), [&](Index begin, Index count) {
    activate_with_slope(c.activation, hidden.middleRows(begin, count), slopes.middleRows(begin, count));
  });
  if (!c.gated) return {};
  Matrix activated = hidden;
  hidden.array() *= trace.up.array();
  slopes.array() *= trace.up.array();
  return activated;
}

}  // namespace

void turn_back(const LayerOfWindows& layer, const NormWeights& norm, const Rotation* rotation,
               const Matrix& projected, Matrix& rows, TensorGradients* gradients,
               const std::function<void(MatrixOut gradient)>& unturned) {
  if (rotation) {
    static const NormWeights kNoNorm;
    const Rotation back = rotation->transposed();
    for (Index window = 0; window < layer.windows; ++window)
      turn_heads(layer.config, kNoNorm, &back, 0, rows.middleRows(window * layer.length(), layer.length()));
  }
  if (unturned) unturned(rows);
  if (!norm.empty()) head_norm_backward(layer.config, norm, projected, rows, gradients);
}

void mlp_backward(const LayerOfWindows& layer, const MatrixRef& entered, const MlpTrace& trace,
                  Matrix& gradient, const LayerGradients& wanted) {
  const NetworkConfig& c = layer.config;
  const LayerWeights& w = layer.weights;
  TensorGradients* const gradients = wanted.tensors;
  wanted.pass_by(PatchStage::MlpAdded, gradient);
  if (c.residual_factor != 1) gradient *= static_cast<float>(c.residual_factor);
  if (!w.mlp_out_norm.empty()) norm_backward(c, w.mlp_out_norm, trace.output, gradient, gradients);
  Matrix hidden, slopes;
  const Matrix activated = activation_backward(c, trace, hidden, slopes);
  Matrix wide = Matrix::Zero(hidden.rows(), hidden.cols());
  factor_backward(w.down, hidden, gradient, wide, gradients, layer.workspace);
  if (wanted.at_neurons) wanted.at_neurons(wide);
  gradient.setZero();
  slopes.array() *= wide.array();  // by what is activated
  if (c.gated) {
    wide.array() *= activated.array();
    factor_backward(w.up, trace.input, wide, gradient, gradients, layer.workspace);
    factor_backward(w.gate, trace.input, slopes, gradient, gradients, layer.workspace);
  } else {
    factor_backward(w.up, trace.input, slopes, gradient, gradients, layer.workspace);
  }
  if (c.norm_place != NormPlace::After && !w.mlp_norm.empty())
    norm_backward(c, w.mlp_norm, entered, gradient, gradients);
}

void layer_forward(const LayerOfWindows& layer, const MatrixRef& entered, MatrixOut left, LayerTrace& trace) {
  const NetworkConfig& c = layer.config;
  const LayerWeights& w = layer.weights;
  const Index rows = entered.rows();
  trace.attention_input = entered;
  norm_input(c, w.attention_norm, trace.attention_input);
  const auto project = [&](const Factor& factor, Matrix& to) {
    to.resize(rows, factor.outputs);
    multiply(trace.attention_input, factor, to, layer.workspace);
  };
  project(w.query, trace.queries);
  project(w.key, trace.keys);
  project(w.value, trace.values);
  turn_windows(layer, w.query_norm, layer.rotations.queries, trace.queries, trace.projected_queries);
  turn_windows(layer, w.key_norm, layer.rotations.keys, trace.keys, trace.projected_keys);
  trace.concat.resize(rows, layer.frame.concat_width());
  attend_windows(layer, trace);
  Matrix added(rows, c.width);
  multiply(trace.concat, w.output, added, layer.workspace);
  if (!w.attention_out_norm.empty()) {
    trace.attention_output = added;
    norm_all(c, w.attention_out_norm, added, added);
  }
  if (c.residual_factor != 1) added *= static_cast<float>(c.residual_factor);
  leave_layer(c, w, entered, added, {}, left, layer.workspace, &trace);
}

void layer_backward(const LayerOfWindows& layer, const MatrixRef& entered, const LayerTrace& trace,
                    Matrix& gradient, const LayerGradients& wanted) {
  TensorGradients* const gradients = wanted.tensors;
  const NetworkConfig& c = layer.config;
  const LayerWeights& w = layer.weights;
  const bool after = c.norm_place == NormPlace::After;
  if (after) norm_backward(c, w.mlp_norm, trace.left, gradient, gradients);
  // The stream branches before each step that adds to it, and the gradients of the branches are added.
  Matrix branch = gradient;
  mlp_backward(layer, c.parallel ? entered : MatrixRef(trace.middle), trace.mlp, branch, wanted);
  if (!c.parallel) gradient += branch;
  if (after) norm_backward(c, w.attention_norm, trace.middle, gradient, gradients);
  Matrix attention = gradient;
  if (c.parallel) gradient += branch;
  attention_backward(layer, trace, attention, wanted);
  if (!after && !w.attention_norm.empty()) norm_backward(c, w.attention_norm, entered, attention, gradients);
  gradient += attention;
}

}  // namespace headlight
