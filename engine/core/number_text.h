// Parsing of numbers from files, the clipboard and cell input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headlight {

// Limit on the count of numbers in one text, in a file or on the clipboard.
inline constexpr std::size_t kMostNumbers = std::size_t{1} << 24;
inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks);

// Parses "0.43", "-2", "+.5", "1e-3", also with U+2212 as the minus sign; "nan", "inf" and "infinity" in any
// case. Magnitudes too small for float32 become 0, because print-outs of float64 may contain 1e-60. A comma
// is never a decimal point. Throws Error without where() if the text is empty, not a number, or too large.
float number_in(std::string_view text);
// Like number_in; throws Error for infinity and NaN too.
float finite_number_in(std::string_view text);
// Whether the text is a number if its only comma is read as a decimal point.
bool has_decimal_comma(std::string_view text);
// Whether the text is a number, or looks like one that number_in rejects: "1e400", "0x10", "50%", "1_000",
// "1,234.5", "$5". False for a date or "3rd".
bool looks_like_number(std::string_view text);
// Whether the text is a marker that programs write for a missing number: "", "NA", "N/A", "NULL", "#DIV/0!".
bool is_missing_marker(std::string_view text);

// What marks the decimals in the numbers of a table, a point or a comma, and what separates thousands;
// decided by all of them, because "1,234" alone may be either.
class NumberMarks {
 public:
  // Takes a cell into account if it is a number; `place`: of the cell, for errors.
  void look_at(std::string_view cell, const std::string& place);
  // Throws Error with the place of a cell if two cells contradict each other, or if one may be two numbers
  // and no other cell shows which.
  void decide();
  // The cell as number_in reads it: 1.234,50 and 1,234.50 become 1234.50. Other texts stay as they are.
  std::string plain(std::string_view cell) const;
  // Whether some cell is not as number_in reads it.
  bool any() const { return any_; }

 private:
  struct Seen {
    std::string cell, place;
  };
  Seen point_, comma_, either_;  // the first cell that shows it; either_: a comma before three digits
  bool by_comma_ = false, any_ = false;
};

}  // namespace headlight
