// Which file on this machine holds a font, as fontconfig knows it.
#pragma once

#include <optional>
#include <string>

namespace headlight {

struct FontFile {
  std::string path;
  int index = 0;  // of the face in the file; the upper 16 bits name an instance of a variable font
  bool is_the_family = true;  // false when another family stands in for the one asked for
  float line_in_ems = 1.2F;   // ascent and descent together
};

enum class FontWeight { Regular, SemiBold };

// None when the machine has no usable font at all. A fixed-width family is stood in for by a fixed-width one.
std::optional<FontFile> find_font(const std::string& family, FontWeight weight, bool monospaced);

}  // namespace headlight
