#include "app/figure/paint/markup.h"

#include <glib.h>

#include <memory>

namespace headlight {

std::string markup_text(std::string_view text) {
  const std::unique_ptr<char, decltype(&g_free)> escaped(
      g_markup_escape_text(text.data(), static_cast<gssize>(text.size())), &g_free);
  return escaped.get();
}

}  // namespace headlight
