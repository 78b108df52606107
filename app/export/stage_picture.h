// The pictures of stages as they are saved: one heatmap, the heads side by side, every stage of a head, or
// two states and what differs.
#pragma once

#include <string>
#include <vector>

#include "app/export/computed_session.h"
#include "app/export/figure_options.h"
#include "app/export/figure_part.h"
#include "app/figure/plan/figure_sheet.h"

namespace headlight {

// The whole of one head of a stage, for a picture.
TileRequest picture_request(Stage stage, Index sequence, Index head, const StageColors& colors = {});

// How a picture is coloured and numbered.
struct PictureLook {
  StageColors colors;
  int decimals = 4;
};

// One plan for each of `tiles`, the shown heads of one stage, under one title. Heads share one colour range
// unless the look says otherwise. `head_count` is the number of heads that the stage has.
FigureGrid stage_picture(const std::vector<Tile>& tiles, const TokenLabels& tokens, Index head_count,
                         const std::string& session_title, const FigureStyle& style,
                         const MeasureText& measure, const PictureLook& look = {});

// The sheets below hold at most `max_cells` cells along a side and show what the options say, of the part; an
// end of 0 is that of the matrix. Colours are those of the whole matrix. Throw Error when there is no such
// head or sequence.
FigureSheet heads_sheet(const ComputedSession& session, Stage stage, Index sequence,
                        const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                        const FigurePart& part = {});

// Every stage of one head, each in its own colours. The part's columns are keys: stages of dimensions show
// all.
FigureSheet pipeline_sheet(const ComputedSession& session, Index sequence, Index head,
                           const FigureOptions& options, Index max_cells, const FigurePart& part = {});

// For each head A, B and B - A; A and B share their colours. Throws Error when their shapes differ.
FigureSheet compare_sheet(const ComputedSession& a, const ComputedSession& b, Stage stage, Index sequence,
                          const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                          const FigurePart& part = {});

}  // namespace headlight
