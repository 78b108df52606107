// Parsing of numbers from files, the clipboard and cell input.
#pragma once

#include <cstddef>
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

}  // namespace headlight
