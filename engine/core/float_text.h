// Formats a float32 as the shortest text that parses to the same bits.
#pragma once

#include <string>

namespace headlight {

// Appends the number. Exact for parsers of float32 and for those that parse float64 and then round to
// float32. Values that are not finite become "inf", "-inf" and "nan".
void append_float(std::string& text, float value);

}  // namespace headlight
