#include "app/ui/picture/mask_painter.h"

#include <algorithm>
#include <cstdlib>

#include "engine/layer/mask_presets.h"

namespace headlight {
namespace {

// Distinct from the gestures of grids and settings, which share the document's history.
constexpr std::uint64_t kPaintGesture = std::uint64_t{3} << 62;

void fill(Matrix& mask, const CellBlock& block, float value) {
  mask.block(block.row, block.column, block.row_end - block.row, block.column_end - block.column)
      .setConstant(value);
}

}  // namespace

std::vector<std::pair<Index, Index>> cells_between(const CellBlock& from, const CellBlock& to) {
  const Index rows = to.row - from.row, columns = to.column - from.column;
  const Index steps = std::max(std::abs(rows), std::abs(columns));
  const auto at = [&](Index begin, Index distance, Index step) {
    return begin + (2 * distance * step + (distance < 0 ? -steps : steps)) / (2 * steps);
  };
  std::vector<std::pair<Index, Index>> cells;
  for (Index step = 1; step < steps; ++step)
    cells.emplace_back(at(from.row, rows, step), at(from.column, columns, step));
  return cells;
}

void paint_mask(UiContext& ui, MaskPainter& painter, const HeatmapResult& result) {
  if (!ui.view.picture.paints_mask || !result.held || result.pointed.empty()) return;
  const CellBlock& cell = result.pointed;
  const Index sequence = ui.view.sequence, head = result.head;
  if (painter.gesture == 0) {
    painter.gesture = kPaintGesture | ui.document.revision();
    painter.painted = allowed_pairs(ui.layer());
    painter.value = ui.layer().may_attend(cell.row, cell.column, sequence, head) ? 0.0f : 1.0f;
    painter.last = cell;
  }
  Matrix& painted = painter.painted.matrices[static_cast<std::size_t>(painter.painted.index(sequence, head))];
  const Matrix before = painted;
  for (const auto& [row, column] : cells_between(*painter.last, cell))
    painted(row, column) = painter.value;
  fill(painted, cell, painter.value);
  painter.last = cell;
  if (painted == before) return;
  if (ui.layer().attention.mask != MaskKind::Rules) {
    ui.send(SetMask{MaskKind::Custom, painted, painter.gesture});
    return;
  }
  // Painting can allow pairs that the rules forbid, so the painted pairs replace all rules except the query
  // offsets.
  MaskRules rules;
  rules.offsets = ui.layer().attention.rules.offsets;
  ui.send(SetMaskRules{std::move(rules), painter.painted, painter.gesture});
}

void end_stroke(MaskPainter& painter) {
  painter.gesture = 0;
  painter.last.reset();
  painter.painted = {};
}

}  // namespace headlight
