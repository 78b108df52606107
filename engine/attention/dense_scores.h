// Stores each T x T stage as a matrix with exactly the bits that the kernels produce. Used for small models
// and for settings that the other kinds of storage do not support.
#pragma once

#include <array>
#include <vector>

#include "engine/attention/score_store.h"

namespace headlight {

class DenseScores : public ScoreStore {
 public:
  explicit DenseScores(StageStore& store) : store_(store) {}
  StorageKind kind() const override { return StorageKind::Stages; }

  void begin(StageSet stale, StageSet requested) override;
  // Computes everything in one call, whatever the deadline.
  bool go_on(Clock::time_point until) override;

  const Matrix& matrix(Stage stage, Index sequence, Index head) const override;
  RowSource rows(Stage stage, Index sequence, Index head) const override {
    return RowSource(matrix(stage, sequence, head));
  }
  HeadSummary head(Index sequence, Index head) const override {
    return summarize_head(rows(Stage::Weights, sequence, head), store_.layer->query_offset(sequence));
  }

 private:
  std::vector<Matrix>& all_of(Stage stage);
  Matrix& stored(Stage stage, Index sequence, Index head);
  void make_room(Index sequence, Index head);
  void refresh_rows(Index sequence, Index head, Index begin, Index end);

  StageStore& store_;
  std::array<std::vector<Matrix>, kStageCount> stages_;  // T x T stages, by sequence * H + head
  StageSet stale_ = 0;
};

}  // namespace headlight
