#include "app/figure/paint/text_picture.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/figure/paint/pango_text.h"
#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

using Character = gunichar;

struct Span {
  Character first, last;
};

// Scripts that join or reorder their letters or are written from right to left.
constexpr std::array kJoined = {Span{0x0590, 0x109F},  Span{0x1100, 0x11FF},   Span{0x1700, 0x18AF},
                                Span{0x1900, 0x1CFF},  Span{0xA800, 0xABFF},   Span{0xFB1D, 0xFDFF},
                                Span{0xFE70, 0xFEFE},  Span{0x10800, 0x10FFF}, Span{0x11000, 0x11FFF},
                                Span{0x1E800, 0x1EFFF}};

bool is_joined(Character c) {
  return std::any_of(kJoined.begin(), kJoined.end(),
                     [c](const Span& span) { return c >= span.first && c <= span.last; });
}

// Families that have a script, each with a comma behind it: free ones, then those of other systems.
struct Fallback {
  Span span;
  const char* families;
};
constexpr const char* kChinese = "'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', ";
constexpr const char* kJapanese = "'Noto Sans CJK JP', 'Hiragino Sans', 'Yu Gothic', ";
constexpr const char* kKorean = "'Noto Sans CJK KR', 'Apple SD Gothic Neo', 'Malgun Gothic', ";
constexpr const char* kEmoji = "'Noto Color Emoji', 'Apple Color Emoji', 'Segoe UI Emoji', ";
constexpr std::array kFallbacks = {
    Fallback{{0x0590, 0x05FF}, "'Noto Sans Hebrew', 'Arial Hebrew', "},
    Fallback{{0x0600, 0x06FF}, "'Noto Sans Arabic', 'Geeza Pro', "},
    Fallback{{0x0750, 0x077F}, "'Noto Sans Arabic', 'Geeza Pro', "},
    Fallback{{0x0900, 0x097F}, "'Noto Sans Devanagari', 'Kohinoor Devanagari', 'Nirmala UI', "},
    Fallback{{0x0980, 0x09FF}, "'Noto Sans Bengali', 'Kohinoor Bangla', 'Nirmala UI', "},
    Fallback{{0x0B80, 0x0BFF}, "'Noto Sans Tamil', 'Tamil Sangam MN', 'Nirmala UI', "},
    Fallback{{0x0E00, 0x0E7F}, "'Noto Sans Thai', Thonburi, 'Leelawadee UI', "},
    Fallback{{0x1100, 0x11FF}, kKorean},
    Fallback{{0x3040, 0x30FF}, kJapanese},
    Fallback{{0x3400, 0x9FFF}, kChinese},
    Fallback{{0xAC00, 0xD7AF}, kKorean},
    Fallback{{0xF900, 0xFAFF}, kChinese},
    Fallback{{0xFB50, 0xFDFF}, "'Noto Sans Arabic', 'Geeza Pro', "},
    Fallback{{0xFE0F, 0xFE0F}, kEmoji},
    Fallback{{0xFE70, 0xFEFE}, "'Noto Sans Arabic', 'Geeza Pro', "},
    Fallback{{0x1F000, 0x1FAFF}, kEmoji},
    Fallback{{0x20000, 0x3FFFF}, kChinese}};

// A character that no font has, whichever is installed.
bool is_letterless(Character c) {
  switch (g_unichar_type(c)) {
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_CONTROL:
      return true;
    default:
      return false;
  }
}

constexpr Character kJoiner = 0x200D;

bool is_flag_letter(Character c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

// Whether a character belongs to the one before it: joiner, mark, variation selector, skin tone or tag.
bool extends(Character c) {
  const bool tone = c >= 0x1F3FB && c <= 0x1F3FF, tag = c >= 0xE0020 && c <= 0xE007F;
  return c == kJoiner || tone || tag || g_unichar_ismark(c);
}

bool is_invisible(Character c) {
  return c == kJoiner || (c >= 0xFE00 && c <= 0xFE0F);
}

// Reads characters one by one; a byte of invalid UTF-8 counts as one character.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  Character peek() const {
    if (done()) return 0;
    const Character c = raw();
    return c >= 0x80000000u ? 0xFFFD : c;
  }
  void skip() {
    const Character c = raw();
    at_ +=
        c >= 0x80000000u ? 1 : static_cast<std::size_t>(g_utf8_skip[static_cast<unsigned char>(text_[at_])]);
  }

 private:
  Character raw() const {
    return g_utf8_get_char_validated(text_.data() + at_, static_cast<gssize>(text_.size() - at_));
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

void skip_cluster(Reader& reader) {
  bool flag = is_flag_letter(reader.peek()), joined = false;
  reader.skip();
  while (!reader.done()) {
    const Character next = reader.peek();
    if (!extends(next) && !joined && !(flag && is_flag_letter(next))) return;
    if (flag && is_flag_letter(next)) flag = false;
    joined = next == kJoiner;
    reader.skip();
  }
}

// Skips words of kJoined scripts with the blanks between them, which are reordered with the words.
void skip_joined(Reader& reader) {
  while (!reader.done() && is_joined(reader.peek())) {
    while (!reader.done() && (is_joined(reader.peek()) || extends(reader.peek()) || reader.peek() == 0x200C))
      reader.skip();
    Reader behind = reader;
    while (!behind.done() && behind.peek() == ' ')
      behind.skip();
    if (is_joined(behind.peek())) reader = behind;
  }
}

// A line of text on a surface for measuring only.
class Line {
 public:
  Line() : Line(CairoOwned<cairo_surface_t>(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1))) {}
  void set(const std::string& text, double em_px) { text_.lay_out(text, em_px, FontFace::Text); }
  PangoLayout* layout() const { return text_.layout(); }
  bool all_known(const std::string& text) {
    set(text, 12);
    return pango_layout_get_unknown_glyphs_count(layout()) == 0;
  }

 private:
  explicit Line(CairoOwned<cairo_surface_t> surface)
      : context_(cairo_create(surface.get())), text_(context_.get(), FigureFonts{}) {}
  CairoOwned<cairo_t> context_;
  PangoText text_;
};

