// Numbers as people and programs type them.
#pragma once

#include <cstddef>
#include <string_view>

namespace headlight {

// The most that a text may hold, in a file or on the clipboard.
inline constexpr std::size_t kMostNumbers = std::size_t{1} << 24;
inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text, std::string_view blanks = kBlanks);

// "0.43", "-2", "+.5", "1e-3", with U+2212 for the minus sign too; "nan", "inf" and "infinity" in any case.
// What is too small for float32 becomes 0, as a print-out of float64 may hold 1e-60. A comma is never a
// decimal point. Throws Error without a place when the text is empty, is no number, or is too large for
// float32.
float number_in(std::string_view text);
// The same, where infinity and NaN are refused.
float finite_number_in(std::string_view text);
// Whether the text is a number once its comma is a point.
bool meant_as_decimal_comma(std::string_view text);
// Whether the text is a number, or was meant as one that number_in refuses: "1e400", "0x10", "50%", "1_000",
// "1,234.5", "$5". A date or "3rd" is none.
bool meant_as_number(std::string_view text);
// What programs write where a number is missing: nothing, "NA", "N/A", "NULL", "#DIV/0!".
bool stands_for_no_number(std::string_view text);

}  // namespace headlight
