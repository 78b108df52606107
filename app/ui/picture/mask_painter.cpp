#include "app/ui/picture/mask_painter.h"

#include <algorithm>
#include <cstdlib>

#include "engine/model/mask_presets.h"

namespace headlight {
namespace {

// Beside the gestures of the grids and the settings, which share the document's history.
constexpr std::uint64_t kPaintGesture = std::uint64_t{3} << 62;

void fill(Matrix& mask, const CellBlock& block, float value) {
  mask.block(block.row, block.column, block.row_end - block.row, block.column_end - block.column)
      .setConstant(value);
}

// Everything between two cells: a fast pointer skips some from one frame to the next.
void fill_line(Matrix& mask, const CellBlock& from, const CellBlock& to, float value) {
  const Index rows = to.row - from.row, columns = to.column - from.column;
  const Index steps = std::max(std::abs(rows), std::abs(columns));
  const auto at = [&](Index begin, Index distance, Index step) {
    return begin + (2 * distance * step + (distance < 0 ? -steps : steps)) / (2 * steps);
  };
  for (Index step = 1; step < steps; ++step) {
    const Index row = at(from.row, rows, step), column = at(from.column, columns, step);
    mask(row, column) = value;
  }
  fill(mask, to, value);
}

}  // namespace

void paint_mask(UiContext& ui, MaskPainter& painter, const HeatmapResult& result) {
  if (!ui.view.paints_mask || !result.held || result.pointed.empty()) return;
  const CellBlock& cell = result.pointed;
  if (painter.gesture == 0) {
    painter.gesture = kPaintGesture | ui.document.revision();
    painter.painted = mask_matrix(ui.model());
    painter.value = ui.model().may_attend(cell.row, cell.column) ? 0.0f : 1.0f;
    painter.last = cell;
  }
  Matrix after = painter.painted;
  fill_line(after, *painter.last, cell, painter.value);
  painter.last = cell;
  if (after == painter.painted) return;
  painter.painted = after;
  ui.send(SetMask{MaskKind::Custom, std::move(after), painter.gesture});
}

void end_stroke(MaskPainter& painter) {
  painter.gesture = 0;
  painter.last.reset();
  painter.painted.resize(0, 0);
}

}  // namespace headlight
