#include "app/platform/text_glyphs.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "app/figure/paint/text_picture.h"

namespace headlight {
namespace {

struct Range {
  unsigned first, last;
  bool contains(unsigned character) const { return character >= first && character <= last; }
};
// The code points of stand-ins: in drawn text the private use area; in fields, which do not accept that area,
// Yi. A character of these ranges in the text itself has a stand-in too.
constexpr Range kStandIns = {0xE000, 0xF8FF}, kFieldStandIns = {0xA000, 0xA4CF};
constexpr unsigned kFirstUncertain = 0x180;  // characters below it are in every font of the window
constexpr unsigned kLastDirect = 0xFFFD;     // a character beyond it has a stand-in
constexpr unsigned kReplacement = 0xFFFD;
// If there are more than kManyGlyphs, those not drawn since the last build are removed, because glyphs fill
// the texture of the fonts. There are never more than kMostGlyphs.
constexpr std::size_t kManyGlyphs = 1500, kMostGlyphs = 2 * kManyGlyphs, kMostCached = 10'000;

// Whether a glyph can have the code point of the character itself.
bool is_direct(unsigned character) {
  return character <= kLastDirect && !kStandIns.contains(character) && !kFieldStandIns.contains(character);
}

std::string utf8(unsigned c) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)),
          byte(0x80 | (c & 63))};
}

struct Character {
  unsigned number = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character that `text` begins with. Precondition: not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes > text.size()) return {kReplacement, 1, false};
  unsigned number = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {kReplacement, 1, false};
    number = number << 6 | (byte(i) & 63u);
  }
  return {number, bytes, true};
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = first_character(text.substr(at)).bytes;
    characters.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

struct Glyph {
  std::string text;
  bool in_first_font = false;  // only the large fonts lack it
  bool in_field = false;       // may be in a field, whose text is not passed again in each frame
  std::uint64_t asked = 0;     // the build of the fonts after which it was last requested
  bool built = false;
};

// A glyph that is being added to the atlas.
struct Placed {
  GlyphSlot room;
  const TextPicture* picture = nullptr;
};

struct StandIns {
  Range range;
  std::map<std::string, unsigned> numbers = {};  // by the text they stand for
  unsigned next = range.last;                    // the one assigned last
};

using SizedText = std::pair<std::string, long>;  // the size in 1/64 px

class TextGlyphs {
 public:
  std::string drawn(const std::string& text, ImFont* font) {
    if (!beyond_font(text, font)) return text;
    std::string result;
    for (const std::string_view piece : text_pieces(text)) {
      if (!beyond_font(piece, font))
        result += piece;
      else if (const std::string said = said_instead(piece); !said.empty())
        result += drawn(said, font);
      else
        result += utf8(asked_number(piece));
    }
    return result;
  }

  std::string for_field(const std::string& text, ImFont* font) {
    if (!beyond_font(text, font)) return text;
    std::string result;
    for (const std::string_view character : characters_of(text)) {
      const Character c = first_character(character);
      result += c.valid ? utf8(for_field(c.number, font)) : std::string(character);
    }
    return result;
  }

  unsigned for_field(unsigned character, ImFont* font) {
    if (character < 0x80 || !beyond_font(utf8(character), font)) return character;
    const unsigned number = number_for(utf8(character), field_stand_ins_);
    if (number != kReplacement) ask(number).in_field = true;
    return number;
  }

  std::string typed(const std::string& text) const {
    std::string result;
    for (const std::string_view character : characters_of(text)) {
      const Glyph* glyph = stands_for(character, kFieldStandIns);
      result += glyph ? glyph->text : std::string(character);
    }
    return result;
  }

