// The layout of several pictures of a stage side by side: grids that make them as large as the room allows.
#pragma once

#include <functional>

#include "app/ui/widgets/area.h"
#include "engine/core/matrix.h"

namespace headlight {

// What is laid out, in pixels.
struct HeadsRoom {
  Area area;
  int count = 1;
  Index rows = 1, columns = 1;  // of one matrix
  float aspect = 1;             // width by height of one picture, within limits
  bool one_row = false;
  float gap = 0;
  float caption = 0, summary = 0;  // above and below each picture
  float halves = 0;                // half a line above and below the cells, for the labels at their ends
  float bar = 0;                   // beside the last picture of a row, for the common colour bar
  float gutter = 0;                // beside the first picture of a row, for the common row labels
  std::function<float(float picture_width)> header;  // above the cells, for the column labels
};

struct HeadsPlan {
  int count = 1, columns = 1;
  Area area;
  float gap = 0, header = 0, gutter = 0, bar = 0;  // 0 where each picture has its own
  ImVec2 cell;                                     // one picture with its caption and summary

  int rows() const { return (count + columns - 1) / columns; }
  bool begins_row(int i) const { return i % columns == 0; }
  bool ends_row(int i) const { return i % columns == columns - 1 || i == count - 1; }
  bool in_first_row(int i) const { return i < columns; }
  ImVec2 at(int i) const;
};

HeadsPlan plan_heads(const HeadsRoom& room);

// The size of one cell of the matrices in the plan, approximately.
float heads_cell(const HeadsRoom& room, const HeadsPlan& plan);

// Whether there are too many heads to be read side by side: more than six whose cells are smaller than
// `least_cell`.
bool too_many_heads(const HeadsRoom& room, const HeadsPlan& plan, float least_cell);

// The pictures of dropout for one head: before, noise, after and perhaps the mean, in rows.
struct DropoutRoom {
  Area area;
  int count = 3;
  bool labels = false;
  float gap = 0, caption = 0, gutter = 0, bar = 0, header = 0;  // header: column labels above the cells
};

struct DropoutPlan {
  int across = 1;
  ImVec2 cells;  // of a picture's cells and header

  ImVec2 at(const DropoutRoom& room, int i) const;
};

// As many in a row as makes them largest.
DropoutPlan plan_dropout(const DropoutRoom& room);

}  // namespace headlight
