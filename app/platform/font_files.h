// The search for font files through fontconfig.
#pragma once

#include <optional>
#include <string>

namespace headlight {

struct FontFile {
  std::string path;
  int index = 0;  // of the face in the file; the upper 16 bits name an instance of a variable font
  bool is_the_family = true;  // false if another family replaces the requested one
  float line_in_ems = 1.2F;   // ascent and descent together
};

enum class FontWeight { Regular, SemiBold };

// None if no usable font is installed at all. `monospaced`: a missing family is replaced by a monospaced one.
std::optional<FontFile> find_font(const std::string& family, FontWeight weight, bool monospaced);

}  // namespace headlight