  float width(ImFont* font, const std::string& text) {
    const auto plain_width = [font](const std::string& plain) {
      return font->CalcTextSizeA(font_size(font), FLT_MAX, 0, plain.c_str()).x;
    };
    if (!beyond_font(text, font)) return plain_width(text);
    float sum = 0;
    std::string plain;
    for (const std::string_view piece : text_pieces(text)) {
      if (!beyond_font(piece, font)) {
        plain += piece;
        continue;
      }
      if (const std::string said = said_instead(piece); !said.empty()) {
        sum += width(font, said);
        continue;
      }
      const Glyph* glyph = stands_for(piece, kStandIns);
      sum += advance_of(glyph ? glyph->text : std::string(piece), em_of(font));
    }
    return sum + plain_width(plain);
  }

  bool wanted() const { return wanted_; }

  void begin(ImFontAtlas& atlas, const std::vector<LetterSize>& fonts) {
    fonts_ = fonts;
    forget_old();
    ++build_;
    placed_.clear();
    for (auto& [number, glyph] : glyphs_) {
      for (const LetterSize& letters : fonts_) {
        if (glyph.in_first_font && !letters.latin_only) continue;
        const TextPicture& picture = picture_of(glyph.text, letters.em_px);
        placed_.push_back({{letters.font, number, picture.width, picture.height,
                            advance_of(glyph.text, letters.em_px), static_cast<float>(picture.left)},
                           &picture});
      }
      glyph.built = true;
    }
    wanted_ = false;
    if (kGlyphsBeforeBuild) reserve(atlas);
  }

  void finish(ImFontAtlas& atlas) {
    if (!kGlyphsBeforeBuild) reserve(atlas);
    for (const Placed& placed : placed_)
      fill_glyph(atlas, placed.room, placed.picture->pixels, static_cast<float>(placed.picture->rise),
                 placed.picture->colored);
    placed_.clear();
  }

 private:
  void reserve(ImFontAtlas& atlas) {
    for (Placed& placed : placed_)
      reserve_glyph(atlas, placed.room);
  }

  // Whether the font lacks a character of the text. All have those below kFirstUncertain.
  bool beyond_font(std::string_view text, const ImFont* font) const {
    if (fonts_.empty()) return false;
    for (std::size_t at = 0; at < text.size();) {
      const Character c = first_character(text.substr(at));
      at += c.bytes;
      if (c.valid && c.number >= kFirstUncertain && lacks(font, c.number)) return true;
    }
    return false;
  }

  bool lacks(const ImFont* font, unsigned character) const {
    if (character > kLastDirect) return true;
    const auto large = std::find_if(fonts_.begin(), fonts_.end(), [&](const LetterSize& letters) {
      return letters.font == font && letters.latin_only;
    });
    const auto known = glyphs_.find(character);
    if (known != glyphs_.end()) return large != fonts_.end() || !known->second.in_first_font;
    return !has_glyph(large != fonts_.end() ? large->font : fonts_[0].font, character);
  }

  // The glyph of a stand-in of the range; null for any other text.
  const Glyph* stands_for(std::string_view character, const Range& range) const {
    const Character c = first_character(character);
    if (c.bytes != character.size() || !range.contains(c.number)) return nullptr;
    const auto found = glyphs_.find(c.number);
    return found == glyphs_.end() ? nullptr : &found->second;
  }

  // The piece with code points for characters that no installed font has; empty if none is missing.
  const std::string& said_instead(std::string_view piece) {
    const auto [at, is_new] = said_.try_emplace(std::string(piece));
    if (!is_new || stands_for(piece, kStandIns)) return at->second;
    if (std::string text = with_code_points(at->first); text != at->first) at->second = std::move(text);
    return at->second;
  }

  Glyph& ask(unsigned number) {
    Glyph& glyph = glyphs_.at(number);
    glyph.asked = build_;
    wanted_ |= !glyph.built;
    return glyph;
  }

  unsigned asked_number(std::string_view piece) {
    const unsigned number = stands_for(piece, kStandIns) ? first_character(piece).number
                                                         : number_for(std::string(piece), stand_ins_);
    if (number != kReplacement) ask(number);
    return number;
  }

