// What is said of a machine without fonts.
#pragma once

#include <ostream>

namespace headlight {

// One line on `err` where a figure has no letters to be written in; nothing where there is a font.
void note_fonts(std::ostream& err);

}  // namespace headlight
