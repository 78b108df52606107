// The motion of a cell's computation: which there is, the numbers that it needs, and its plan. The window and
// the command line give the numbers each in its own way.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/figure/color/color_scale.h"
#include "app/figure/motion/motion_parts.h"
#include "engine/core/counting.h"
#include "engine/views/query.h"

namespace headlight {

class MotionNumbers {
 public:
  virtual ~MotionNumbers() = default;
  virtual const Layer& layer() const = 0;
  virtual Counting counting() const = 0;
  virtual int decimals() const = 0;
  // The chosen colours of the stage's pictures, and the numbers that they range over: of one head or of all.
  virtual StageColors colors(Stage stage) const = 0;
  virtual ValueStatistics statistics(Stage stage, Index sequence, std::optional<Index> head) = 0;
  // Null where the numbers have not arrived yet.
  virtual std::shared_ptr<const CellTrace> trace(const CellAddress& cell) = 0;
  virtual std::shared_ptr<const RowSummary> row(const RowRequest& request) = 0;
  virtual std::shared_ptr<const Tile> tile(const TileRequest& request) = 0;
};

// Whether the computation of the stage's cells can be played: stages that copy or are given have none.
bool has_motion(const Layer& layer, Stage stage);

// "scores[with (3), one (4)]", as in lists and tests.
std::string motion_title(const Layer& layer, const CellAddress& cell, Counting counting);

// Empty until all numbers have arrived. Precondition: the stage has a motion and the cell exists.
MotionPlan motion_of(MotionNumbers& numbers, const CellAddress& cell, const MotionRoom& room);

}  // namespace headlight
