#include "engine/layer/dropout_mean.h"

#include <algorithm>
#include <optional>

#include "engine/core/torch_stream.h"
#include "engine/layer/reshape.h"

namespace headlight {
namespace {

// The stream of dropout: newly seeded, or the weights' stream after its draws.
TorchStream dropout_stream(const Layer& layer, Index draw) {
  const Dropout& dropout = layer.attention.dropout;
  if (draw > 0 || dropout.seed) {
    // Only the low 32 bits matter; unsigned, so that the largest seed wraps around.
    const auto seed = static_cast<std::uint64_t>(dropout.seed.value_or(0)) + static_cast<std::uint64_t>(draw);
    return TorchStream(static_cast<std::int64_t>(seed));
  }
  TorchStream stream(layer.weights.recipe ? layer.weights.recipe->seed : 0);
  stream.skip(drawn_value_count(layer));
  return stream;
}

}  // namespace

std::vector<Matrix> dropout_noise(const Layer& layer, Index draw) {
  std::vector<Matrix> all;
  draw_dropout_noise(layer, draw, all);
  return all;
}

void draw_dropout_noise(const Layer& layer, Index draw, std::vector<Matrix>& all) {
  if (!layer.attention.dropout.active()) {
    all.clear();
    return;
  }
  TorchStream stream = dropout_stream(layer, draw);
  const Dropout& dropout = layer.attention.dropout;
  std::optional<MklStream> mkl;
  if (dropout.build == DropoutBuild::Mkl) mkl.emplace(stream.next_u32());
  all.resize(static_cast<std::size_t>(layer.sequence_count() * layer.head_count()));
  for (Matrix& noise : all) {
    noise.resize(layer.token_count(), layer.key_count());
    const auto count = static_cast<std::size_t>(noise.size());
    if (mkl)
      draw_dropout_noise(*mkl, dropout.probability, noise.data(), count);
    else
      draw_dropout_noise(stream, dropout.probability, noise.data(), count);
  }
}

void DropoutCounts::clear() {
  kept_.clear();
  draws_ = 0;
}

void DropoutCounts::draw_to(const Layer& layer, Index draws, Index max_cells) {
  if (draws < draws_) clear();
  if (!layer.attention.dropout.active()) return;
  const Index queries = layer.token_count(), keys = layer.key_count();
  const Index cells = queries * keys * layer.sequence_count() * layer.head_count();
  const Index end = std::min(draws, draws_ + std::max<Index>(1, max_cells / cells));
  std::vector<Matrix> noise;
  for (; draws_ < end; ++draws_) {
    draw_dropout_noise(layer, draws_, noise);
    if (kept_.empty()) kept_.assign(noise.size(), Matrix::Zero(queries, keys));
    for (std::size_t i = 0; i < noise.size(); ++i)
      kept_[i].array() += (noise[i].array() != 0.0f).cast<float>();
  }
}

Matrix DropoutCounts::mean_noise(const Layer& layer, Index sequence, Index head) const {
  const Matrix& kept = kept_[static_cast<std::size_t>(sequence * layer.head_count() + head)];
  const double probability = layer.attention.dropout.probability;
  if (probability >= 1.0) return Matrix::Zero(kept.rows(), kept.cols());
  const float multiplier = 1.0f / static_cast<float>(1.0 - probability);
  return kept * multiplier / static_cast<float>(draws_);
}

}  // namespace headlight
