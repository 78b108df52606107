// Flow and row as figures that are saved: the same plans as on screen, under a title.
#pragma once

#include "app/export/figure_part.h"
#include "app/export/stage_picture.h"

namespace headlight {

// The weights of the heads, or with `stage` Dropped those after dropout, as lines from queries to keys.
// The part's rows are the queries, its columns the keys. `query` makes the lines of one query stand out; it
// counts from the first of all and must be in the part. Of many tokens those are named that have the
// strongest lines, as far as names have room.
FigureGrid flow_figure(const ComputedSession& session, Stage stage, Index sequence,
                       const std::vector<Index>& heads, std::optional<Index> query, const FigurePart& part,
                       const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

// One query's row of one head as bars, from score to dropped weight: of these keys, in the stages that the
// options name.
FigureGrid row_figure(const ComputedSession& session, Index sequence, Index head, Index query,
                      const IndexRange& keys, const SheetSize& size, const FigureOptions& options,
                      const MeasureText& measure);

}  // namespace headlight