// Creating a line takes longer than measuring with it. One per thread: Pango's objects are not thread-safe.
Line& line() {
  thread_local Line one;
  return one;
}

std::string code_point(Character c) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(c));
  return text;
}

Color color_of_pixel(std::uint32_t pixel) {
  const auto opacity = static_cast<std::uint8_t>(pixel >> 24);
  const auto channel = [&](int shift) {
    if (opacity == 0) return std::uint8_t{255};
    return static_cast<std::uint8_t>(
        std::min(255u, (((pixel >> shift) & 255u) * 255u + opacity / 2) / opacity));
  };
  return {channel(16), channel(8), channel(0), opacity};
}

// Whether the text is a line that Pango has to put in order as a whole. One with an emoji is not: its picture
// would have colours of its own, and its letters would not take the text's.
bool is_line_from_right(std::string_view text) {
  constexpr std::size_t kMostBytes = 300;
  if (text.size() > kMostBytes || !reads_from_right(text)) return false;
  const bool plain = std::none_of(text.begin(), text.end(),
                                  [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0xF0; });
  return plain && text.find("\uFE0F") == std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> text_pieces(std::string_view text) {
  if (is_line_from_right(text)) return {text};
  std::vector<std::string_view> pieces;
  Reader reader(text);
  while (!reader.done()) {
    const std::size_t begin = reader.at();
    if (is_joined(reader.peek()))
      skip_joined(reader);
    else
      skip_cluster(reader);
    pieces.push_back(text.substr(begin, reader.at() - begin));
  }
  return pieces;
}

std::string with_code_points(const std::string& whole) {
  std::string text = shaped_part(whole);
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii || line().all_known(text)) return text;
  std::string result, before;  // before: the letter that a mark belongs to
  for (Reader reader(text); !reader.done();) {
    const std::size_t begin = reader.at();
    const Character c = reader.peek();
    reader.skip();
    if (is_invisible(c) && before.empty()) continue;  // it has nothing to join
    const std::string one = text.substr(begin, reader.at() - begin);
    const bool known = c < 0x80 || line().all_known(extends(c) ? before + one : one);
    result += known ? one : code_point(c);
    if (!extends(c)) before = known ? one : "";
  }
  return result;
}

std::string with_code_points_of_no_letters(const std::string& whole) {
  const std::string text = shaped_part(whole);
  std::string result;
  for (Reader reader(text); !reader.done();) {
    const std::size_t begin = reader.at();
    const Character c = reader.peek();
    reader.skip();
    result += is_letterless(c) ? code_point(c) : text.substr(begin, reader.at() - begin);
  }
  return result;
}

std::string fallback_families(const std::string& text) {
  std::string families;
  for (Reader reader(text); !reader.done(); reader.skip())
    for (const Fallback& fallback : kFallbacks) {
      const bool has = reader.peek() >= fallback.span.first && reader.peek() <= fallback.span.last;
      if (has && families.find(fallback.families) == std::string::npos) families += fallback.families;
    }
  return families;
}

bool has_letters() {
  return line().all_known("a");
}

double text_advance(const std::string& text, double em_px) {
  line().set(with_code_points(text), em_px);
  PangoRectangle logical;
  pango_layout_get_extents(line().layout(), nullptr, &logical);
  return static_cast<double>(logical.width) / PANGO_SCALE;
}

TextPicture text_picture(const std::string& text, double em_px) {
  TextPicture picture;
  picture.advance = text_advance(text, em_px);
  PangoLayout* const layout = line().layout();
  PangoRectangle ink;
  pango_layout_line_get_pixel_extents(pango_layout_get_line_readonly(layout, 0), &ink, nullptr);
  constexpr int kMostPixels = 16384;  // wider than any window; no texture is larger
  if (ink.width <= 0 || ink.height <= 0 || ink.width > kMostPixels || ink.height > kMostPixels)
    return picture;
  picture.width = ink.width + 2;  // a margin for antialiasing
  picture.height = ink.height + 2;
  picture.left = ink.x - 1;
  picture.rise = 1 - ink.y;
  const CairoOwned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture.width, picture.height));
  const CairoOwned<cairo_t> context(cairo_create(surface.get()));
  require_drawable(context.get());
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_move_to(context.get(), -picture.left, picture.rise);
  pango_cairo_show_layout_line(context.get(), pango_layout_get_line_readonly(layout, 0));
  cairo_surface_flush(surface.get());
  const unsigned char* rows = cairo_image_surface_get_data(surface.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  picture.pixels.reserve(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(rows + y * stride);
    std::transform(row, row + picture.width, std::back_inserter(picture.pixels), color_of_pixel);
  }
  // White letters are white, up to rounding, where they are half transparent.
  picture.colored = std::any_of(picture.pixels.begin(), picture.pixels.end(), [](Color c) {
    return c.a > 64 && std::min({c.r, c.g, c.b}) < 240;
  });
  return picture;
}

}  // namespace headlight
