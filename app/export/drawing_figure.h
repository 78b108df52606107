// The flow and row diagrams as exported figures: the same plans as on screen, under a title.
#pragma once

#include "app/export/figure_choice.h"
#include "app/export/figure_part.h"
#include "app/export/stage_picture.h"
#include "app/figure/plan/bar_table_plan.h"
#include "app/figure/plan/edges_plan.h"
#include "app/figure/plan/heat_text_plan.h"
#include "app/figure/plan/steps_plan.h"

namespace headlight {

// The weights of the heads, or with `stage` Dropped those after dropout, as lines from queries to keys. The
// part's rows are the queries, its columns the keys. `query`, an index in all queries, highlights the lines
// of one query; `lines` says what else. by_value: weights as TileContent::ValueWeighted. If not all labels
// have room, the tokens with the strongest lines are labelled. Throws Error if the query is not in the part
// or the page is too small.
FigureGrid flow_figure(const ComputedSession& session, Stage stage, Index sequence,
                       const std::vector<Index>& heads, std::optional<Index> query, const FlowLines& lines,
                       const FigurePart& part, const SheetSize& size, const FigureOptions& options,
                       const MeasureText& measure, bool by_value = false);

// One query's row of one head as bars, from scores to dropped weights: of these keys, in the stages that the
// options name; by_value: also the weights as TileContent::ValueWeighted. Throws Error if there is no such
// query or stage or the page is too small.
FigureGrid row_figure(const ComputedSession& session, Index sequence, Index head, Index query,
                      const IndexRange& keys, const SheetSize& size, const FigureOptions& options,
                      const MeasureText& measure, bool by_value = false);

// A text with the colours of its numbers, and their range below it. Throws Error if the page is too small.
FigureGrid heat_text_figure(const HeatText& text, const std::string& title, const std::string& subtitle,
                            const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

// A table whose numbers are bars as well. Throws Error if the page is too small.
FigureGrid bar_table_figure(const BarTable& table, const std::string& title, const std::string& subtitle,
                            const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

// The strongest edges of a model in its layers, and how much of the number they carry. Throws Error if the
// page is too small.
FigureGrid edges_figure(const LayeredEdges& edges, const std::string& title, const std::string& subtitle,
                        const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

// Numbers over the steps of a training. Throws Error if the page is too small, and for more numbers than can
// be told apart.
FigureGrid step_lines_figure(const StepLines& lines, const std::string& title, const std::string& subtitle,
                             const SheetSize& size, const FigureOptions& options, const MeasureText& measure);

}  // namespace headlight
