// The layer and the stages with one row per token, which are always stored as matrices. TokenStages and the
// ScoreStore share one of these.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engine/attention/shared_layer.h"
#include "engine/layer/layer.h"
#include "engine/layer/stage.h"
#include "engine/simd/workspace.h"

namespace headlight {

struct StageStore {
  SharedLayer layer;
  // By stage; index sequence * stage_heads + head. The T x T stages are not here (see score_store.h), nor are
  // stages that are identical to another matrix (see of()).
  std::array<std::vector<Matrix>, kStageCount> stages;
  // Dropout multipliers, Tq x Tk, by sequence * H + head. Empty while dropout is not active.
  std::vector<Matrix> noise;

  StageSet existing = kAllStages;  // existing_stages(layer)
  mutable Workspace workspace;     // scratch memory of all that computes or reads these stages

  Index matrices() const { return layer->sequence_count() * layer->head_count(); }
  std::vector<Matrix>& all_of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  // Embeddings are the layer's own; without an output projection, `output` is `concat`.
  const Matrix& of(Stage stage, Index sequence, Index head) const {
    if (stage == Stage::Embeddings) return layer->embeddings[static_cast<std::size_t>(sequence)];
    if (stage == Stage::Output && !projects_output()) stage = Stage::Concat;
    return stages[static_cast<std::size_t>(stage)][at(stage, sequence, head)];
  }
  Matrix& of(Stage stage, Index sequence, Index head) {
    return const_cast<Matrix&>(std::as_const(*this).of(stage, sequence, head));
  }
  bool projects_output() const { return layer->uses(Parameter::Output); }
  const Matrix* noise_of(Index sequence, Index head) const {
    return noise.empty() ? nullptr : &noise[static_cast<std::size_t>(sequence * layer->head_count() + head)];
  }
  // The inputs of the scores, with rotary positions applied if in use, and the values that a head mixes.
  const Matrix& scored_queries(Index sequence, Index head) const {
    return of(exists(Stage::RotatedQueries) ? Stage::RotatedQueries : Stage::Queries, sequence, head);
  }
  const Matrix& scored_keys(Index sequence, Index head) const {
    return of(exists(Stage::RotatedKeys) ? Stage::RotatedKeys : Stage::Keys, sequence,
              layer->kv_head_of(head));
  }
  const Matrix& mixed_values(Index sequence, Index head) const {
    return of(Stage::Values, sequence, layer->kv_head_of(head));
  }
  bool exists(Stage stage) const { return (existing & stage_bit(stage)) != 0; }
  // How many numbers one matrix of the stage has, as a measure of work.
  double cells(Stage stage) const {
    return static_cast<double>(stage_rows(layer, stage)) * static_cast<double>(stage_columns(layer, stage));
  }

 private:
  std::size_t at(Stage stage, Index sequence, Index head) const {
    return static_cast<std::size_t>(sequence * stage_heads(layer, stage) + head);
  }
};

// Whether the sets intersect.
inline bool any_of(StageSet set, StageSet stages) {
  return (set & stages) != 0;
}

}  // namespace headlight
