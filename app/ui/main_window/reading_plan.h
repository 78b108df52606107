// The places of a lesson's text and of everything else while the text is read. Computed, not drawn.
#pragma once

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// In pixels. `content`: the window between the top bar and the status bar. `scale`: pixels per planned pixel.
struct ReadingRoom {
  Rect content;
  double scale = 1;
  bool many = false;  // several pictures, which need the margin's width
  bool page = false;  // a column has no room for its contents, whatever its width
};

struct ReadingPlan {
  Rect text;    // the lesson's column at the left; on a page the line of its buttons
  Rect rest;    // the line of words, the strip and the picture; on a page all that scrolls
  Rect margin;  // at the right of the picture, as high as `rest`; empty where the picture needs the width
};

// Whether the text has a column of its own. Else text, picture and what the step names are one page that
// scrolls as a whole.
bool has_reading_column(const ReadingRoom& room);
// Neither place depends on the step. The column takes 0.325 of the window's width, 360 to 440 planned pixels
// and in a narrow window 320, and the full height.
// footer_height: of the line of buttons of a page.
ReadingPlan plan_reading(const ReadingRoom& room, double footer_height);

// What stands below each other in the column.
struct ColumnNeeds {
  double text = 0;        // of the lesson's panel if nothing scrolls
  double least_text = 0;  // of the panel with six lines of text in sight
  double inputs = 0;      // all numbers in sight
  double card = 0;        // 0: there is none, or it is in the margin
};
struct ColumnPlan {
  double text = 0, inputs = 0, card = 0;  // heights
};
// The inputs have what the text leaves, at most a share of the height; the card what both leave, at most 240
// planned pixels. The text keeps its least height in any case. A height below `least_*` becomes 0.
ColumnPlan plan_column(double height, const ColumnNeeds& needs, double scale);

// The least size of a picture's cells in a window `width` pixels wide: 280 pixels, 240 in a narrow one.
// `pixel`: of the window's own scale, which larger text does not change.
double least_picture_side(double width, double pixel);

// The height of the panel of the picture on a page of this width: its cells have the width's, at most 480
// planned pixels, and all of it is in sight at once where the floor of the picture allows. `around`: of the
// header and the labels. `seen`: the height of the page in sight. `floor`: of the cells.
double page_picture_height(double width, double seen, double around, double floor, double scale);

}  // namespace headlight
