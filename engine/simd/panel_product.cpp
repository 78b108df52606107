#include "engine/simd/panel_product.h"

#include <algorithm>
#include <bit>

#include "engine/simd/stored_loops.h"

namespace headlight {

// All rows meet a block of a panel while the next block, which follows in memory, is on its way.
class PanelProduct {
 public:
  PanelProduct(const PackedRows& packed, const Panels& panels, InstructionSet set)
      : packed_(packed),
        panels_(panels),
        loops_(stored_loops(set)),
        height_(vector_loops(set).tile_rows),
        width_(vector_loops(set).tile_columns) {}

  void multiply(MatrixOut y) {
    const Index tiles = parts_of(y.rows(), height_);
    const float* const end = panels_.numbers + parts_of(y.cols(), width_) * width_ * panels_.depth;
    const float* block = panels_.numbers;
    for (Index column = 0; column < y.cols(); column += width_)
      for (Index begin = 0; begin < panels_.depth; begin += PackedRows::kDepth) {
        const Index steps = std::min(PackedRows::kDepth, panels_.depth - begin);
        const float* const next = block + steps * width_;
        const Index ahead = std::min<Index>(end - next, steps * width_);
        Upcoming upcoming = upcoming_of(next, next + ahead, tiles * steps);
        for (Index row = 0; row < y.rows(); row += height_)
          loops_.multiply_panel(
              packed_.tiles_.data() + packed_.tile_at(row, begin), block, steps,
              {y.data() + row * y.outerStride() + column, y.outerStride(), std::min(height_, y.rows() - row),
               std::min(width_, y.cols() - column), begin > 0},
              upcoming);
        block = next;
      }
  }

 private:
  // The numbers from `next` to `end`, requested evenly in that many steps.
  static Upcoming upcoming_of(const float* next, const float* end, Index steps) {
    constexpr Index kLine = 64;  // bytes of a cache line
    const Index lines = (end - next) * static_cast<Index>(sizeof(float)) / kLine;
    if (lines == 0) return {};
    Upcoming upcoming;
    upcoming.next = reinterpret_cast<const char*>(next);
    upcoming.rows = 1;
    upcoming.row_lines = upcoming.in_row = lines;
    upcoming.lines = static_cast<int>(parts_of(lines, steps));
    upcoming.interval =
        static_cast<int>(std::bit_floor(static_cast<std::size_t>(std::max<Index>(1, steps / lines))));
    return upcoming;
  }

  const PackedRows& packed_;
  const Panels& panels_;
  const StoredLoops& loops_;
  Index height_, width_;  // of a tile
};

void multiply_panels(const PackedRows& packed, const Panels& panels, MatrixOut y, InstructionSet set) {
  constexpr Index kReadingRows = 400;  // up to so many, reading the panels from memory matters
  if (panels.depth == 0) {
    y.setZero();
    return;
  }
  if (y.rows() <= kReadingRows) return PanelProduct(packed, panels, set).multiply(y);
  const Index strip = strip_columns(panels.depth, set);
  for (Index first = 0; first < y.cols(); first += strip) {
    const Index count = std::min(strip, y.cols() - first);
    multiply_tiles(packed, {panels.numbers + first * panels.depth, panels.depth, count},
                   y.middleCols(first, count), false);
  }
}

}  // namespace headlight
