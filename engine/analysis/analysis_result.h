// What an analysis of a model found: numbers with names, to be shown, copied and saved.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/data_set.h"
#include "engine/analysis/stream_parts.h"
#include "engine/core/matrix.h"
#include "engine/interpretation/stream_reader.h"
#include "engine/network/network_pass.h"

namespace headlight {

struct ResultTable {
  // How the columns relate. Grid: all numbers are of one kind, like those of a heatmap. List: each column is
  // a quantity of its own. Text: a list whose rows are the tokens of a text, coloured by the first column.
  enum class Kind { Grid, List, Text };
  Kind kind = Kind::Grid;
  std::string name;                   // "change of the logit by head"; also that of the array in a file
  std::string row_axis, column_axis;  // "layer", "head"; of a list, only row_axis
  std::vector<std::string> rows, columns;
  Matrix values;                     // rows x columns; kNoNumber: there can be none; NaN: it failed
  bool signed_values = false;        // whether zero is the middle of the numbers' meaning
  std::vector<std::string> texts;    // shown in the cells of a grid, row by row; empty: the numbers are
  std::vector<std::string> remarks;  // of a list: a text behind each row; empty: none
  std::string remark_title;
  std::vector<std::string>
      doubts;                 // of a list: for each column why it says little; "": it does not; empty: none
  std::string quantity = {};  // of a grid: what its numbers are, "change of the logit"; "": `name` says it
  // Whether the rows and the columns are the tokens of the text, all of them.
  bool token_rows = false, token_columns = false;
  bool sum_last = false;  // the last row is the sum of other numbers, beside which these would be pale
  // Of means over the rows of a set: their standard errors, rows x columns; NaN: fewer than two rows have the
  // number. Empty: the numbers are no means over a set.
  Matrix error = {};
};

// What a table of edges is drawn from: its rows and columns as places in the model.
struct EdgeEnds {
  std::vector<StreamPart> senders;      // by row
  std::vector<StreamReader> receivers;  // by column
  bool parallel = false;                // MLPs read the stream that the heads of their layer read
  Index shown = 10;                     // so many of the strongest edges are drawn
};

// What was found of one row of a data set.
struct RowResult {
  std::optional<double> metric;  // of its target, in its text as it is; of Score the score
  std::vector<Matrix> values;    // of each table of the result, but for the last ones, which are of all rows
};

struct AnalysisResult {
  std::string title;               // "Loss of each token"
  std::vector<std::string> notes;  // what the numbers depend on, a sentence each without a full stop
  std::vector<ResultTable> tables;
  // Of Patches: of the target, in B and in A. Of Score: the score.
  std::optional<double> metric = {}, metric_of_source = {};
  std::shared_ptr<const DataSet> set = {};  // whose rows the numbers are means over; null: none
  std::vector<RowResult> rows = {};         // of the set
  std::optional<EdgeEnds> edges = {};       // of Edges: of the first table
  Matrix direction = {};                    // of Direction: what is added, 1 x d; empty: of another question
  std::optional<PatchStage> place = {};  // of Features: where the dictionary was, Analysis::place or its own
  std::vector<std::int64_t> steps = {};  // of a training, by row of the one table; empty: of one model
  bool one_range = false;                // whether figures of all tables have the same range of colours
  std::string about = {};                // a JSON object for files (app/export/about.h); "": none
  std::string in_words = {};             // the choices and changes, for a figure's subtitle; "": none
};

}  // namespace headlight
