#include "engine/training/training_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"

namespace headlight {
namespace {

double bytes_with(const NetworkConfig& config, double numbers, const ModelTrainingSettings& settings,
                  DecoderPass::Storage storage) {
  const double stored = sizeof(float) * static_cast<double>(2 + stored_per_number(settings)) * numbers;
  return stored + DecoderPass::bytes(config, settings.batch, settings.length, storage);
}

// Whether the numbers of all layers are stored until the backward pass.
bool is_roomy(const NetworkConfig& config, double numbers, const ModelTrainingSettings& settings) {
  return bytes_with(config, numbers, settings, DecoderPass::Storage::Stored) <= machine_memory() / 2;
}

}  // namespace

void require_trainable(const Network& network, const ModelTrainingSettings& settings) {
  const NetworkConfig& c = network.config();
  require_decoder(c, network.weights(), network.name());
  if (settings.length > c.positions && c.dynamic == 0)
    throw Error("windows of " + std::to_string(settings.length) + " tokens are longer than the " +
                    std::to_string(c.positions) + " positions of the model",
                "length", "take shorter windows");
  require_token_count(static_cast<std::size_t>(settings.length));
}

TrainingRun::TrainingRun(const Network& network, std::vector<std::int32_t> ids,
                         const ModelTrainingSettings& settings)
    : settings_(settings),
      weights_((require_trainable(network, settings), network)),
      windows_(std::move(ids), settings.length, settings.order, settings.seed) {
  const bool roomy = is_roomy(weights_.config(), weights_.number_count(), settings);
  bytes_ = bytes(weights_.config(), weights_.number_count(), settings);
  using Storage = DecoderPass::Storage;
  require_memory_for("the training", bytes_, network.name());
  pass_ = std::make_unique<DecoderPass>(weights_, roomy ? Storage::Stored : Storage::Recomputed);
  gradients_ = std::make_unique<DecoderGradients>(weights_);
  optimizer_ = std::make_unique<ModelOptimizer>(settings, weights_);
}

double TrainingRun::bytes(const NetworkConfig& config, double numbers,
                          const ModelTrainingSettings& settings) {
  using Storage = DecoderPass::Storage;
  return bytes_with(config, numbers, settings,
                    is_roomy(config, numbers, settings) ? Storage::Stored : Storage::Recomputed);
}

std::string TrainingRun::memory_text() const {
  return "the training takes about " + memory_size_text(bytes_) + " of memory";
}

void TrainingRun::go_on_from(ModelOptimizer::State state, const std::vector<Matrix>& weights) {
  steps_ = state.steps;
  if (!weights.empty()) weights_.change_each([&](std::size_t i, Matrix& numbers) { numbers = weights[i]; });
  optimizer_->take(std::move(state));
  for (Index i = 0; i < steps_; ++i)
    windows_.next_begins(settings_.batch);
}

double TrainingRun::loss_over(const std::vector<std::int32_t>& ids, Index most) {
  const Index length = settings_.length, there = (static_cast<Index>(ids.size()) - 1) / length;
  if (there < 1) return std::nan("");
  WindowStream windows(ids, length, WindowOrder::Sequential, 0);
  const Index wanted = std::min(there, most * settings_.batch);
  double sum = 0;
  for (Index done = 0; done < wanted;) {
    const Index count = std::min(settings_.batch, wanted - done);
    sum += pass_->loss(windows.next(count)) * static_cast<double>(count);
    done += count;
  }
  return sum / static_cast<double>(wanted);
}

TrainingStep TrainingRun::advance() {
  TrainingStep step;
  step.number = steps_ + 1;
  step.rate = settings_.rate.at(steps_);
  pass_->backward(windows_.next(settings_.batch), DecoderPass::Wanted::Weights, *gradients_);
  step.loss = gradients_->loss;
  step.gradient_norm = clip_gradients(settings_.clip, gradients_->tensors);
  if (!std::isfinite(step.loss) || !std::isfinite(step.gradient_norm))
    throw Error("the loss of step " + std::to_string(step.number) + " is no number any more", "rate",
                "take a lower rate, or limit the gradients (clip)");
  optimizer_->step(step.rate, gradients_->tensors, weights_);
  ++steps_;
  return step;
}

}  // namespace headlight
