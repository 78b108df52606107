#include "app/ui/inputs/grid_lines.h"

#include <algorithm>

#include "app/ui/inputs/matrix_grid_parts.h"

namespace headlight::grid {
namespace {

std::optional<LineKind> kind_of(const Frame& frame, Axis axis) {
  const Layer& layer = frame.ui.layer();
  return axis == Axis::Rows ? row_kind(layer, frame.options.input) : column_kind(layer, frame.options.input);
}

// The selected rows or columns.
struct Lines {
  Index at = 0, count = 1;
};
Lines lines_of(const Frame& frame, Axis axis) {
  const GridRange range = frame.range();
  if (axis == Axis::Rows) return {range.row, range.rows};
  return {range.column, range.columns};
}

LinesEdit edit_of(const Frame& frame, Axis axis, LineEdit requested) {
  const LineKind kind = *kind_of(frame, axis);
  const auto [at, count] = lines_of(frame, axis);
  switch (requested) {
    case LineEdit::Before:
      return {kind, LineChange::Insert, at, count, 0};
    case LineEdit::Behind:
      return {kind, LineChange::Insert, at + count, count, 0};
    case LineEdit::Duplicate:
      return {kind, LineChange::Duplicate, at, count, 0};
    case LineEdit::Remove:
      return {kind, LineChange::Remove, at, count, 0};
    case LineEdit::Back:
      return {kind, LineChange::Move, at, count, at - 1};
    case LineEdit::Forward:
      return {kind, LineChange::Move, at, count, at + 1};
  }
  return {};
}

std::string noun(LineKind kind, Index count) {
  const std::string word = kind == LineKind::Token   ? "token"
                           : kind == LineKind::Key   ? "key token"
                           : kind == LineKind::Input ? "dimension"
                                                     : "output dimension";
  return count == 1 ? word : std::to_string(count) + " " + word + "s";
}

// Moves the selection along: onto new lines, or to where the lines were moved.
void follow(Frame& frame, Axis axis, LineEdit requested) {
  GridSelection& selection = frame.selection();
  const auto [at, count] = lines_of(frame, axis);
  Index shift = 0;
  if (requested == LineEdit::Behind || requested == LineEdit::Duplicate) shift = count;
  if (requested == LineEdit::Back) shift = -1;
  if (requested == LineEdit::Forward) shift = 1;
  Index& near = axis == Axis::Rows ? selection.row : selection.column;
  Index& far = axis == Axis::Rows ? selection.far_row : selection.far_column;
  near += shift;
  far += shift;
  if (requested == LineEdit::Remove) near = far = at;  // the line that took their place
  frame.state.reveal = true;
}

}  // namespace

bool has_lines(const Frame& frame, Axis axis) {
  return kind_of(frame, axis).has_value();
}

std::string lines_text(const Frame& frame, Axis axis, LineEdit requested) {
  const std::string lines = noun(*kind_of(frame, axis), lines_of(frame, axis).count);
  const bool rows = axis == Axis::Rows;
  switch (requested) {
    case LineEdit::Before:
      return "Insert " + lines + " before";
    case LineEdit::Behind:
      return "Insert " + lines + " after";
    case LineEdit::Duplicate:
      return "Duplicate " + lines;
    case LineEdit::Remove:
      return "Delete " + lines;
    case LineEdit::Back:
      return rows ? "Move up" : "Move left";
    case LineEdit::Forward:
      return rows ? "Move down" : "Move right";
  }
  return "";
}

std::string why_not(const Frame& frame, Axis axis, LineEdit requested) {
  if (!has_lines(frame, axis))
    return frame.options.input.kind == InputKind::Bias ? "A bias has one row"
                                                       : "It keeps its size: the keys' own embeddings set it";
  return headlight::why_not(frame.ui.layer(), edit_of(frame, axis, requested));
}

void request_lines(Frame& frame, Axis axis, LineEdit requested) {
  frame.state.notice = why_not(frame, axis, requested);
  if (!frame.state.notice.empty()) {
    frame.state.notice += '.';
    return;
  }
  frame.ui.send(ChangeLines{edit_of(frame, axis, requested)});
  follow(frame, axis, requested);
}

}  // namespace headlight::grid
