#include "engine/analysis/tables.h"

#include <utility>

namespace headlight {
namespace {

using Names = std::vector<std::string>;

}  // namespace

Names index_names(Index count) {
  Names names;
  for (Index i = 0; i < count; ++i)
    names.push_back(std::to_string(i));
  return names;
}

ResultTable grid_table(std::string name, std::string row_axis, std::string column_axis, Names rows,
                       Names columns, Matrix values, bool signed_values) {
  ResultTable table;
  table.name = std::move(name);
  table.row_axis = std::move(row_axis);
  table.column_axis = std::move(column_axis);
  table.rows = std::move(rows);
  table.columns = std::move(columns);
  table.values = std::move(values);
  table.signed_values = signed_values;
  return table;
}

ResultTable list_table(std::string name, std::string row_axis, Names rows, Names columns, Matrix values) {
  ResultTable table = grid_table(std::move(name), std::move(row_axis), "", std::move(rows),
                                 std::move(columns), std::move(values), false);
  table.kind = ResultTable::Kind::List;
  return table;
}

ResultTable of_quantity(std::string quantity, ResultTable table) {
  table.quantity = std::move(quantity);
  return table;
}

ResultTable of_tokens(ResultTable table, bool rows, bool columns) {
  table.token_rows = rows;
  table.token_columns = columns;
  return table;
}

ResultTable neurons_table(const Network& network, Index layer, const std::vector<Neuron>& neurons) {
  Matrix values(static_cast<Index>(neurons.size()), 2);
  Names rows, words;
  for (std::size_t i = 0; i < neurons.size(); ++i) {
    rows.push_back(std::to_string(neurons[i].number));
    values.row(static_cast<Index>(i)) << neurons[i].part, neurons[i].activation;
    words.push_back(words_of(network, neurons[i].promoted));
  }
  ResultTable table = list_table("neurons", "neuron of layer " + std::to_string(layer), std::move(rows),
                                 {"adds", "activation"}, std::move(values));
  table.remarks = std::move(words);
  table.remark_title = "raises, when positive";
  return table;
}

std::string words_of(const Network& network, const std::vector<Prediction>& predictions) {
  std::string words;
  for (const Prediction& one : predictions)
    words += (words.empty() ? "" : " | ") + network.label(one.id);
  return words;
}

ResultTable heads_table(std::string name, Matrix values, bool signed_values) {
  const Index layers = values.rows(), heads = values.cols();
  return grid_table(std::move(name), "layer", "head", index_names(layers), index_names(heads),
                    std::move(values), signed_values);
}

ResultTable mlps_table(std::string name, Matrix values) {
  const Index layers = values.rows();
  return grid_table(std::move(name), "layer", "", index_names(layers), {"MLP"}, std::move(values), true);
}

std::vector<ResultTable> part_tables(const Attribution& parts) {
  std::vector<ResultTable> tables = {of_quantity("part of the logit", heads_table("heads", parts.heads))};
  if (parts.cross_heads.size() > 0)
    tables.push_back(grid_table("cross_heads", "layer", "head of cross-attention",
                                index_names(parts.cross_heads.rows()), index_names(parts.cross_heads.cols()),
                                parts.cross_heads, true));
  tables.push_back(of_quantity("part of the logit", mlps_table("mlps", parts.mlps.transpose())));
  Names names = {"embedding", "output biases", "norm and logit biases"};
  std::vector<float> rest = {static_cast<float>(parts.embedding),
                             parts.output_bias.sum() + parts.cross_bias.sum(),
                             static_cast<float>(parts.constant)};
  if (parts.patches) {
    names.emplace_back("patches");
    rest.push_back(static_cast<float>(*parts.patches));
  }
  if (parts.cap) {
    names.emplace_back("softcap");
    rest.push_back(static_cast<float>(*parts.cap));
  }
  names.emplace_back("logit: the sum");
  rest.push_back(static_cast<float>(parts.logit + parts.cap.value_or(0)));
  tables.push_back(list_table("rest", "part", std::move(names), {"logit"},
                              Eigen::Map<const Matrix>(rest.data(), static_cast<Index>(rest.size()), 1)));
  tables.back().signed_values = true;
  tables.back().sum_last = true;
  return tables;
}

}  // namespace headlight
