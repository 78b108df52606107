// The guess over the large picture of the stage that a question asks about: marks on its cells, or bars that
// stand on its row.
//
// Probe names: those of guess_box.h, and "lesson.guess.row", the row that the bars stand on.
#pragma once

#include "app/ui/lesson/guess_box.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// The stage whose picture the question is asked in, if its guess is drawn there: cells, and bars of a row.
std::optional<Stage> stage_of_guess(const LessonQuestion& question);

// Call once per frame after the large pictures, which `cache` has drawn: draws the guess over the picture of
// its stage, and what is right, and takes the reader's changes. Sets LessonGuide::in_picture; not over
// another view, another stage or head, a zoomed picture, or one too small for bars.
void guess_in_picture(UiContext& ui, LessonGuide& guide, HeatmapCache& cache);

}  // namespace headlight
