// Numbers of cells: parsing what is typed, and formatting what is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/matrix.h"
#include "engine/layer/edit.h"

namespace headlight {

// Parses one number as typed: surrounding blanks are allowed, a comma is not. `message` says why the text is
// refused.
struct ParsedNumber {
  std::optional<float> value;
  std::string message;
  double as_double = 0;  // the same text as float64; 0 without a value
};
ParsedNumber parse_number(const std::string& text);
// parse_number() for a text in which a comma can only be the decimal sign, and why the text is refused; "" if
// it is not.
ParsedNumber parse_decimal(std::string text);
std::string refuse_decimal(const std::string& text);
// Parses a whole number; nullopt if the text is anything else.
std::optional<Index> parse_index(std::string_view text);
// As parse_number, or arithmetic such as "1/3", with an optional leading =; x is the value of the cell.
// Refuses values that the input cannot hold: a mask has only 0 and 1.
ParsedNumber parse_number_for(InputKind kind, const std::string& text, float x = 0);
// The text without surrounding blanks, with plain minus signs and without a leading =.
std::string arithmetic_text(const std::string& typed);
// The result of arithmetic as the input stores it, rounded to float32.
ParsedNumber number_for(InputKind kind, double result);

// The shortest text that reads back as the same float32: "0.43", "-1e-07".
std::string exact_number_text(float value);

// A number of a setting, as a user would type it.
std::string plain_number(double value);
// Why the text is not a valid theta of rotary positions; "" if it is valid.
std::string refuse_theta(const std::string& text);

// At most four decimals, without trailing zeros: "0.43", "−0.1966", "1.2e8". The minus sign is U+2212, as
// wide as a digit. Never "0" for a number that is not zero.
std::string cell_text(float value);

// The width that numbers aligned on their decimal point need, in characters.
struct NumberWidth {
  int before = 1;  // characters in front of the point, the sign included
  int after = 0;   // characters from the point on, the point included
  int total() const { return before + after; }
};
NumberWidth number_width(const std::string& cell_text);
NumberWidth number_width(const Matrix& matrix);

}  // namespace headlight
