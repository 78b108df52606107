#include "app/figure/paint/font_families.h"

#include <pango/pangocairo.h>

#include <algorithm>

#include "engine/core/error.h"

namespace headlight {

std::vector<std::string> font_families() {
  PangoFontFamily** families = nullptr;
  int count = 0;
  pango_font_map_list_families(pango_cairo_font_map_get_default(), &families, &count);
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    names.emplace_back(pango_font_family_get_name(families[i]));
  g_free(families);
  std::sort(names.begin(), names.end());
  return names;
}

void require_font(const std::string& family) {
  bool known = false;
  for (const std::string& name : font_families())
    known |= g_ascii_strcasecmp(name.c_str(), family.c_str()) == 0;
  for (const char* generic : {"serif", "sans", "sans-serif", "monospace"})
    known |= family == generic;
  if (!known)
    throw Error("there is no font family '" + family + "' on this machine", "font",
                "install it, or choose one that fc-list names, or serif, sans or monospace");
}

}  // namespace headlight
