// The sentence as a figure for a file: its words, the beams from one of them, and the next words.
#pragma once

#include "app/figure/plan/figure_grid.h"
#include "engine/analysis/text_reading.h"
#include "engine/core/counting.h"

namespace headlight {

// What is shown: the beams of `head` from the word `query`. What is supposed is in the reading.
struct SentenceShown {
  TextHead head;
  Index query = 0;
};

// All words are in the figure, in as many lines as they need; beams that are only supposed are dashed, and
// the title says what is supposed. Preconditions: the reading has tokens, and the head and the word exist.
FigureGrid sentence_figure(const TextReading& reading, const SentenceShown& shown, Counting counting,
                           const FigureStyle& style, const MeasureText& measure);

}  // namespace headlight
