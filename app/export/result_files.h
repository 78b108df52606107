// The result of an analysis of a model (engine/analysis), as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/export/figure_options.h"
#include "app/figure/paint/file_format.h"
#include "app/figure/plan/edges_plan.h"
#include "app/figure/plan/figure_grid.h"
#include "app/figure/plan/heat_text_plan.h"
#include "engine/analysis/analysis.h"
#include "engine/analysis/analysis_result.h"
#include "engine/arrays/array.h"

namespace headlight {

class JsonWriter;

// Whether a result can be saved so: figures, CSV, TSV, JSON and NPZ.
bool is_result_format(FileFormat format);
// Numbers: CSV and TSV have the tables one after the other, each below its name; NPZ has their numbers under
// their names, and rows.NAME, columns.NAME, words.NAME, remarks.NAME and `about` as text. Of a data set: JSON
// has `error` beside the values and a list `rows`; NPZ error.NAME, set_rows.NAME (rows of the set x rows x
// columns), set_rows.metric and set.COLUMN, the cells; CSV and TSV NAME_error, and last "rows", a line each.
// Of the question direction JSON and NPZ have `direction`, its numbers.
// Precondition: the format is one of numbers and is_result_format().
std::string result_bytes(const AnalysisResult& result, FileFormat format);
// The object that is the whole of a JSON file.
void write_result(JsonWriter& json, const AnalysisResult& result);
// The members of an object about a row of a data set: its cells by their columns, target_id, against_id,
// positions, from_positions and metric, each where the row has it.
void write_set_row(JsonWriter& json, const DataSet& set, std::size_t at, const std::optional<double>& metric);
// set.COLUMN for each column: the cells, by row.
std::vector<NamedArray> set_cells(const DataSet& set);

// The model, the text, and the target where there is one: "words · Ann gave · target: ..."; of an analysis
// without texts "words · weights alone".
std::string result_subtitle(const Network& network, const Analysis& analysis, const AnalysisResult& result);

// All tables in one figure, of a set those that are means over its rows: grids as heatmaps, the columns of a
// list each as one, side by side, a text with its words coloured by the first column, and edges as their
// layered picture, unless cells of a size are asked for. subtitle: model and text. Throws Error if there is
// no room.
FigureGrid result_figure(const AnalysisResult& result, const std::string& subtitle,
                         const FigureOptions& options, FigureFormat format);

// A text coloured by its first column, from zero to the largest number. Precondition: it is one of
// ResultTable::Kind::Text.
HeatText heat_text_of(const ResultTable& table, const StageColors& colors);

// The edges of a result as a picture; its runs are those of the table "kept". Precondition: result.edges.
LayeredEdges layered_edges(const AnalysisResult& result, Counting counting);

// One table as heatmaps, whose tiles are pooled to `max_cells` a side: of a list one for each column.
std::vector<HeatmapFigure> table_figures(const ResultTable& table, const FigureOptions& options,
                                         Index max_cells);

}  // namespace headlight
