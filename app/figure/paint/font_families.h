// The fonts that figures can be written in.
#pragma once

#include <string>
#include <vector>

namespace headlight {

// The font families of the machine, in the order of the alphabet.
std::vector<std::string> font_families();

// Throws Error unless the machine has the family ("Inter", "serif"), so that no other font stands in for it.
void require_font(const std::string& family);

}  // namespace headlight
