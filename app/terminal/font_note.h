// A warning about missing fonts.
#pragma once

#include <ostream>

namespace headlight {

// Writes one line to `err` if there is no font for figures.
void note_fonts(std::ostream& err);

}  // namespace headlight
