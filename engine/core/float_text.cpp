#include "engine/core/float_text.h"

#include <charconv>
#include <cmath>

namespace headlight {

void append_float(std::string& text, float value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  char buffer[64];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  // The shortest digits are exact for a parser of float32. A parser of float64 rounds twice, which in rare
  // cases gives the neighbouring float32; nine digits are always exact.
  double read = 0;
  std::from_chars(buffer, end, read);
  if (static_cast<float>(read) != value)
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 9).ptr;
  text.append(buffer, end);
}

}  // namespace headlight
