// The places of a lesson's text and of everything else while the text is read. Computed, not drawn.
#pragma once

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// In pixels. `content`: the window between the top bar and the status bar, without the margins at its sides.
// `scale`: pixels per planned pixel.
struct ReadingRoom {
  Rect content;
  double scale = 1;
  bool inputs_folded = true;  // to their names: unfolded they need the width beside the picture
  double text_height = 1e9;   // of the highest text of the lesson with its buttons, below the picture
};

struct ReadingPlan {
  Rect text;  // the panel of the lesson
  Rect rest;  // the inputs and the picture, below the strip
};

// Whether the text has a column at the right: in a wide window, and in one too low for a picture with a text
// below it. Else it is below the picture, as on a page.
bool has_reading_column(const ReadingRoom& room);
// Whether there is room for the strip above the picture.
bool has_strip(const ReadingRoom& room);
// Whether the inputs, folded to their names, have room beside the picture.
bool has_folded_inputs(const ReadingRoom& room);
// The width of the strip, which ends where the column begins.
double strip_width(const ReadingRoom& room);
// The column has a width of 360 to 440 planned pixels, less in a window that is only low, and the full
// height; neither depends on the step or on the strip. Below the picture the text takes no more than its own
// height. strip_height: with the space below it.
ReadingPlan plan_reading(const ReadingRoom& room, double strip_height);

}  // namespace headlight
