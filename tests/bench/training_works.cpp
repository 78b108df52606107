#include "tests/bench/training_works.h"

#include "engine/training/optimizer.h"
#include "engine/training/text_windows.h"
#include "engine/training/untrained_model.h"
#include "tests/bench/timing.h"

namespace headlight_bench {
namespace {

using namespace headlight;

constexpr Index kBatch = 8, kLength = 128, kTrainedLayers = 4;
constexpr Size kTrained = {kLength, 256, 8};
constexpr std::int32_t kTrainedWords = 2000;

// Two for each multiply-add of the forward pass, and twice as many of the backward one.
double step_operations() {
  const auto rows = static_cast<double>(kBatch * kLength), d = static_cast<double>(kTrained.d);
  const double layer = 12 * rows * d * d + rows * static_cast<double>(kLength) * d;  // the causal half
  return 6 * (static_cast<double>(kTrainedLayers) * layer + rows * d * static_cast<double>(kTrainedWords));
}

}  // namespace

void time_training(const std::function<bool(Index)>& wanted, const std::function<void(const Row&)>& report) {
  if (!wanted(kLength)) return;
  UntrainedShape shape;
  shape.layers = kTrainedLayers;
  shape.heads = kTrained.heads;
  shape.width = kTrained.d;
  shape.positions = kLength;
  shape.vocabulary = kTrainedWords;
  const auto weights = untrained_weights(untrained_config(shape), 1);
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < 10000; ++i)
    ids.push_back(i * 7 % kTrainedWords);
  WindowStream windows(ids, kLength, WindowOrder::Random, 1);
  DecoderPass pass(*weights);
  DecoderGradients gradients(*weights);
  ModelOptimizer optimizer({OptimizerKind::AdamW}, *weights);
  const Timed all = timed([&](int) {
    pass.backward(windows.next(kBatch), DecoderPass::Wanted::Weights, gradients);
    clip_gradients(1, gradients.tensors);
    optimizer.step(1e-4, gradients.tensors, *weights);
  });
  report({"train_step", kTrained, true, all.ms, step_operations(), all.runs});
}

}  // namespace headlight_bench
