#include "engine/interpretation/pass_gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/attention/kernels.h"
#include "engine/core/error.h"
#include "engine/core/stopping.h"
#include "engine/network/layer_steps.h"
#include "engine/network/norms.h"
#include "engine/training/decoder_pass.h"
#include "engine/training/layer_gradient.h"
#include "engine/training/prediction_gradient.h"
#include "engine/training/row_backward.h"

namespace headlight {
namespace {

// The columns of a stage that belong to one head; all of them if the stage has no heads.
Index columns_of_head(const NetworkConfig& c, PatchStage stage) {
  switch (stage) {
    case PatchStage::Queries:
    case PatchStage::Keys:
    case PatchStage::Values:
    case PatchStage::Context:
      return c.head_width;
    case PatchStage::Residual:
    case PatchStage::Input:
    case PatchStage::Weights:
    case PatchStage::AttentionAdded:
    case PatchStage::MlpAdded:
      break;
  }
  return c.width;
}

// The place of interventions in the numbers of a stage; none: those of queries, keys and weights are before
// it.
std::optional<InterventionPlace> place_at(PatchStage stage) {
  switch (stage) {
    case PatchStage::Residual:
      return InterventionPlace::Residual;
    case PatchStage::Values:
      return InterventionPlace::Values;
    case PatchStage::Context:
      return InterventionPlace::Head;
    case PatchStage::MlpAdded:
      return InterventionPlace::Mlp;
    case PatchStage::Input:
    case PatchStage::Queries:
    case PatchStage::Keys:
    case PatchStage::Weights:
    case PatchStage::AttentionAdded:
      break;
  }
  return std::nullopt;
}

// The backward pass of one prediction.
class BackwardPass {
 public:
  // readers: empty, or called with the gradients of readers of the stream.
  BackwardPass(NetworkPass& pass, GradientsOf wanted, const GradientAtPlace& at,
               const GradientAtReader& readers)
      : pass_(pass), config_(pass.network().config()), wanted_(wanted), at_(at), readers_(readers) {}

  // gradient: T x d, by the stream that leaves the last layer.
  void run(Matrix gradient) {
    for (Index layer = config_.layers; layer >= 0; --layer) {
      throw_if_stopped();
      take(PatchStage::Residual, layer, gradient);
      if (layer > 0) through_layer(layer - 1, gradient);
    }
  }

 private:
  // Hands over the gradient by a stage, heads side by side, and stops it where the stage is overwritten.
  void take(PatchStage stage, Index layer, MatrixOut gradient) {
    const Index width = columns_of_head(config_, stage);
    if (wanted_ != GradientsOf::Embedding || (stage == PatchStage::Residual && layer == 0))
      for (Index head = 0; head * width < gradient.cols(); ++head)
        at_({stage, layer, head}, gradient.middleCols(head * width, width));
    if (const auto place = place_at(stage)) through_interventions(*place, layer, gradient);
    for (const Patch& patch : pass_.patches())
      if (patch.stage == stage && patch.layer == layer)
        gradient.block(patch.row, patch.head * width + patch.column, patch.values.rows(), patch.values.cols())
            .setZero();
  }

  // Interventions are applied behind patches, so that the gradient passes them first.
  void through_interventions(InterventionPlace place, Index layer, MatrixOut gradient) const {
    const auto& all = pass_.interventions();
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      if (one->is_of(place, layer)) one->apply_backward(0, gradient);
  }

  // From rows of a head's weights as values are mixed with them, but for dropout, to the softmax.
  void through_weights(Index layer, Index head, Index first, MatrixOut gradient) const {
    const auto& all = pass_.interventions();
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      if (one->is_of(InterventionPlace::Weights, layer)) one->apply_backward_to_unit(head, first, gradient);
    for (const Patch& patch : pass_.patches()) {
      if (patch.stage != PatchStage::Weights || patch.layer != layer || patch.head != head) continue;
      const Index begin = std::max(patch.row, first),
                  end = std::min(patch.row + patch.values.rows(), first + gradient.rows());
      if (begin < end)
        gradient.block(begin - first, patch.column, end - begin, patch.values.cols()).setZero();
    }
  }

  // The rules for the changes of a layer that are at no stage of take().
  void add_rules(Index layer, LayerGradients& wanted) const {
    wanted.at_neurons = [this, layer](MatrixOut gradient) {
      through_interventions(InterventionPlace::Neuron, layer, gradient);
    };
    wanted.at_unturned = [this, layer](PatchStage stage, MatrixOut gradient) {
      const bool queries = stage == PatchStage::Queries;
      through_interventions(queries ? InterventionPlace::Queries : InterventionPlace::Keys, layer, gradient);
    };
    if (pass_.intervenes(InterventionPlace::Weights, layer))
      wanted.through_weights = [this, layer](Index head, Index first, MatrixOut gradient) {
        through_weights(layer, head, first, gradient);
      };
  }

