// The numbers of a motion from computed stages: for animations in files.
#pragma once

#include <array>
#include <vector>

#include "app/export/computed_session.h"
#include "app/export/motion_of.h"

namespace headlight {

// How the numbers of a motion are written and coloured.
struct MotionLook {
  Counting counting;
  int decimals = 4;
  std::array<StageColors, kStageCount> colors = first_window_colors();
};

// Has every number. The session must outlive it.
class ComputedMotionNumbers : public MotionNumbers {
 public:
  explicit ComputedMotionNumbers(const ComputedSession& session, const MotionLook& look = {})
      : session_(session), look_(look) {}

  const Layer& layer() const override { return session_.layer(); }
  Counting counting() const override { return look_.counting; }
  int decimals() const override { return look_.decimals; }
  StageColors colors(Stage stage) const override { return look_.colors[static_cast<std::size_t>(stage)]; }
  ValueStatistics statistics(Stage stage, Index sequence, std::optional<Index> head) override;
  std::shared_ptr<const CellTrace> trace(const CellAddress& cell) override;
  std::shared_ptr<const RowSummary> row(const RowRequest& request) override;
  std::shared_ptr<const Tile> tile(const TileRequest& request) override;

 private:
  struct Known {
    Stage stage = Stage::Weights;
    Index sequence = 0;
    std::optional<Index> head;
    ValueStatistics numbers;
  };

  const ComputedSession& session_;
  MotionLook look_;
  std::vector<Known> known_;
};

}  // namespace headlight
