// Numbers as text, the same in every locale. "inf", "-inf" and "nan" for what is no number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

// The shortest text that reads back as the same number: "0.1", "1e-07".
std::string shortest_digits(double value);
std::string shortest_digits(float value);
// "0.1000" of 4 decimals.
std::string fixed_digits(double value, int decimals);
// "2.22" of 3 significant digits; without zeros at the end, with an exponent where that is shorter: "1e+06".
std::string significant_digits(double value, int digits);
// fixed_digits() below a million, else with an exponent: "1.2346e+06".
std::string table_digits(double value, int decimals);

// Four decimals, as `print` and the notebooks write numbers: "0.1000".
std::string four_decimals(double value);
// "1 field", "12 fields", "2,048 fields".
std::string counted(std::int64_t count, std::string_view one, std::string_view several);
// Of a file: "340 bytes", "1.2 MB".
std::string bytes_text(std::uint64_t bytes);

// Appends the shortest text that parses to the same bits. Exact for parsers of float32 and for those that
// parse float64 and then round to float32.
void append_float(std::string& text, float value);

}  // namespace headlight