  // The code point of the glyph of this text, which is added if new; kReplacement if there are too many.
  unsigned number_for(const std::string& text, StandIns& stand_ins) {
    const Character c = first_character(text);
    if (c.bytes == text.size() && is_direct(c.number)) {
      if (!glyphs_.contains(c.number)) {
        if (glyphs_.size() >= kMostGlyphs) return kReplacement;
        glyphs_[c.number] = {.text = text, .in_first_font = has_glyph(fonts_[0].font, c.number)};
      }
      return c.number;
    }
    if (const auto known = stand_ins.numbers.find(text); known != stand_ins.numbers.end())
      return known->second;
    const Range& range = stand_ins.range;
    const bool full = stand_ins.numbers.size() > range.last - range.first;
    if (full || glyphs_.size() >= kMostGlyphs) return kReplacement;
    unsigned& next = stand_ins.next;
    do {
      next = next == range.last ? range.first : next + 1;
    } while (glyphs_.contains(next));
    glyphs_[next].text = text;
    return stand_ins.numbers[text] = next;
  }

  void forget_old() {
    if (pictures_.size() > kMostCached) pictures_.clear();
    if (advances_.size() > kMostCached) advances_.clear();
    if (said_.size() > kMostCached) said_.clear();
    if (glyphs_.size() <= kManyGlyphs) return;
    for (auto at = glyphs_.begin(); at != glyphs_.end();) {
      const bool old = !at->second.in_field && at->second.asked < build_;
      if (old) stand_ins_.numbers.erase(at->second.text);
      at = old ? glyphs_.erase(at) : std::next(at);
    }
  }

  static SizedText sized(const std::string& text, double em_px) { return {text, std::lround(em_px * 64)}; }

  const TextPicture& picture_of(const std::string& text, double em_px) {
    const auto [at, is_new] = pictures_.try_emplace(sized(text, em_px));
    if (is_new) at->second = text_picture(text, em_px);
    return at->second;
  }

  // In whole pixels, like the advances of the fonts' letters.
  float advance_of(const std::string& text, double em_px) {
    const auto [at, is_new] = advances_.try_emplace(sized(text, em_px));
    if (is_new) at->second = static_cast<float>(std::round(text_advance(text, em_px)));
    return at->second;
  }

  double em_of(const ImFont* font) const {
    for (const LetterSize& letters : fonts_)
      if (letters.font == font) return letters.em_px;
    return static_cast<double>(font_size(font));
  }

  std::vector<LetterSize> fonts_;
  std::map<unsigned, Glyph> glyphs_;  // by the code point they are drawn with
  StandIns stand_ins_{kStandIns}, field_stand_ins_{kFieldStandIns};
  std::map<SizedText, TextPicture> pictures_;
  std::map<SizedText, float> advances_;
  std::map<std::string, std::string> said_;  // results of said_instead()
  std::vector<Placed> placed_;
  std::uint64_t build_ = 0;
  bool wanted_ = false;
};

TextGlyphs& glyphs() {
  static TextGlyphs one;
  return one;
}

}  // namespace

std::string drawn_text(const std::string& text, ImFont* font) {
  return glyphs().drawn(text, font);
}
std::string field_text(const std::string& text, ImFont* font) {
  return glyphs().for_field(text, font);
}
unsigned field_character(unsigned character) {
  return glyphs().for_field(character, nullptr);
}
std::string typed_text(const std::string& text) {
  return glyphs().typed(text);
}
float drawn_width(ImFont* font, const std::string& text) {
  return glyphs().width(font, text);
}
bool glyphs_pending() {
  return glyphs().wanted();
}
void begin_text_glyphs(ImFontAtlas& atlas, const std::vector<LetterSize>& fonts) {
  glyphs().begin(atlas, fonts);
}
void finish_text_glyphs(ImFontAtlas& atlas) {
  glyphs().finish(atlas);
}

}  // namespace headlight
