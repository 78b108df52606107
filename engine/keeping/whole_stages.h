// The stages of pairs each as a matrix, with the bits that the kernels give: while they are small, and for
// what the other ways cannot keep.
#pragma once

#include <array>
#include <vector>

#include "engine/keeping/pair_keeping.h"

namespace headlight {

class WholeStages : public PairKeeping {
 public:
  explicit WholeStages(StageStore& store) : store_(store) {}
  Keeping kind() const override { return Keeping::Stages; }

  void begin(StageSet stale, StageSet wished) override;
  // All at once, whatever the time.
  bool go_on(Clock::time_point until) override;

  const Matrix& matrix(Stage stage, Index sequence, Index head) const override;
  RowSource rows(Stage stage, Index sequence, Index head) const override {
    return RowSource(matrix(stage, sequence, head));
  }
  HeadSummary head(Index sequence, Index head) const override {
    return summarize_head(rows(Stage::Weights, sequence, head), store_.model.query_offset(sequence));
  }

 private:
  std::vector<Matrix>& all_of(Stage stage);
  Matrix& stored(Stage stage, Index sequence, Index head);
  void make_room(Index sequence, Index head);
  void refresh_rows(Index sequence, Index head, Index begin, Index end);

  StageStore& store_;
  std::array<std::vector<Matrix>, kStageCount> stages_;  // of pairs, by sequence * H + head
  StageSet stale_ = 0;
  Stage before_mask_ = Stage::Scaled;  // what is masked
};

}  // namespace headlight
