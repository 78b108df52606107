#include "app/ui/grid/grid_lines.h"

#include <algorithm>

#include "app/ui/grid/matrix_grid_parts.h"

namespace headlight::grid {
namespace {

std::optional<LineKind> kind_of(const Frame& frame, Axis axis) {
  const Model& model = frame.ui.model();
  return axis == Axis::Rows ? row_kind(model, frame.options.input) : column_kind(model, frame.options.input);
}

// The lines of the selection.
struct Lines {
  Index at = 0, count = 1;
};
Lines lines_of(const Frame& frame, Axis axis) {
  const GridRange range = frame.range();
  if (axis == Axis::Rows) return {range.row, range.rows};
  return {range.column, range.columns};
}

LinesEdit edit_of(const Frame& frame, Axis axis, LinesWish wish) {
  const LineKind kind = *kind_of(frame, axis);
  const auto [at, count] = lines_of(frame, axis);
  switch (wish) {
    case LinesWish::Before:
      return {kind, LineChange::Insert, at, count, 0};
    case LinesWish::Behind:
      return {kind, LineChange::Insert, at + count, count, 0};
    case LinesWish::Duplicate:
      return {kind, LineChange::Duplicate, at, count, 0};
    case LinesWish::Remove:
      return {kind, LineChange::Remove, at, count, 0};
    case LinesWish::Back:
      return {kind, LineChange::Move, at, count, at - 1};
    case LinesWish::Forward:
      return {kind, LineChange::Move, at, count, at + 1};
  }
  return {};
}

std::string noun(LineKind kind, Index count) {
  const std::string word = kind == LineKind::Token   ? "token"
                           : kind == LineKind::Input ? "dimension"
                                                     : "output dimension";
  return count == 1 ? word : std::to_string(count) + " " + word + "s";
}

// The selection goes with the lines: onto the new ones, or where they were moved.
void follow(Frame& frame, Axis axis, LinesWish wish) {
  GridSelection& selection = frame.selection();
  const auto [at, count] = lines_of(frame, axis);
  Index shift = 0;
  if (wish == LinesWish::Behind || wish == LinesWish::Duplicate) shift = count;
  if (wish == LinesWish::Back) shift = -1;
  if (wish == LinesWish::Forward) shift = 1;
  Index& near = axis == Axis::Rows ? selection.row : selection.column;
  Index& far = axis == Axis::Rows ? selection.far_row : selection.far_column;
  near += shift;
  far += shift;
  if (wish == LinesWish::Remove) near = far = at;  // the line that took their place
  frame.state.reveal = true;
}

}  // namespace

bool has_lines(const Frame& frame, Axis axis) {
  return kind_of(frame, axis).has_value();
}

std::string lines_text(const Frame& frame, Axis axis, LinesWish wish) {
  const std::string lines = noun(*kind_of(frame, axis), lines_of(frame, axis).count);
  const bool rows = axis == Axis::Rows;
  switch (wish) {
    case LinesWish::Before:
      return "Insert " + lines + " before";
    case LinesWish::Behind:
      return "Insert " + lines + " after";
    case LinesWish::Duplicate:
      return "Duplicate " + lines;
    case LinesWish::Remove:
      return "Delete " + lines;
    case LinesWish::Back:
      return rows ? "Move up" : "Move left";
    case LinesWish::Forward:
      return rows ? "Move down" : "Move right";
  }
  return "";
}

std::string why_not(const Frame& frame, Axis axis, LinesWish wish) {
  if (!has_lines(frame, axis)) return "A bias has one row";
  return headlight::why_not(frame.ui.model(), edit_of(frame, axis, wish));
}

void ask_lines(Frame& frame, Axis axis, LinesWish wish) {
  frame.state.notice = why_not(frame, axis, wish);
  if (!frame.state.notice.empty()) {
    frame.state.notice += '.';
    return;
  }
  frame.ui.send(ChangeLines{edit_of(frame, axis, wish)});
  follow(frame, axis, wish);
}

}  // namespace headlight::grid
