// The fonts available for figures.
#pragma once

#include <string>
#include <vector>

namespace headlight {

// The installed font families, sorted.
std::vector<std::string> font_families();

// Throws Error unless the family is installed ("Inter") or generic ("serif"): another font would replace it.
void require_font(const std::string& family);

}  // namespace headlight
