// Flow and row as figures that are saved: the same plans as on screen, under a title.
#pragma once

#include "app/export/stage_picture.h"

namespace headlight {

// The weights of the heads, or with `stage` Dropped those after dropout, as lines from queries to keys.
// `query` makes the lines of one query stand out. Throws Error when the page is too low for the tokens.
FigureGrid flow_figure(const ComputedSession& session, Stage stage, Index sequence,
                       const std::vector<Index>& heads, std::optional<Index> query, const SheetSize& size,
                       const FigureOptions& options, const MeasureText& measure);

// One query's row of one head as bars, from score to dropped weight.
FigureGrid row_figure(const ComputedSession& session, Index sequence, Index head, Index query,
                      const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

}  // namespace headlight
