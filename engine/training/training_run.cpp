#include "engine/training/training_run.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/machine_memory.h"
#include "engine/score_storage/storage_choice.h"

namespace headlight {
namespace {

const Network& checked(const Network& network, const ModelTrainingSettings& settings) {
  const NetworkConfig& c = network.config();
  require_decoder(c, network.weights(), network.name());
  if (settings.length > c.positions && c.dynamic == 0)
    throw Error("windows of " + std::to_string(settings.length) + " tokens are longer than the " +
                    std::to_string(c.positions) + " positions of the model",
                "--length", "take shorter windows");
  require_token_count(static_cast<std::size_t>(settings.length));
  return network;
}

}  // namespace

TrainingRun::TrainingRun(const Network& network, std::vector<std::int32_t> ids,
                         const ModelTrainingSettings& settings)
    : settings_(settings),
      weights_(checked(network, settings)),
      windows_(std::move(ids), settings.length, settings.order, settings.seed) {
  const double stored = sizeof(float) * static_cast<double>(2 + stored_per_weight(settings.optimizer)) *
                        weights_.number_count();
  using Storage = DecoderPass::Storage;
  const auto all = [&](Storage storage) {
    return stored + DecoderPass::bytes(weights_.config(), settings.batch, settings.length, storage);
  };
  const bool roomy = all(Storage::Stored) <= machine_memory() / 2;
  bytes_ = all(roomy ? Storage::Stored : Storage::Recomputed);
  require_memory_for("the training", bytes_, network.name());
  pass_ = std::make_unique<DecoderPass>(weights_, roomy ? Storage::Stored : Storage::Recomputed);
  gradients_ = std::make_unique<DecoderGradients>(weights_);
  optimizer_ = std::make_unique<ModelOptimizer>(settings.optimizer, weights_);
}

std::string TrainingRun::memory_text() const {
  constexpr double kGigabyte = 1e9, kMegabyte = 1e6;
  const std::string size = bytes_ < kGigabyte
                               ? std::to_string(std::lround(std::ceil(bytes_ / kMegabyte))) + " MB"
                               : gigabytes_text(bytes_);
  return "the training takes about " + size + " of memory";
}

TrainingStep TrainingRun::advance() {
  TrainingStep step;
  step.number = steps_ + 1;
  step.rate = settings_.rate.at(steps_);
  pass_->backward(windows_.next(settings_.batch), DecoderPass::Wanted::Weights, *gradients_);
  step.loss = gradients_->loss;
  step.gradient_norm = clip_gradients(settings_.clip, gradients_->tensors);
  if (!std::isfinite(step.loss) || !std::isfinite(step.gradient_norm))
    throw Error("the loss of step " + std::to_string(step.number) + " is no number any more", "--rate",
                "take a lower rate, or limit the gradients with --clip");
  optimizer_->step(step.rate, gradients_->tensors, weights_);
  ++steps_;
  return step;
}

}  // namespace headlight
