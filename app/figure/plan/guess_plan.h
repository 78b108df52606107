// Lays out the picture of a guess below a question: bars to draw, cells to mark, or words to choose.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "engine/core/matrix.h"

namespace headlight {

// All lengths in window pixels; rectangles are relative to the picture's top left corner.
struct GuessRoom {
  float width = 0;
  float line = 0;  // height of a line of names
  float px = 1;    // window pixels per planned pixel
};

struct GuessPlan {
  std::vector<Rect> slots;  // a bar from its lowest to its highest end; a cell (row by row); a word
  std::vector<Rect> row_names, column_names;  // of bars below them, of cells beside and above them
  Rect note;                                  // for the number of the bar under the pointer; height 0: none
  double low = 0, high = 1;                   // both ends of a bar
  float height = 0;

  // The height of a number within a bar, and its inverse. Numbers beyond the ends are at the ends.
  double y_of(double number) const;
  double number_at(double y) const;
};

GuessPlan plan_bars(std::size_t count, double low, double high, const GuessRoom& room);
// `name_widths`: of the names of the rows. The grid is as wide as the room allows, up to a cell's largest
// size.
GuessPlan plan_cells(Index rows, Index columns, const std::vector<float>& name_widths, const GuessRoom& room);
// `widths`: of the words. A word that is wider than the room is given the room.
GuessPlan plan_words(const std::vector<float>& widths, const GuessRoom& room);

}  // namespace headlight
