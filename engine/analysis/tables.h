// The tables of results. Rows and columns without a name of their own are counted from 0, as in files.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/analysis_result.h"
#include "engine/analysis/neurons.h"
#include "engine/core/matrix.h"
#include "engine/interpretation/attribution.h"

namespace headlight {

// "0", "1", ...
std::vector<std::string> index_names(Index count);

ResultTable grid_table(std::string name, std::string row_axis, std::string column_axis,
                       std::vector<std::string> rows, std::vector<std::string> columns, Matrix values,
                       bool signed_values);
ResultTable list_table(std::string name, std::string row_axis, std::vector<std::string> rows,
                       std::vector<std::string> columns, Matrix values);
// The table with this quantity.
ResultTable of_quantity(std::string quantity, ResultTable table);
// The table whose rows or columns are the tokens of the text.
ResultTable of_tokens(ResultTable table, bool rows, bool columns);
// "Ann | Bob": the tokens of predictions.
std::string words_of(const Network& network, const std::vector<Prediction>& predictions);
// Of L x H numbers.
ResultTable heads_table(std::string name, Matrix values, bool signed_values = true);
// Of L x 1 numbers.
ResultTable mlps_table(std::string name, Matrix values);

// "neurons", with the tokens that each promotes.
ResultTable neurons_table(const Network& network, Index layer, const std::vector<Neuron>& neurons);

// "heads", "mlps" and "rest", of which the last row of "rest" is the logit, the sum of all else; with
// cross-attention also "cross_heads".
std::vector<ResultTable> part_tables(const Attribution& parts);

}  // namespace headlight
