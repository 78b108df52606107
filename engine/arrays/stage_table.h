// The numbers of a stage as tables and arrays for other programs.
#pragma once

#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/model/stage.h"

namespace headlight {

// Some heads of one stage of one sequence.
struct StageTable {
  std::string stage, session;  // "weights", or "" for other cells; the session's title
  std::string row_name;        // what a row is: "query" or "token"
  bool per_head = false;       // whether the stage has heads; else there is one matrix
  Index sequence = 0;
  std::vector<Index> heads;                // one for each matrix, from 0
  std::vector<std::string> rows, columns;  // tokens, or the numbers of dimensions from 1
  Index first_row = 0, first_column = 0;   // in the stage's matrix, of which this may be a part
  std::vector<Matrix> values;
};

// `values`: the matrices of these heads, as the evaluator has them.
StageTable labelled_stage(const Model& model, const std::string& session_title, Stage stage, Index sequence,
                          const std::vector<Index>& heads, std::vector<Matrix> values);

// A line of names, then one line for each row: its token and its numbers, each as the shortest text that
// reads back as the same float32; "inf", "-inf" and "nan" for what is not finite. With several heads the
// first column says which. Fields with commas, semicolons, tabs, quotes or line breaks are quoted (RFC 4180).
// A label that a spreadsheet would run has an apostrophe in front of it, see sheet_label.h.
std::string stage_csv(const StageTable& table);
// The same with tabs; a tab or line break in a token is written \t or \n.
std::string stage_tsv(const StageTable& table);
// An object with stage, session, sequence, heads, rows, columns and values: [head][row][column], without the
// first for stages that have no heads. Of a part, first_row and first_column say where it begins, from 0.
std::string stage_json(const StageTable& table);
// Tables to be read by people: four decimals, one table for each head.
std::string stage_latex(const StageTable& table);
std::string stage_markdown(const StageTable& table);
// rows x columns, or heads x rows x columns with several heads. Its name is the stage's.
NamedArray stage_array(const StageTable& table);

}  // namespace headlight
