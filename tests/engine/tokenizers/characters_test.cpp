#include "engine/unicode/characters.h"

#include <utf8proc.h>

#include "engine/unicode/unicode.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

template <class Holds>
std::size_t count_where(Holds holds) {
  std::size_t count = 0;
  for (char32_t character = 0; character < 0x110000; ++character)
    count += holds(character) ? 1 : 0;
  return count;
}

// The graphemes of a text, each followed by "|".
std::string graphemes(const std::string& text) {
  std::string parted;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = grapheme_end(text, at);
    parted += text.substr(at, end - at) + "|";
    at = end;
  }
  return parted;
}

}  // namespace

TEST_CASE("characters: older versions lack what is newer, and 17 has more") {
  CHECK(category_of(0x10D50, UnicodeVersion::Of16) == Category::Lu);
  CHECK(category_of(0x10D50, UnicodeVersion::Of9) == Category::Cn);
  CHECK(category_of(0x8E2, UnicodeVersion::Of9) == Category::Cf);
  CHECK(category_of(0x8E2, UnicodeVersion::Of8) == Category::Cn);
  CHECK(category_of(0x11DE0, UnicodeVersion::Of16) == Category::Cn);
  CHECK(category_of(0x11DE0, UnicodeVersion::Of17) == Category::Nd);
  CHECK(is_numeric(0x11DE0));
  CHECK_FALSE(is_mark(0x897));
  CHECK(is_white_space(0x3000));
  CHECK_FALSE(is_white_space(0x180E));
  CHECK(count_where(is_white_space) == 25);
}

TEST_CASE("characters: words have the two joiners in them") {
  for (const char32_t character :
       {U'a', U'\u0301', U'9', U'_', U'\u24B6', U'\u200C', U'\u200D', U'\U00010D50'})
    CHECK(is_word_character(character));
  for (const char32_t character : {U' ', U'-', U'\u00B2', U'\u200B', U'\u2060'})
    CHECK_FALSE(is_word_character(character));
}

// utf8proc may implement another version of Unicode; the characters in both versions agree.
TEST_CASE("characters: small letters are utf8proc's, where it has them") {
  std::size_t different = 0;
  for (char32_t c = 0; c < 0x1'0000; ++c) {
    if ((c >= 0xD800 && c <= 0xDFFF) || c == 0x130) continue;
    std::string text, lower;
    append_character(text, c);
    append_character(lower, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
    different += lower_case(text) != lower ? 1 : 0;
  }
  CHECK(different < 20);
  CHECK(lower_case("\u0130\uA7CB\U00010D50") == "i\u0307\u0264\U00010D70");
}

TEST_CASE("characters: graphemes") {
  CHECK(graphemes("ae\u0301\r\n\nx") == "a|e\u0301|\r\n|\n|x|");
  CHECK(graphemes("\u1100\u1161\u11A8\uAC00\u11A8\uAC01\u1161") ==
        "\u1100\u1161\u11A8|\uAC00\u11A8|\uAC01|\u1161|");
  CHECK(graphemes("\U0001F468\u200D\U0001F469a\u200Db") == "\U0001F468\u200D\U0001F469|a\u200D|b|");
  CHECK(graphemes("\u00A9\u0301\u200D\u00A9\u200Da") == "\u00A9\u0301\u200D\u00A9\u200D|a|");
  CHECK(graphemes("\U0001F1E6\U0001F1E7\U0001F1E8") == "\U0001F1E6\U0001F1E7|\U0001F1E8|");
  CHECK(graphemes("\u0915\u093F\u0600a") == "\u0915\u093F|\u0600a|");
  CHECK(graphemes("\u0301a\u0001\u0301") == "\u0301|a|\u0001|\u0301|");
}