  void through_layer(Index layer, Matrix& gradient) {
    const Layer frame = frame_of(layer);
    const LayerOfWindows run = {config_,    pass_.layer_weights(layer), frame, pass_.rotations(layer), 1,
                                workspace_, &pass_.noise(layer)};
    const bool weights = wanted_ == GradientsOf::RowsAndWeights;
    std::vector<Matrix> by_weights(weights ? static_cast<std::size_t>(config_.heads) : 0);
    const LayerTrace trace = trace_of(layer);
    LayerGradients wanted{nullptr, weights ? by_weights.data() : nullptr};
    wanted.at = [&](PatchStage stage, MatrixOut stage_gradient) {
      if (stage == PatchStage::Context) through_head_states(layer, stage_gradient);
      take(stage, layer, stage_gradient);
      if (readers_) by_readers({run, trace, layer}, stage, stage_gradient);
    };
    add_rules(layer, wanted);
    layer_backward(run, pass_.residual(layer), trace, gradient, wanted);
    for (Index head = 0; head < static_cast<Index>(by_weights.size()); ++head)
      at_({PatchStage::Weights, layer, head}, by_weights[static_cast<std::size_t>(head)]);
  }

  struct Through {
    const LayerOfWindows& run;
    const LayerTrace& trace;
    Index layer;
  };

  // From the gradient by what the readers of a stage have made to those by what each has read.
  void by_readers(const Through& through, PatchStage stage, const MatrixRef& gradient) {
    const LayerWeights& w = through.run.weights;
    using Kind = StreamReader::Kind;
    if (stage == PatchStage::MlpAdded) {
      Matrix read = gradient;
      const MatrixRef entered =
          config_.parallel ? pass_.residual(through.layer) : MatrixRef(through.trace.middle);
      LayerGradients rules;
      add_rules(through.layer, rules);
      mlp_backward(through.run, entered, through.trace.mlp, read, rules);
      readers_({Kind::Mlp, through.layer, 0}, read);
    }
    Matrix rows = gradient;
    const auto unturned = [&](InterventionPlace place) {
      return
          [this, &through, place](MatrixOut before) { through_interventions(place, through.layer, before); };
    };
    if (stage == PatchStage::Queries) {
      turn_back(through.run, w.query_norm, through.run.rotations.queries, through.trace.projected_queries,
                rows, nullptr, unturned(InterventionPlace::Queries));
      by_heads(through, Kind::Queries, w.query, rows);
    }
    if (stage == PatchStage::Keys) {
      turn_back(through.run, w.key_norm, through.run.rotations.keys, through.trace.projected_keys, rows,
                nullptr, unturned(InterventionPlace::Keys));
      by_heads(through, Kind::Keys, w.key, rows);
    }
    if (stage == PatchStage::Values) by_heads(through, Kind::Values, w.value, rows);
  }

  // rows: the gradient by what the projection has made, heads side by side.
  void by_heads(const Through& through, StreamReader::Kind kind, const Factor& projection,
                const Matrix& rows) {
    const Index width = config_.head_width;
    const NormWeights& norm = through.run.weights.attention_norm;
    const Matrix weights = widened(projection);
    for (Index head = 0; head * width < rows.cols(); ++head) {
      Matrix read =
          rows.middleCols(head * width, width) * weights.middleCols(head * width, width).transpose();
      if (config_.norm_place != NormPlace::After && !norm.empty())
        norm_backward(config_, norm, pass_.residual(through.layer), read, nullptr);
      readers_({kind, through.layer, head}, read);
    }
  }

  // The settings of a layer, with the weights that are overwritten.
  Layer frame_of(Index layer) const {
    Layer frame = pass_.layer_frame(layer);
    for (const Patch& patch : pass_.patches())
      if (patch.stage == PatchStage::Weights && patch.layer == layer)
        frame.overwritten.push_back({Stage::Weights, 0, patch.head, patch.row, patch.column, patch.values});
    if (pass_.intervenes(InterventionPlace::Weights, layer))
      for (Index head = 0; head < config_.heads; ++head)
        frame.overwritten.push_back({Stage::Weights, 0, head, 0, 0, pass_.attention_weights(layer, head)});
    return frame;
  }

  // From the columns as the output projection reads them to the context of the heads.
  void through_head_states(Index layer, MatrixOut gradient) const {
    const HeadStates& heads = pass_.heads(layer);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      auto columns = gradient.middleCols(static_cast<Index>(i) * config_.head_width, config_.head_width);
      if (heads[i] == HeadState::Off) columns.setZero();
      if (heads[i] == HeadState::Mean) columns.rowwise() = columns.colwise().mean().eval();
    }
  }

