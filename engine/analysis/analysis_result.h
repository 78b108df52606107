// What an analysis of a model found: numbers with names, to be shown, copied and saved.
#pragma once

#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

struct ResultTable {
  // How the columns relate. Grid: all numbers are of one kind, like those of a heatmap. List: each column is
  // a quantity of its own. Text: a list whose rows are the tokens of a text, coloured by the first column.
  enum class Kind { Grid, List, Text };
  Kind kind = Kind::Grid;
  std::string name;                   // "change of the logit by head"; also that of the array in a file
  std::string row_axis, column_axis;  // "layer", "head"; of a list, only row_axis
  std::vector<std::string> rows, columns;
  Matrix values;                     // rows x columns; NaN: there is no number
  bool signed_values = false;        // whether zero is the middle of the numbers' meaning
  std::vector<std::string> texts;    // shown in the cells of a grid, row by row; empty: the numbers are
  std::vector<std::string> remarks;  // of a list: a text behind each row; empty: none
  std::string remark_title;
  std::vector<std::string>
      doubts;                 // of a list: for each column why it says little; "": it does not; empty: none
  std::string quantity = {};  // of a grid: what its numbers are, "change of the logit"; "": `name` says it
};

struct AnalysisResult {
  std::string title;               // "Loss of each token"
  std::vector<std::string> notes;  // what the numbers depend on, a sentence each without a full stop
  std::vector<ResultTable> tables;
  bool one_range = false;     // whether figures of all tables have the same range of colours
  std::string about = {};     // a JSON object for files (app/export/about.h); "": none
  std::string in_words = {};  // the choices and changes, for a figure's subtitle; "": none
};

}  // namespace headlight
