// The values of a stage as tables and arrays, for export.
#pragma once

#include <string>
#include <vector>

#include "engine/arrays/array.h"
#include "engine/layer/stage.h"

namespace headlight {

// Some heads of one stage of one sequence.
struct StageTable {
  std::string stage, session;  // "weights", or "" for values of no stage; the session's title
  std::string row_name;        // the meaning of a row: "query" or "token"
  bool per_head = false;       // whether the stage has heads; otherwise there is one matrix
  Index sequence = 0;
  std::vector<Index> heads;                // one per matrix, from 0
  std::string together;                    // "mean" or "maximum": one matrix of all heads; else ""
  std::vector<std::string> rows, columns;  // tokens, or dimension numbers from 0
  Index first_row = 0, first_column = 0;   // of `values` in the stage's matrix, if they are a part of it
  std::vector<Matrix> values;
};

// values: the matrices of these heads, as computed by the evaluator.
StageTable labelled_stage(const Layer& layer, const std::string& session_title, Stage stage, Index sequence,
                          const std::vector<Index>& heads, std::vector<Matrix> values);

// A line of names, then one line per row: its token and its numbers, each as the shortest text that parses to
// the same float32; "inf", "-inf" and "nan" for non-finite values. With several heads the first column holds
// the head. Fields with commas, semicolons, tabs, quotes, line breaks or outer blanks are quoted (RFC 4180).
// A label that a spreadsheet would run as a formula gets a leading apostrophe, see sheet_label.h.
std::string stage_csv(const StageTable& table);
// stage_csv() with tabs instead of commas; a tab or line break in a token is written \t, \r or \n.
std::string stage_tsv(const StageTable& table);
// An object with stage, session, sequence, heads, rows, columns and values: [head][row][column], or
// [row][column] without `heads` for a stage that has none. Of all heads together, `heads` says how. Of a
// part, first_row and first_column (from 0).
std::string stage_json(const StageTable& table);
// Tables for readers: four decimals, one table per head.
std::string stage_latex(const StageTable& table);
std::string stage_markdown(const StageTable& table);
// Shape rows x columns, or heads x rows x columns with several heads; named after the stage.
NamedArray stage_array(const StageTable& table);

}  // namespace headlight
