// Numbers as cells show them and as a person types them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/matrix.h"
#include "engine/model/edit.h"

namespace headlight {

// Parses one number as typed: blanks around it are fine, a comma is not. Holds the message when refused.
struct ParsedNumber {
  std::optional<float> value;
  std::string message;
};
ParsedNumber parse_number(const std::string& text);
// A whole number and nothing else; none when it is not one.
std::optional<Index> parse_index(std::string_view text);
// The same or arithmetic such as "1/3", with a leading = if one likes; x is what the cell holds. Refuses what
// the input cannot hold: a mask has only 0 and 1.
ParsedNumber parse_number_for(InputKind kind, const std::string& text, float x = 0);
// The text without blanks around it, with plain minus signs and without a leading =.
std::string arithmetic_text(const std::string& typed);
// A result as the input keeps it, rounded to float32.
ParsedNumber number_for(InputKind kind, double result);

// The shortest text that reads back as the same float32: "0.43", "-1e-07".
std::string exact_number_text(float value);

// A number of a setting, as one would type it.
std::string plain_number(double value);
// Why the text is no theta of rotary positions; "" when it is one.
std::string refuse_theta(const std::string& text);

// At most four decimals and no zeros behind them that carry nothing: "0.43", "−0.1966", "1.2e8". A true minus
// sign, as wide as a digit. Never "0" for a number that is not zero.
std::string cell_text(float value);

// The room that numbers aligned on their decimal point need, in digits.
struct NumberWidth {
  int before = 1;  // characters in front of the point, the sign included
  int after = 0;   // characters from the point on, the point included
  int total() const { return before + after; }
};
NumberWidth number_width(const std::string& cell_text);
NumberWidth number_width(const Matrix& matrix);

}  // namespace headlight
