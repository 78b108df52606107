// The model and the stages that are kept as matrices whatever the way of keeping: those with a row for each
// token. Whoever computes stages and whoever keeps those of pairs work on one of these together.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"

namespace headlight {

struct StageStore {
  Model model;
  // By stage; index sequence * stage_heads + head. None of stages of pairs: see pair_keeping.h; nor of those
  // that are another matrix as it stands: see of().
  std::array<std::vector<Matrix>, kStageCount> stages;
  // Multipliers of dropout, for each query a row, for each key a number; by sequence * H + head. None while
  // dropout is not active.
  std::vector<Matrix> noise;

  StageSet existing = kAllStages;  // existing_stages(model)

  Index matrices() const { return model.sequence_count() * model.head_count(); }
  std::vector<Matrix>& all_of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  // Embeddings are the model's own, and without a projection `output` is `concat`.
  const Matrix& of(Stage stage, Index sequence, Index head) const {
    if (stage == Stage::Embeddings) return model.embeddings[static_cast<std::size_t>(sequence)];
    if (stage == Stage::Output && !projects_output()) stage = Stage::Concat;
    return stages[static_cast<std::size_t>(stage)][at(stage, sequence, head)];
  }
  Matrix& of(Stage stage, Index sequence, Index head) {
    return const_cast<Matrix&>(std::as_const(*this).of(stage, sequence, head));
  }
  bool projects_output() const { return model.uses(Parameter::Output); }
  const Matrix* noise_of(Index sequence, Index head) const {
    return noise.empty() ? nullptr : &noise[static_cast<std::size_t>(sequence * model.head_count() + head)];
  }
  // What scores are made of, turned by position where that is in use, and the values that a head mixes.
  const Matrix& scored_queries(Index sequence, Index head) const {
    return of(exists(Stage::RotatedQueries) ? Stage::RotatedQueries : Stage::Queries, sequence, head);
  }
  const Matrix& scored_keys(Index sequence, Index head) const {
    return of(exists(Stage::RotatedKeys) ? Stage::RotatedKeys : Stage::Keys, sequence,
              model.kv_head_of(head));
  }
  const Matrix& mixed_values(Index sequence, Index head) const {
    return of(Stage::Values, sequence, model.kv_head_of(head));
  }
  bool exists(Stage stage) const { return (existing & stage_bit(stage)) != 0; }
  // How many numbers one matrix of the stage has: a measure of work.
  double cells(Stage stage) const {
    return static_cast<double>(stage_rows(model, stage)) * static_cast<double>(stage_columns(model, stage));
  }

 private:
  std::size_t at(Stage stage, Index sequence, Index head) const {
    return static_cast<std::size_t>(sequence * stage_heads(model, stage) + head);
  }
};

// Whether the set holds one of these.
inline bool any_of(StageSet set, StageSet stages) {
  return (set & stages) != 0;
}

}  // namespace headlight