  // What layer_forward() would have computed, from the pass; without what only gradients of weights need.
  LayerTrace trace_of(Index layer) {
    const LayerWeights& w = pass_.layer_weights(layer);
    const Index tokens = pass_.token_count();
    LayerTrace trace;
    trace.attention_input = pass_.attention_input(layer);
    if (!w.query_norm.empty()) trace.projected_queries = product(trace.attention_input, w.query);
    if (!w.key_norm.empty()) trace.projected_keys = product(trace.attention_input, w.key);
    trace.queries = pass_.queries(layer);
    trace.keys = pass_.keys(layer);
    trace.values = pass_.values(layer);
    trace.concat = pass_.concat(layer);
    if (!w.attention_out_norm.empty()) {
      for (Index token = 0; !pass_.heads(layer).empty() && token < tokens; ++token)
        trace.concat.row(token) = pass_.concat_row(layer, token);
      trace.attention_output = product(trace.concat, w.output);
    }
    const MatrixRef entered = pass_.residual(layer);
    trace.middle = pass_.middle(layer, 0, tokens);
    Matrix read = config_.parallel ? Matrix(entered) : trace.middle;
    const bool after = config_.norm_place == NormPlace::After;
    if (after) norm_all(config_, w.attention_norm, read, read);
    const EditNeurons edit = [&](Index first, MatrixOut neurons) {
      for (const PreparedIntervention& one : pass_.interventions())
        if (one.is_of(InterventionPlace::Neuron, layer)) one.apply(first, neurons);
    };
    mlp_output(config_, w, read, workspace_, &trace.mlp, edit);
    if (after) trace.left = read + pass_.mlp_added(layer, 0, tokens);
    return trace;
  }

  Matrix product(const Matrix& x, const Factor& w) {
    Matrix y(x.rows(), w.outputs);
    multiply(x, w, y, workspace_);
    return y;
  }

  NetworkPass& pass_;
  const NetworkConfig& config_;
  GradientsOf wanted_;
  const GradientAtPlace& at_;
  const GradientAtReader& readers_;
  Workspace workspace_;
};

const GradientAtReader kNoReaders;

// By the stream that leaves the last layer, from that by the logits of one position: T x d.
Matrix stream_gradient(NetworkPass& pass, Index position, Matrix by_logits) {
  const NetworkConfig& c = pass.network().config();
  Workspace workspace;
  Matrix gradient = Matrix::Zero(pass.token_count(), c.width);
  gradient.row(position) =
      logits_backward(c, pass.network().weights(), pass.residual(c.layers).middleRows(position, 1),
                      std::move(by_logits), workspace);
  return gradient;
}

}  // namespace

void logit_gradients(NetworkPass& pass, const LogitChoice& logit, GradientsOf wanted,
                     const GradientAtPlace& at) {
  Matrix shares = Matrix::Zero(1, pass.network().config().vocabulary);
  shares(0, logit.id) += 1;
  if (logit.other) shares(0, *logit.other) -= 1;
  row_gradients(pass, logit.position, std::move(shares), wanted, at);
}

void row_gradients(NetworkPass& pass, Index position, Matrix by_logits, GradientsOf wanted,
                   const GradientAtPlace& at) {
  const Network& network = pass.network();
  network.require_predictions();
  require_gradient(network.config(), network.name());
  BackwardPass(pass, wanted, at, kNoReaders).run(stream_gradient(pass, position, std::move(by_logits)));
}

void reader_gradients(NetworkPass& pass, Index position, Matrix by_logits, const GradientAtReader& at) {
  const Network& network = pass.network();
  network.require_predictions();
  require_gradient(network.config(), network.name());
  Matrix gradient = stream_gradient(pass, position, std::move(by_logits));
  at({StreamReader::Kind::Logits, network.config().layers, 0}, gradient);
  const GradientAtPlace nowhere = [](const PatchPlace&, const MatrixRef&) {};
  BackwardPass(pass, GradientsOf::Embedding, nowhere, at).run(std::move(gradient));
}

double loss_gradients(NetworkPass& pass, GradientsOf wanted, const GradientAtPlace& at) {
  const Network& network = pass.network();
  require_decoder(network.config(), network.weights(), network.name());
  if (pass.token_count() < 2)
    throw Error("there is one token, and none to predict from it", "text", "give at least two tokens");
  std::vector<std::int32_t> next(pass.ids().begin() + 1, pass.ids().end());
  next.push_back(Windows::kNone);
  Workspace workspace;
  Matrix gradient;
  std::vector<float> by_token;
  const double loss =
      prediction_backward(network.config(), network.weights(), pass.residual(network.config().layers), next,
                          gradient, by_token, nullptr, workspace);
  BackwardPass(pass, wanted, at, kNoReaders).run(std::move(gradient));
  return loss;
}

}  // namespace headlight
