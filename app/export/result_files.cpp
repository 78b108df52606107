#include "app/export/result_files.h"

#include <cmath>
#include <limits>

#include "engine/arrays/npy.h"
#include "engine/core/digits.h"
#include "engine/core/separated_fields.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

float metric_value(const RowResult& row) {
  return row.metric ? static_cast<float>(*row.metric) : std::numeric_limits<float>::quiet_NaN();
}

std::string separated(const ResultTable& table, char separator, std::string (*field)(const std::string&)) {
  std::string text = field(table.row_axis);
  for (const std::string& column : table.columns)
    text += separator + field(column);
  if (!table.remarks.empty()) text += separator + field(table.remark_title);
  text += '\n';
  for (Index row = 0; row < table.values.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    text += field(table.rows[at]);
    for (Index column = 0; column < table.values.cols(); ++column) {
      text += separator;
      if (!std::isnan(table.values(row, column))) append_float(text, table.values(row, column));
    }
    if (!table.remarks.empty()) text += separator + field(table.remarks[at]);
    text += '\n';
  }
  return text;
}

// The words of the cells, as a table of their own.
std::string separated_words(const ResultTable& table, char separator,
                            std::string (*field)(const std::string&)) {
  std::string text = field(table.row_axis);
  for (const std::string& column : table.columns)
    text += separator + field(column);
  text += '\n';
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += field(table.rows[row]);
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      text += separator + field(table.texts[row * table.columns.size() + column]);
    text += '\n';
  }
  return text;
}

// The table with its standard errors in the place of its numbers.
ResultTable errors_of(const ResultTable& table) {
  ResultTable errors = table;
  errors.values = table.error;
  errors.remarks.clear();
  return errors;
}

// The rows of a data set: its cells, the metric and, a column for each, the numbers of the tables.
std::string separated_rows(const AnalysisResult& result, char separator,
                           std::string (*field)(const std::string&)) {
  std::string text = "row";
  for (const std::string& column : result.set->columns)
    text += separator + field(column);
  text += separator + std::string("metric");
  for (std::size_t i = 0; i < result.rows.front().values.size(); ++i) {
    const ResultTable& table = result.tables[i];
    for (const std::string& row : table.rows)
      for (const std::string& column : table.columns)
        text += separator + field(std::string(table.name).append(" ").append(row).append(" ").append(column));
  }
  text += '\n';
  const auto append = [&](float value) {
    text += separator;
    if (!std::isnan(value)) append_float(text, value);
  };
  for (std::size_t at = 0; at < result.rows.size(); ++at) {
    const RowResult& row = result.rows[at];
    text += std::to_string(at + 1);
    for (const std::string& cell : result.set->rows[at].cells)
      text += separator + field(cell);
    append(metric_value(row));
    for (const Matrix& values : row.values)
      for (Index i = 0; i < values.size(); ++i)
        append(values.data()[i]);
    text += '\n';
  }
  return text;
}

std::string separated_text(const AnalysisResult& result, char separator,
                           std::string (*field)(const std::string&)) {
  std::string text;
  const auto begin = [&](const std::string& name) {
    if (!text.empty()) text += '\n';
    if (result.tables.size() > 1 || !result.tables.front().texts.empty() || result.set)
      text += field(name) + '\n';
  };
  for (const ResultTable& table : result.tables) {
    begin(table.name);
    text += separated(table, separator, field);
    if (!table.texts.empty()) {
      begin(table.name + "_words");
      text += separated_words(table, separator, field);
    }
    if (table.error.size() == 0) continue;
    begin(table.name + "_error");
    text += separated(errors_of(table), separator, field);
  }
  if (!result.set) return text;
  begin("rows");
  return text + separated_rows(result, separator, field);
}

void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key);
  json.begin_list();
  for (const std::string& name : names) {
    json.next_item();
    json.text(name);
  }
  json.end_list();
}

// Numbers that are not finite are null.
void write_numbers(JsonWriter& json, const char* key, const Matrix& values) {
  json.key(key);
  json.begin_list();
  for (Index row = 0; row < values.rows(); ++row) {
    json.next_item();
    json.begin_list();
    for (Index column = 0; column < values.cols(); ++column) {
      json.next_item();
      const float value = values(row, column);
      std::isfinite(value) ? json.float32(value) : json.null();
    }
    json.end_list();
  }
  json.end_list();
}

// The names of a table and of its rows and columns, and its numbers.
void write_named(JsonWriter& json, const ResultTable& table, const Matrix& values) {
  json.key("name");
  json.text(table.name);
  json.key("row_axis");
  json.text(table.row_axis);
  json.key("column_axis");
  json.text(table.column_axis);
  write_names(json, "rows", table.rows);
  write_names(json, "columns", table.columns);
  write_numbers(json, "values", values);
}

void write_table(JsonWriter& json, const ResultTable& table) {
  json.begin_object();
  write_named(json, table, table.values);
  if (table.error.size() > 0) write_numbers(json, "error", table.error);
  if (!table.texts.empty()) write_names(json, "words", table.texts);
  if (!table.remarks.empty()) write_names(json, "remarks", table.remarks);
  json.end_object();
}

void write_token(JsonWriter& json, const char* key, const std::optional<std::int32_t>& id) {
  if (!id) return;
  json.key(key);
  json.whole(*id);
}

