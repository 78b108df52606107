// Exported figures: one heatmap, heads side by side, every stage of a head, or two states compared.
#pragma once

#include <string>
#include <vector>

#include "app/export/computed_session.h"
#include "app/export/figure_options.h"
#include "app/export/figure_part.h"
#include "app/figure/plan/figure_sheet.h"

namespace headlight {

// Requests the whole matrix of one head of a stage, pooled to kMaxPictureCells along a side.
TileRequest picture_request(Stage stage, Index sequence, Index head);

// The colours and decimals of a picture.
struct PictureStyle {
  StageColors colors;
  int decimals = 4;  // negative: no numbers
};

// One plan for each of `tiles`, the shown heads of one stage, under one title. Heads share one colour range
// unless look.colors.shared is false. `head_count` is the number of heads that the stage has.
FigureGrid stage_picture(const std::vector<Tile>& tiles, const TokenLabels& tokens, Index head_count,
                         const std::string& session_title, const FigureStyle& style,
                         const MeasureText& measure, const PictureStyle& look = {});

// The sheets below have at most `max_cells` cells along a side and show the part as the options require; an
// end of 0 is that of the matrix. Colour ranges are those of the whole matrix. They throw Error if there is
// no such head or sequence.
FigureSheet heads_sheet(const ComputedSession& session, Stage stage, Index sequence,
                        const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                        const FigurePart& part = {}, TileContent content = TileContent::Stage);

// Every stage of one head, each with a separate colour range. The part's columns are keys: stages whose
// columns are dimensions show all.
FigureSheet pipeline_sheet(const ComputedSession& session, Index sequence, Index head,
                           const FigureOptions& options, Index max_cells, const FigurePart& part = {});

// For each head A, B and B - A; A and B share one colour range. by_value: weights as
// TileContent::ValueWeighted. Throws Error if their shapes differ.
FigureSheet compare_sheet(const ComputedSession& a, const ComputedSession& b, Stage stage, Index sequence,
                          const std::vector<Index>& heads, const FigureOptions& options, Index max_cells,
                          const FigurePart& part = {}, bool by_value = false);

}  // namespace headlight
