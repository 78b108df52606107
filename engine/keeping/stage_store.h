// The model and the stages that are kept as matrices whatever the way of keeping: those with a row for each
// token. Whoever computes stages and whoever keeps those of pairs work on one of these together.
#pragma once

#include <array>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/stage.h"

namespace headlight {

struct StageStore {
  Model model;
  // By stage; index sequence * stage_heads + head. None of stages of pairs: see pair_keeping.h.
  std::array<std::vector<Matrix>, kStageCount> stages;
  // Multipliers of dropout, for each query a row, for each key a number; by sequence * H + head. None while
  // dropout is not active.
  std::vector<Matrix> noise;

  Index matrices() const { return model.sequence_count() * model.head_count(); }
  std::vector<Matrix>& all_of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  Matrix& of(Stage stage, Index sequence, Index head) { return all_of(stage)[at(stage, sequence, head)]; }
  const Matrix& of(Stage stage, Index sequence, Index head) const {
    return stages[static_cast<std::size_t>(stage)][at(stage, sequence, head)];
  }
  const Matrix* noise_of(Index sequence, Index head) const {
    return noise.empty() ? nullptr : &noise[static_cast<std::size_t>(sequence * model.head_count() + head)];
  }
  // How many numbers one matrix of the stage has: a measure of work.
  double cells(Stage stage) const {
    return static_cast<double>(model.token_count()) * static_cast<double>(stage_columns(model, stage));
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