// Where the named tokens are.
void write_positions(JsonWriter& json, const char* key, const DataSet& set,
                     const std::vector<std::optional<Index>>& tokens) {
  json.key(key);
  json.begin_object();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    json.key(set.names[i]);
    tokens[i] ? json.whole(*tokens[i]) : json.null();
  }
  json.end_object();
}

void write_row(JsonWriter& json, const AnalysisResult& result, std::size_t at) {
  json.begin_object();
  write_set_row(json, *result.set, at, result.rows[at].metric);
  json.key("tables");
  json.begin_list();
  for (std::size_t i = 0; i < result.rows[at].values.size(); ++i) {
    json.next_item();
    json.begin_object();
    write_named(json, result.tables[i], result.rows[at].values[i]);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

// Of each row of a set: its cells, its metric, and the numbers of a table, set rows x rows x columns.
void add_set_arrays(const AnalysisResult& result, std::vector<NamedArray>& arrays) {
  const auto count = static_cast<Index>(result.rows.size());
  for (NamedArray& cells : set_cells(*result.set))
    arrays.push_back(std::move(cells));
  std::vector<float> metric;
  for (const RowResult& row : result.rows)
    metric.push_back(metric_value(row));
  arrays.push_back({"set_rows.metric", {count}, std::move(metric)});
  for (std::size_t i = 0; i < result.rows.front().values.size(); ++i) {
    std::vector<float> numbers;
    for (const RowResult& row : result.rows)
      numbers.insert(numbers.end(), row.values[i].data(), row.values[i].data() + row.values[i].size());
    const Matrix& mean = result.tables[i].values;
    arrays.push_back(
        {"set_rows." + result.tables[i].name, {count, mean.rows(), mean.cols()}, std::move(numbers)});
  }
}

std::string npz_of(const AnalysisResult& result) {
  std::vector<NamedArray> arrays;
  const auto add_names = [&](const std::string& name, const std::vector<std::string>& names) {
    if (!names.empty()) arrays.push_back({name, {static_cast<Index>(names.size())}, {}, names});
  };
  for (const ResultTable& table : result.tables) {
    arrays.push_back({table.name,
                      {table.values.rows(), table.values.cols()},
                      {table.values.data(), table.values.data() + table.values.size()}});
    add_names("rows." + table.name, table.rows);
    add_names("columns." + table.name, table.columns);
    if (!table.texts.empty())
      arrays.push_back({"words." + table.name, {table.values.rows(), table.values.cols()}, {}, table.texts});
    add_names("remarks." + table.name, table.remarks);
    if (table.error.size() > 0)
      arrays.push_back({"error." + table.name,
                        {table.error.rows(), table.error.cols()},
                        {table.error.data(), table.error.data() + table.error.size()}});
  }
  if (result.set) add_set_arrays(result, arrays);
  if (result.direction.size() > 0)
    arrays.push_back({"direction",
                      {result.direction.cols()},
                      {result.direction.data(), result.direction.data() + result.direction.size()}});
  if (!result.about.empty()) arrays.push_back({"about", {}, {}, {result.about}});
  return npz_bytes(arrays);
}

}  // namespace

bool is_result_format(FileFormat format) {
  return file_format_info(format).figure.has_value() || format == FileFormat::Csv ||
         format == FileFormat::Tsv || format == FileFormat::Json || format == FileFormat::Npz;
}

void write_set_row(JsonWriter& json, const DataSet& set, std::size_t at,
                   const std::optional<double>& metric) {
  const DataRow& row = set.rows[at];
  for (std::size_t i = 0; i < set.columns.size(); ++i) {
    json.key(set.columns[i]);
    json.text(row.cells[i]);
  }
  write_token(json, "target_id", row.target);
  write_token(json, "against_id", row.against);
  if (!set.names.empty()) {
    write_positions(json, "positions", set, {row.tokens.begin(), row.tokens.end()});
    if (set.has("from")) write_positions(json, "from_positions", set, row.from_tokens);
  }
  if (metric) {
    json.key("metric");
    json.number(*metric);
  }
}

std::vector<NamedArray> set_cells(const DataSet& set) {
  std::vector<NamedArray> arrays;
  for (const std::string& column : set.columns) {
    std::vector<std::string> cells;
    for (const DataRow& row : set.rows)
      cells.push_back(set.cell(row, column));
    arrays.push_back({"set." + column, {static_cast<Index>(set.rows.size())}, {}, std::move(cells)});
  }
  return arrays;
}

void write_result(JsonWriter& json, const AnalysisResult& result) {
  json.begin_object();
  json.key("title");
  json.text(result.title);
  write_names(json, "notes", result.notes);
  json.key("tables");
  json.begin_list();
  for (const ResultTable& table : result.tables) {
    json.next_item();
    write_table(json, table);
  }
  json.end_list();
  if (result.set) {
    json.key("rows");
    json.begin_list();
    for (std::size_t at = 0; at < result.rows.size(); ++at) {
      json.next_item();
      write_row(json, result, at);
    }
    json.end_list();
  }
  if (result.direction.size() > 0) json.key("direction").row(result.direction);
  if (!result.about.empty()) {
    json.key("about");
    json.json(result.about);
  }
  json.end_object();
}

std::string result_bytes(const AnalysisResult& result, FileFormat format) {
  if (format == FileFormat::Json) {
    JsonWriter json;
    write_result(json, result);
    return json.take();
  }
  if (format == FileFormat::Npz) return npz_of(result);
  return format == FileFormat::Tsv ? separated_text(result, '\t', tsv_field)
                                   : separated_text(result, ',', csv_field);
}

}  // namespace headlight
