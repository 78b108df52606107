#include "engine/json/json_writer.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/digits.h"

namespace headlight {
namespace {

template <class T>
std::string_view shortest(T value, char (&buffer)[64]) {
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

// JSON parsers read "-0" as an integer and lose its sign.
std::string_view with_signed_zero(std::string_view digits) {
  return digits == "-0" ? "-0.0" : digits;
}

void append_json_float(std::string& text, float value) {
  std::string digits;
  append_float(digits, value);
  text += std::isfinite(value) ? std::string(with_signed_zero(digits)) : '"' + digits + '"';
}

// Bytes that are not UTF-8 become U+FFFD, so that the file remains valid JSON.
std::string json_string(std::string_view value) {
  return nlohmann::json(std::string(value)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void JsonWriter::begin_object() {
  text_ += '{';
  ++depth_;
  first_ = true;
}

void JsonWriter::end_object() {
  --depth_;
  if (!first_) new_line();
  text_ += '}';
  first_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (!first_) text_ += ',';
  first_ = false;
  new_line();
  text_ += json_string(name) + ": ";
  return *this;
}

void JsonWriter::begin_list() {
  text_ += '[';
  ++depth_;
  first_ = true;
}

void JsonWriter::next_item() {
  if (!first_) text_ += ',';
  first_ = false;
  new_line();
}

void JsonWriter::end_list() {
  --depth_;
  if (!first_) new_line();
  text_ += ']';
  first_ = false;
}

void JsonWriter::text(std::string_view value) {
  text_ += json_string(value);
}

void JsonWriter::json(std::string_view value) {
  text_ += value;
}

void JsonWriter::flag(bool value) {
  text_ += value ? "true" : "false";
}

void JsonWriter::null() {
  text_ += "null";
}

void JsonWriter::whole(long long value) {
  text_ += std::to_string(value);
}

void JsonWriter::number(double value) {
  char buffer[64];
  text_ += with_signed_zero(shortest(value, buffer));
}

void JsonWriter::numbers(const std::vector<double>& values) {
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ", ";
    number(values[i]);
  }
  text_ += ']';
}

void JsonWriter::float32(float value) {
  append_json_float(text_, value);
}

void JsonWriter::wholes(const std::vector<Index>& values) {
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i)
    text_ += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  text_ += ']';
}

void JsonWriter::pairs(const std::vector<std::array<Index, 2>>& values) {
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text_ += ", ";
    wholes({values[i][0], values[i][1]});
  }
  text_ += ']';
}

void JsonWriter::texts(const std::vector<std::string>& values) {
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i)
    text_ += (i == 0 ? "" : ", ") + json_string(values[i]);
  text_ += ']';
}

void JsonWriter::matrix(const Matrix& matrix) {
  text_ += '[';
  ++depth_;
  for (Index r = 0; r < matrix.rows(); ++r) {
    if (r > 0) text_ += ',';
    new_line();
    append_row(matrix, r);
  }
  --depth_;
  new_line();
  text_ += ']';
}

void JsonWriter::row(const Matrix& row) {
  append_row(row, 0);
}

void JsonWriter::reference(const std::string& file, const std::string& name) {
  text_ += "{\"file\": " + json_string(file);
  if (!name.empty()) text_ += ", \"name\": " + json_string(name);
  text_ += '}';
}

void JsonWriter::matrices(const std::vector<Matrix>& matrices) {
  text_ += '[';
  ++depth_;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (i > 0) text_ += ',';
    new_line();
    matrix(matrices[i]);
  }
  --depth_;
  new_line();
  text_ += ']';
}

std::string JsonWriter::take() {
  return std::move(text_) + '\n';
}

void JsonWriter::new_line() {
  if (layout_ == JsonLayout::OneLine) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
}

void JsonWriter::append_row(const Matrix& matrix, Index row) {
  text_ += '[';
  for (Index c = 0; c < matrix.cols(); ++c) {
    if (c > 0) text_ += ", ";
    append_json_float(text_, matrix(row, c));
  }
  text_ += ']';
}

}  // namespace headlight
