#include "app/export/result_files.h"

#include <cmath>

#include "engine/arrays/npy.h"
#include "engine/core/digits.h"
#include "engine/core/separated_fields.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

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

std::string separated_text(const AnalysisResult& result, char separator,
                           std::string (*field)(const std::string&)) {
  std::string text;
  const auto begin = [&](const std::string& name) {
    if (!text.empty()) text += '\n';
    if (result.tables.size() > 1 || !result.tables.front().texts.empty()) text += field(name) + '\n';
  };
  for (const ResultTable& table : result.tables) {
    begin(table.name);
    text += separated(table, separator, field);
    if (table.texts.empty()) continue;
    begin(table.name + "_words");
    text += separated_words(table, separator, field);
  }
  return text;
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

void write_table(JsonWriter& json, const ResultTable& table) {
  json.begin_object();
  json.key("name");
  json.text(table.name);
  json.key("row_axis");
  json.text(table.row_axis);
  json.key("column_axis");
  json.text(table.column_axis);
  write_names(json, "rows", table.rows);
  write_names(json, "columns", table.columns);
  json.key("values");
  json.begin_list();
  for (Index row = 0; row < table.values.rows(); ++row) {
    json.next_item();
    json.begin_list();
    for (Index column = 0; column < table.values.cols(); ++column) {
      json.next_item();
      const float value = table.values(row, column);
      std::isfinite(value) ? json.float32(value) : json.null();
    }
    json.end_list();
  }
  json.end_list();
  if (!table.texts.empty()) write_names(json, "words", table.texts);
  if (!table.remarks.empty()) write_names(json, "remarks", table.remarks);
  json.end_object();
}

std::string json_text(const AnalysisResult& result) {
  JsonWriter json;
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
  if (!result.about.empty()) {
    json.key("about");
    json.json(result.about);
  }
  json.end_object();
  return json.take();
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
  }
  if (!result.about.empty()) arrays.push_back({"about", {}, {}, {result.about}});
  return npz_bytes(arrays);
}

}  // namespace

bool is_result_format(FileFormat format) {
  return file_format_info(format).figure.has_value() || format == FileFormat::Csv ||
         format == FileFormat::Tsv || format == FileFormat::Json || format == FileFormat::Npz;
}

std::string result_bytes(const AnalysisResult& result, FileFormat format) {
  if (format == FileFormat::Json) return json_text(result);
  if (format == FileFormat::Npz) return npz_of(result);
  return format == FileFormat::Tsv ? separated_text(result, '\t', tsv_field)
                                   : separated_text(result, ',', csv_field);
}

}  // namespace headlight
