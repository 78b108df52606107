#include "app/terminal/terminal_text.h"

#include <glib.h>

#include <algorithm>
#include <memory>

namespace headlight {

std::size_t terminal_width(const std::string& text) {
  const std::unique_ptr<char, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), &g_free);
  std::size_t width = 0;
  for (const char* at = valid.get(); *at != '\0'; at = g_utf8_next_char(at)) {
    const gunichar letter = g_utf8_get_char(at);
    if (!g_unichar_iszerowidth(letter)) width += g_unichar_iswide(letter) ? 2 : 1;
  }
  return width;
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, terminal_width(text)), ' ') + text;
}

}  // namespace headlight
