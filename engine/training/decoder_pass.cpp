#include "engine/training/decoder_pass.h"

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"
#include "engine/core/stopping.h"
#include "engine/training/layer_gradient.h"
#include "engine/training/prediction_gradient.h"
#include "engine/training/row_backward.h"

namespace headlight {
namespace {

LayerOfWindows layer_of(const NetworkConfig& config, const NetworkWeights& weights, Index layer,
                        const Layer& frame, HeadRotations rotations, Index windows, Workspace& workspace) {
  return {config, weights.layers[static_cast<std::size_t>(layer)], frame, rotations, windows, workspace};
}

// Numbers of a layer's trace for one token.
double trace_width(const NetworkConfig& c) {
  const Index heads = c.heads * c.head_width, keys = c.kv_heads * c.head_width;
  return static_cast<double>((c.head_norms != HeadNorm::None ? 2 : 1) * (heads + keys) + keys + heads +
                             6 * c.width + (c.gated ? 2 : 1) * c.mlp_width);
}

}  // namespace

void require_decoder(const NetworkConfig& config, const NetworkWeights& weights, const std::string& where) {
  const std::string family = family_name(config);
  require_gradient(config, where);
  if (!config.causal)
    throw Error("a model of type " + family +
                    " reads the text in both directions, so that it has no next token to predict",
                where, "take a decoder, such as gpt2 or llama");
  if (weights.logits.empty())
    throw Error("it predicts no tokens: " + weights.missing_head, where,
                "save the model with its language-model head (AutoModelForCausalLM)");
}

void require_gradient(const NetworkConfig& config, const std::string& where) {
  if (const std::string why = why_no_gradient(config); !why.empty())
    throw Error("a model of type " + std::string(family_name(config)) + " with " + why +
                    " has no gradients here: what it computes is shown, but not trained or estimated",
                where, "take a model without them, such as gpt2 or llama");
}

void require_memory_for(const std::string& what, double bytes, const std::string& where) {
  if (bytes > machine_memory())
    throw Error(
        what + " takes " + gigabytes_text(bytes) + ", and the memory is " + gigabytes_text(machine_memory()),
        where, "take shorter or fewer texts at a time, or a smaller model");
}

DecoderPass::DecoderPass(const TrainedWeights& weights, Storage storage)
    : weights_(weights), config_(weights.config()), storage_(storage) {
  const auto layers = static_cast<std::size_t>(config_.layers);
  frames_.resize(layers);
  streams_.resize(layers + 1);
  traces_.resize(storage == Storage::Stored ? layers : 1);
}

void DecoderPass::prepare(const Windows& windows) {
  windows_ = &windows;
  for (Matrix& stream : streams_)
    stream.resize(static_cast<Index>(windows.ids.size()), config_.width);
  if (length_ == windows.length()) return;
  length_ = windows.length();
  std::vector<Position> positions;
  for (Index layer = 0; layer < config_.layers; ++layer) {
    set_layer_frame(config_, weights_.weights(), layer, length_, frame(layer));
    positions.push_back(frame(layer).attention.position);
  }
  rotations_.prepare(positions, config_.head_width, length_, length_);
}

void DecoderPass::embed(Matrix& rows) {
  const std::span<const std::int32_t> ids(windows_->ids);
  for (Index window = 0; window < windows_->count; ++window) {
    const Index first = window * length_;
    sum_embeddings(config_, weights_.weights(),
                   {ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length_)), {}}, 0,
                   rows.middleRows(first, length_));
  }
}

