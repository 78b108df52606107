// A float32 as the shortest text that reads back to the same bits.
#pragma once

#include <string>

namespace headlight {

// Right for readers of float32 and for those that read float64 and round once more. "inf", "-inf" and "nan"
// for what is not finite.
void append_float(std::string& text, float value);

}  // namespace headlight
