#include "engine/arrays/stage_table.h"

#include <cmath>

#include "engine/core/digits.h"
#include "engine/core/separated_fields.h"
#include "engine/core/sheet_label.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

using TextReference = std::string (*)(const std::string&);

std::string separated_text(const StageTable& table, char separator, TextReference quote) {
  const bool with_head = table.values.size() > 1;
  std::string text = with_head ? std::string("head") + separator : "";
  text += table.row_name;
  for (const std::string& column : table.columns)
    text += separator + quote(column);
  text += '\n';
  for (std::size_t h = 0; h < table.values.size(); ++h) {
    const Matrix& matrix = table.values[h];
    for (Index row = 0; row < matrix.rows(); ++row) {
      if (with_head) text += std::to_string(table.heads[h]) + separator;
      text += quote(table.rows[static_cast<std::size_t>(row)]);
      for (Index column = 0; column < matrix.cols(); ++column) {
        text += separator;
        append_float(text, matrix(row, column));
      }
      text += '\n';
    }
  }
  return text;
}

// A token in a table for readers: one line, control characters as blanks.
std::string one_line(const std::string& text) {
  std::string line = text;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

std::string latex_text(const std::string& text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    if (std::string("&%$#_{}").find(c) != std::string::npos) {
      escaped += '\\';
      escaped += c;
    } else if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '~') {
      escaped += "\\textasciitilde{}";
    } else if (c == '^') {
      escaped += "\\textasciicircum{}";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    if (std::string("\\`*_[]<>|#").find(c) != std::string::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Four decimals; with an exponent from a million on. A value that rounds to zero has no sign.
std::string decimals_text(float value) {
  const std::string digits = table_digits(double{value}, 4);
  return digits == "-0.0000" ? "0.0000" : digits;
}

std::string latex_number(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "$-\\infty$" : "$\\infty$";
  const std::string digits = decimals_text(value);
  return digits.front() == '-' ? "$" + digits + "$" : digits;
}

std::string markdown_number(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  const std::string digits = decimals_text(value);
  return digits.front() == '-' ? "−" + digits.substr(1) : digits;
}

// "weights, sequence 0, head 1", as the command `print` names it.
std::string caption(const StageTable& table, std::size_t h) {
  std::string text = table.stage + ", sequence " + std::to_string(table.sequence);
  if (!table.together.empty())
    text += ", " + table.together + " of all heads";
  else if (table.per_head)
    text += ", head " + std::to_string(table.heads[h]);
  return text;
}

}  // namespace

StageTable labelled_stage(const Layer& layer, const std::string& session_title, Stage stage, Index sequence,
                          const std::vector<Index>& heads, std::vector<Matrix> values) {
  StageTable table;
  table.stage = std::string(stage_info(stage).name);
  table.session = session_title;
  table.row_name = is_pair(stage) ? "query" : "token";
  table.per_head = stage_info(stage).per_head;
  table.sequence = sequence;
  table.heads = heads;
  table.rows = row_labels(layer, stage);
  for (Index column = 0; column < stage_columns(layer, stage); ++column)
    table.columns.push_back(is_pair(stage) ? layer.key_labels()[static_cast<std::size_t>(column)]
                                           : std::to_string(column));
  table.values = std::move(values);
  return table;
}

std::string stage_csv(const StageTable& table) {
  return separated_text(table, ',', csv_field);
}

std::string stage_tsv(const StageTable& table) {
  return separated_text(table, '\t', tsv_field);
}

std::string stage_json(const StageTable& table) {
  JsonWriter json;
  json.begin_object();
  json.key("stage").text(table.stage);
  json.key("session").text(table.session);
  json.key("sequence").whole(table.sequence);
  if (table.per_head) {
    json.key("heads");
    table.together.empty() ? json.wholes(table.heads) : json.text(table.together);
  }
  json.key("rows").texts(table.rows);
  json.key("columns").texts(table.columns);
  if (table.first_row > 0 || table.first_column > 0) {
    json.key("first_row").whole(table.first_row);
    json.key("first_column").whole(table.first_column);
  }
  json.key("values");
  if (table.per_head)
    json.matrices(table.values);
  else
    json.matrix(table.values.front());
  json.end_object();
  return json.take();
}

std::string stage_latex(const StageTable& table) {
  std::string text;
  for (std::size_t h = 0; h < table.values.size(); ++h) {
    const Matrix& matrix = table.values[h];
    if (h > 0) text += '\n';
    if (!table.stage.empty())
      text += "% " + one_line(table.session) + (table.session.empty() ? "" : ": ") + caption(table, h) + '\n';
    text += "\\begin{tabular}{l" + std::string(table.columns.size(), 'r') + "}\n\\hline\n";
    for (const std::string& column : table.columns)
      text += " & " + latex_text(column);
    text += " \\\\\n\\hline\n";
    for (Index row = 0; row < matrix.rows(); ++row) {
      text += latex_text(table.rows[static_cast<std::size_t>(row)]);
      for (Index column = 0; column < matrix.cols(); ++column)
        text += " & " + latex_number(matrix(row, column));
      text += " \\\\\n";
    }
    text += "\\hline\n\\end{tabular}\n";
  }
  return text;
}

std::string stage_markdown(const StageTable& table) {
  std::string text;
  for (std::size_t h = 0; h < table.values.size(); ++h) {
    const Matrix& matrix = table.values[h];
    if (table.values.size() > 1) text += (h > 0 ? "\n**" : "**") + caption(table, h) + "**\n\n";
    text += "| " + table.row_name + " |";
    for (const std::string& column : table.columns)
      text += " " + markdown_text(column) + " |";
    text += "\n|:---|";
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      text += "---:|";
    text += '\n';
    for (Index row = 0; row < matrix.rows(); ++row) {
      text += "| " + markdown_text(table.rows[static_cast<std::size_t>(row)]) + " |";
      for (Index column = 0; column < matrix.cols(); ++column)
        text += " " + markdown_number(matrix(row, column)) + " |";
      text += '\n';
    }
  }
  return text;
}

NamedArray stage_array(const StageTable& table) {
  NamedArray array;
  array.name = table.stage;
  if (table.values.size() > 1) array.shape.push_back(static_cast<Index>(table.values.size()));
  array.shape.push_back(static_cast<Index>(table.rows.size()));
  array.shape.push_back(static_cast<Index>(table.columns.size()));
  for (const Matrix& matrix : table.values)
    array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
  return array;
}

}  // namespace headlight