void DecoderPass::embed_backward(const Matrix& gradient, TensorGradients& gradients) {
  const NetworkWeights& w = weights_.weights();
  Matrix rows = gradient;
  if (!w.embedding_norm.empty()) {
    Matrix sums(rows.rows(), rows.cols());
    embed(sums);
    norm_backward(config_, w.embedding_norm, sums, rows, &gradients);
  }
  Matrix *tokens = gradients.of(w.tokens), *positions = gradients.of(w.positions),
         *types = gradients.of(w.types);
  const auto factor = static_cast<float>(config_.embedding_factor);
  for (Index i = 0; i < rows.rows(); ++i) {
    tokens->row(windows_->ids[static_cast<std::size_t>(i)]) += factor * rows.row(i);
    if (positions) positions->row(config_.position_offset + i % length_) += rows.row(i);
    if (types) types->row(0) += rows.row(i);
  }
}

// stored: each layer has a trace of its own, else all use the first.
void DecoderPass::forward(const Windows& windows, bool stored) {
  prepare(windows);
  const NetworkWeights& w = weights_.weights();
  embed(streams_.front());
  if (!w.embedding_norm.empty()) norm_all(config_, w.embedding_norm, streams_.front(), streams_.front());
  for (Index layer = 0; layer < config_.layers; ++layer) {
    throw_if_stopped();
    const auto at = static_cast<std::size_t>(layer);
    layer_forward(layer_of(config_, w, layer, frame(layer), rotations_.of(layer), windows.count, workspace_),
                  streams_[at], streams_[at + 1], traces_[stored ? at : 0]);
  }
}

double DecoderPass::loss(const Windows& windows) {
  forward(windows, false);
  Matrix gradient;
  std::vector<float> by_token;
  return prediction_backward(config_, weights_.weights(), streams_.back(), windows.next, gradient, by_token,
                             nullptr, workspace_);
}

void DecoderPass::backward(const Windows& windows, Wanted wanted, DecoderGradients& gradients) {
  const NetworkWeights& w = weights_.weights();
  const bool stored = storage_ == Storage::Stored, everything = wanted == Wanted::Everything;
  gradients.tensors.clear();
  forward(windows, stored);
  const auto through = [&](Index layer) {
    return layer_of(config_, w, layer, frame(layer), rotations_.of(layer), windows.count, workspace_);
  };
  const auto at = [](Index layer) { return static_cast<std::size_t>(layer); };
  Matrix gradient;
  gradients.loss = prediction_backward(config_, w, streams_.back(), windows.next, gradient,
                                       gradients.loss_by_token, &gradients.tensors, workspace_);
  if (everything) {
    gradients.residual.assign(streams_.size(), {});
    gradients.weights.assign(at(config_.layers * config_.heads), {});
    gradients.residual.back() = gradient;
  }
  Matrix again(stored ? 0 : gradient.rows(), config_.width);
  for (Index layer = config_.layers - 1; layer >= 0; --layer) {
    throw_if_stopped();
    LayerTrace& trace = traces_[stored ? at(layer) : 0];
    if (!stored && layer + 1 < config_.layers)
      layer_forward(through(layer), streams_[at(layer)], again, trace);
    layer_backward(
        through(layer), streams_[at(layer)], trace, gradient,
        {&gradients.tensors, everything ? &gradients.weights[at(layer * config_.heads)] : nullptr});
    if (everything) gradients.residual[at(layer)] = gradient;
  }
  embed_backward(gradient, gradients.tensors);
}

double DecoderPass::bytes(const NetworkConfig& c, Index count, Index length, Storage storage) {
  const double rows = static_cast<double>(count) * static_cast<double>(length);
  const auto layers = static_cast<double>(c.layers), width = static_cast<double>(c.width);
  const double traces = storage == Storage::Stored ? layers : 1;
  const auto block = static_cast<double>(std::min(prediction_rows(c.vocabulary), count * length));
  // Beside streams and traces: the gradients and the packed factors of the widest step.
  const double step = std::max(4 * rows * static_cast<double>(c.gated ? 2 * c.mlp_width : c.mlp_width),
                               (c.final_softcap > 0 ? 4 : 3) * block * static_cast<double>(c.vocabulary));
  return sizeof(float) * ((layers + 4) * rows * width + traces * rows * trace_width(c) + step);
}

}  // namespace headlight
