#include "app/platform/fonts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "app/platform/font_files.h"
#include "app/platform/text_glyphs.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

// The glyphs that formulas, tokens and messages require; text_glyphs.h draws all others. ImGui stores a
// pointer to these arrays until the atlas is built.
constexpr ImWchar kTextRanges[] = {
    0x0020, 0x017F,  // Latin
    0x02B0, 0x02FF,  // modifier letters
    0x0370, 0x03FF,  // Greek
    0x0400, 0x045F,  // Cyrillic
    0x1D2C, 0x1D6A,  // raised and lowered letters, superscript T among them
    0x2010, 0x205E,  // punctuation
    0x2070, 0x209C,  // superscripts and subscripts
    0x20AC, 0x20AC,  // euro
    0x2102, 0x2135,  // letterlike symbols
    0x2190, 0x21FF,  // arrows
    0x2200, 0x22FF,  // mathematical operators
    0x2318, 0x2326,  // keys
    0x23CE, 0x23CE,  // the mark of a line break
    0x2580, 0x25FF,  // blocks and shapes: SentencePiece writes a blank as U+2581
    0x2605, 0x2606,  // stars
    0x2713, 0x2717,  // ticks and crosses
    0x27E8, 0x27F3,  // brackets and round arrows
    0x2C7C, 0x2C7C,  // subscript j
    0xFFFD, 0xFFFD, 0};
// A text in large type: what other letters and signs it has is drawn by text_glyphs.h. Each glyph of such a
// size costs time before the first frame.
constexpr ImWchar kLargeRanges[] = {0x0020, 0x017F, 0x2010, 0x205E, 0x2190, 0x2193, 0x2212, 0x2212, 0x221A,
                                    0x221A, 0x221E, 0x221E, 0x23CE, 0x23CE, 0xFFFD, 0xFFFD, 0};
constexpr ImWchar kNumberRanges[] = {0x0020, 0x00FF, 0x0391, 0x03C9, 0x2010, 0x2026, 0x2070, 0x209C, 0x2190,
                                     0x2193, 0x2212, 0x2212, 0x221A, 0x221A, 0x221E, 0x221E, 0x2248, 0x2248,
                                     0x2260, 0x2265, 0x22C5, 0x22C5, 0xFFFD, 0xFFFD, 0};

// Reads each font file once and passes it to the atlas, which frees it.
class AtlasFiller {
 public:
  explicit AtlasFiller(ImFontAtlas& atlas) : atlas_(atlas) {}

  // Adds `file` with glyphs of `em_px`, with `merge` as a fallback of the font added last. The line height of
  // a font that is not merged is rounded to whole pixels, so that lines and glyphs are on the pixel grid.
  ImFont* add(const FontFile& file, float em_px, const ImWchar* ranges, bool merge) {
    ImFontConfig config;
    const auto known = files_.find(file.path);
    if (known == files_.end()) {
      const std::string bytes = read_file(file.path);
      void* kept = IM_ALLOC(bytes.size());
      std::memcpy(kept, bytes.data(), bytes.size());
      files_[file.path] = {kept, static_cast<int>(bytes.size())};
      config.FontData = kept;
      config.FontDataSize = static_cast<int>(bytes.size());
      config.FontDataOwnedByAtlas = true;
    } else {
      config.FontData = known->second.bytes;
      config.FontDataSize = known->second.size;
      config.FontDataOwnedByAtlas = false;
    }
    const float line_px = em_px * file.line_in_ems;
    config.SizePixels = merge ? line_px : std::max(1.0F, std::round(line_px));
    config.FontNo = file.index;
    config.GlyphRanges = ranges;
    config.MergeMode = merge;
    config.OversampleH = config.OversampleV = 1;
    hint_lightly(config);
    return atlas_.AddFont(&config);
  }

 private:
  struct Bytes {
    void* bytes = nullptr;
    int size = 0;
  };
  ImFontAtlas& atlas_;
  std::map<std::string, Bytes> files_;
};

void note_missing(std::string& missing, const std::optional<FontFile>& found, const std::string& family,
                  const std::string& package) {
  if (found && found->is_the_family) return;
  if (!missing.empty()) missing += "; ";
  missing += "the font " + family + " is not installed: the package " + package + " has it";
}

// The files of one text font: `behind` has the glyphs that `main` lacks.
struct TextFiles {
  std::optional<FontFile> main, behind;
};

ImFont* add_text(AtlasFiller& filler, const TextFiles& files, float em_px, const ImWchar* ranges) {
  ImFont* font = filler.add(*files.main, em_px, ranges, false);
  if (files.behind && files.behind->path != files.main->path) {
    filler.add(*files.behind, em_px, ranges, true);
  }
  return font;
}

}  // namespace

Fonts load_fonts(float scale, std::string& missing) {
  missing.clear();
  const std::optional<FontFile> dejavu = find_font("DejaVu Sans", FontWeight::Regular, false);
  const TextFiles regular{find_font("Inter", FontWeight::Regular, false), dejavu};
  const TextFiles strong{find_font("Inter", FontWeight::SemiBold, false), dejavu};
  const std::optional<FontFile> mono = find_font("DejaVu Sans Mono", FontWeight::Regular, true);
  note_missing(missing, regular.main, "Inter", "fonts-inter");
  note_missing(missing, dejavu && mono && mono->is_the_family ? dejavu : std::nullopt, "DejaVu",
               "fonts-dejavu-core");

  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  draw_by_freetype(atlas);
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  Fonts fonts;
  if (!regular.main || !strong.main || !mono) {
    fonts.text = fonts.label = fonts.title = fonts.reading = fonts.headline = fonts.sentence = fonts.number =
        atlas.AddFontDefault();
    fonts.cell = fonts.small_cell = fonts.number;
    begin_text_glyphs(atlas, {});
  } else {
    AtlasFiller filler(atlas);
    std::vector<LetterSize> sizes;  // text_glyphs draws pictures for what the first font lacks
    // The em size that belongs to the line height, which is rounded to whole pixels.
    const auto added = [&](ImFont* font, float em_px, const FontFile& file, bool latin_only = false) {
      const double line_px = std::round(em_px * file.line_in_ems);
      sizes.push_back({font, line_px / double{file.line_in_ems}, latin_only});
      return font;
    };
    const auto text = [&](const TextFiles& files, float em_px, const ImWchar* ranges = kTextRanges) {
      return added(add_text(filler, files, em_px * scale, ranges), em_px * scale, *files.main,
                   ranges == kLargeRanges);
    };
    const auto number = [&](float em_px) {
      return added(filler.add(*mono, em_px * scale, kNumberRanges, false), em_px * scale, *mono);
    };
    fonts.text = text(regular, 14);
    fonts.label = text(regular, 12);
    fonts.title = text(strong, 18);
    fonts.reading = text(regular, 16);
    fonts.headline = text(strong, 22, kLargeRanges);
    fonts.sentence = text(regular, 28, kLargeRanges);
    fonts.number = number(13);
    fonts.cell = number(12);
    fonts.small_cell = number(10);
    fonts.text_line = regular.main->line_in_ems;
    fonts.number_line = mono->line_in_ems;
    begin_text_glyphs(atlas, sizes);
  }
  if (!atlas.Build()) {
    throw Error("the fonts could not be drawn", "fonts",
                "install the packages fonts-inter and fonts-dejavu-core");
  }
  finish_text_glyphs(atlas);
  return fonts;
}

}  // namespace headlight
