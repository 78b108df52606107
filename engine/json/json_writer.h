// Writes JSON: readable, with two spaces of indent and one row of a matrix per line, or all in one line.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

enum class JsonLayout { Readable, OneLine };

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::Readable) : layout_(layout) {}

  void begin_object();
  void end_object();
  JsonWriter& key(std::string_view name);  // key("head").whole(1) writes a member
  // A list of objects: call next_item() before each.
  void begin_list();
  void next_item();
  void end_list();

  void text(std::string_view value);
  void json(std::string_view value);  // appends JSON text unchanged
  void flag(bool value);
  void null();
  void whole(long long value);
  void number(double value);  // the shortest digits that parse to the same float64
  void numbers(const std::vector<double>& values);
  void float32(float value);  // the same for a float32; values that are not finite become text as in matrix()
  void wholes(const std::vector<Index>& values);
  void pairs(const std::vector<std::array<Index, 2>>& values);
  void texts(const std::vector<std::string>& values);
  // The shortest digits that parse to the same float32. JSON has no numbers for values that are not finite:
  // they become the text "inf", "-inf" or "nan".
  void matrix(const Matrix& matrix);
  void row(const Matrix& row);  // 1 x n, as a list
  // {"file": file, "name": name}; without "name" if it is empty.
  void reference(const std::string& file, const std::string& name);
  void matrices(const std::vector<Matrix>& matrices);

  // Returns the text with a newline at its end.
  std::string take();

 private:
  void new_line();
  void append_row(const Matrix& matrix, Index row);

  JsonLayout layout_;
  std::string text_;
  int depth_ = 0;
  bool first_ = true;
};

}  // namespace headlight
