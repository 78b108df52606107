#include "app/platform/font_files.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include <memory>

namespace headlight {
namespace {

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, PatternDeleter>;

const FcChar8* fc_text(const std::string& text) {
  return reinterpret_cast<const FcChar8*>(text.c_str());
}

// A font may have several names: Inter Semi Bold is also of the family Inter.
bool has_family(FcPattern* font, const std::string& family) {
  FcChar8* name = nullptr;
  for (int i = 0; FcPatternGetString(font, FC_FAMILY, i, &name) == FcResultMatch; ++i) {
    if (FcStrCmpIgnoreCase(name, fc_text(family)) == 0) return true;
  }
  return false;
}

std::optional<float> line_in_ems(const std::string& path, int index) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return std::nullopt;
  std::optional<float> lines;
  FT_Face face = nullptr;
  if (FT_New_Face(library, path.c_str(), index, &face) == 0) {
    if (FT_IS_SCALABLE(face) && face->units_per_EM > 0) {
      lines = static_cast<float>(face->ascender - face->descender) / static_cast<float>(face->units_per_EM);
    }
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return lines;
}

}  // namespace

std::optional<FontFile> find_font(const std::string& family, FontWeight weight, bool monospaced) {
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, fc_text(family));
  FcPatternAddString(wanted.get(), FC_FAMILY, fc_text(monospaced ? "monospace" : "sans-serif"));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT,
                      weight == FontWeight::SemiBold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
  // Named instances of variable fonts, because these have an index that FreeType supports.
  FcPatternAddBool(wanted.get(), FC_VARIABLE, FcFalse);
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern font(FcFontMatch(nullptr, wanted.get(), &result));
  FcChar8* path = nullptr;
  if (!font || FcPatternGetString(font.get(), FC_FILE, 0, &path) != FcResultMatch) return std::nullopt;

  FontFile file;
  file.path = reinterpret_cast<const char*>(path);
  FcPatternGetInteger(font.get(), FC_INDEX, 0, &file.index);
  file.is_the_family = has_family(font.get(), family);
  const std::optional<float> lines = line_in_ems(file.path, file.index);
  if (!lines) return std::nullopt;
  file.line_in_ems = *lines;
  return file;
}

}  // namespace headlight
