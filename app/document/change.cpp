#include "app/document/change.h"

#include "engine/interpretation/open_model.h"

namespace headlight {
namespace {

std::size_t bytes_of(const Matrix& matrix) {
  return static_cast<std::size_t>(matrix.size()) * sizeof(float);
}

std::size_t bytes_of(const std::string& text) {
  return sizeof(std::string) + text.size();
}

template <class Range>
std::size_t bytes_of_all(const Range& range) {
  std::size_t bytes = 0;
  for (const auto& each : range)
    bytes += bytes_of(each);
  return bytes;
}

std::size_t bytes_of(const AttentionSettings& settings) {
  const MaskRules& rules = settings.rules;
  return sizeof settings +
         (settings.position.slopes.size() + settings.position.scaling.factors.size() +
          settings.sinks.size()) *
             sizeof(double) +
         (settings.disabled_heads.size() + rules.offsets.size() + rules.keys.size()) * sizeof(Index);
}

std::size_t bytes_of(const PairArray& array) {
  return bytes_of_all(array.matrices);
}

std::size_t bytes_of(const Layer& layer) {
  std::size_t bytes = sizeof layer + bytes_of_all(layer.tokens) + bytes_of_all(layer.key_tokens) +
                      bytes_of_all(layer.embeddings) + bytes_of_all(layer.key_embeddings) +
                      bytes_of(layer.given_weights) + bytes_of(layer.allowed) + bytes_of(layer.score_bias) +
                      bytes_of(layer.attention) + bytes_of(layer.custom_mask) +
                      bytes_of_all(layer.weights.matrices) + bytes_of_all(layer.weights.biases);
  for (const std::vector<Matrix>& given : layer.given)
    bytes += bytes_of_all(given);
  for (const Overwritten& block : layer.overwritten)
    bytes += sizeof block + bytes_of(block.values);
  return bytes;
}

std::size_t bytes_of(const ModelChanges& changes) {
  std::size_t bytes = 0;
  for (const auto& [layer, changed] : changes.layers) {
    bytes += sizeof changed + changed.heads.size() * sizeof(HeadState);
    for (const auto& own : changed.settings)
      if (own) bytes += bytes_of(*own);
    for (const auto& own : changed.weights)
      if (own) bytes += bytes_of(own->w) + bytes_of(own->bias);
  }
  for (const Patch& patch : changes.patches)
    bytes += sizeof patch + bytes_of(patch.values);
  for (const auto& one : changes.interventions)
    bytes += sizeof *one + bytes_of(one->direction) +
             (one->value.empty() ? 0 : one->value.matrices.size() * bytes_of(one->value.matrices.front()));
  return bytes;
}

struct EditBytes {
  std::size_t operator()(const CellsEdit& edit) const { return bytes_of(edit.values); }
  std::size_t operator()(const SettingsEdit& edit) const { return bytes_of(edit.attention); }
  std::size_t operator()(const MaskEdit& edit) const {
    return bytes_of(edit.custom_mask) + bytes_of(edit.allowed);
  }
  std::size_t operator()(const LayerEdit& edit) const { return bytes_of(*edit.layer); }
  std::size_t operator()(const BlocksEdit& edit) const {
    std::size_t bytes = 0;
    for (const CellsEdit& block : edit.blocks)
      bytes += sizeof block + bytes_of(block.values);
    return bytes;
  }
};

}  // namespace

std::size_t bytes_of(const Change& change) {
  std::size_t bytes = sizeof change;
  if (change.edit) bytes += std::visit(EditBytes{}, *change.edit);
  if (change.labels)
    bytes += bytes_of_all(change.labels->tokens) + bytes_of_all(change.labels->key_tokens) +
             bytes_of(change.labels->title) + bytes_of(change.labels->notes);
  if (change.goal && change.goal->goal) bytes += bytes_of(change.goal->goal->target);
  if (const OpenModel* const work = change.work ? change.work->get() : nullptr)
    bytes += sizeof *work + bytes_of(work->text) + bytes_of(work->source_text) +
             (work->ids.size() + work->source_ids.size()) * sizeof(std::int32_t) +
             (work->image ? bytes_of(work->image->pixels) : 0) + bytes_of(work->on) + bytes_of(work->off);
  return bytes;
}

}  // namespace headlight
