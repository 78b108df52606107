#include "engine/unicode/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "engine/unicode/characters.h"
#include "engine/unicode/unicode_data.h"

namespace headlight {
namespace {

bool within(unsigned char byte, int low, int high) {
  return byte >= low && byte <= high;
}

// Whether `second` may follow `lead`: no overlong encoding, no surrogate, nothing above U+10FFFF.
bool may_follow(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return within(second, 0xA0, 0xBF);
    case 0xED:
      return within(second, 0x80, 0x9F);
    case 0xF0:
      return within(second, 0x90, 0xBF);
    case 0xF4:
      return within(second, 0x80, 0x8F);
    default:
      return within(second, 0x80, 0xBF);
  }
}

bool is_of_category(char32_t character, UnicodeVersion version, Category first, Category last) {
  const Category kind = category_of(character, version);
  return kind >= first && kind <= last;
}

using CodePoints = std::vector<utf8proc_int32_t>;

bool by_combining_class(utf8proc_int32_t left, utf8proc_int32_t right) {
  return utf8proc_get_property(left)->combining_class < utf8proc_get_property(right)->combining_class;
}

// Puts marks into canonical order. utf8proc's own ordering is quadratic in their number.
void order_marks(CodePoints& characters) {
  const auto is_starter = [](utf8proc_int32_t one) {
    return utf8proc_get_property(one)->combining_class == 0;
  };
  for (auto at = characters.begin(); at != characters.end();) {
    const auto marks = std::find_if_not(at, characters.end(), is_starter);
    at = std::find_if(marks, characters.end(), is_starter);
    std::stable_sort(marks, at, by_combining_class);
  }
}

// text: without characters unknown to Unicode 9.
CodePoints decomposed(std::string_view text, int options) {
  CodePoints characters;
  characters.reserve(text.size());
  for_each_character(text, [&](char32_t character, std::string_view) {
    std::array<utf8proc_int32_t, 32> parts{};  // the longest has 18
    int boundary = 0;
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), parts.data(),
                                               static_cast<utf8proc_ssize_t>(parts.size()),
                                               static_cast<utf8proc_option_t>(options), &boundary);
    if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size()))
      throw std::logic_error("a character decomposes into more than 32");
    characters.insert(characters.end(), parts.begin(), parts.begin() + count);
  });
  order_marks(characters);
  return characters;
}

std::string run_in_form(std::string_view text, UnicodeForm form) {
  const bool compatible = form == UnicodeForm::Nfkc || form == UnicodeForm::Nfkd;
  CodePoints characters =
      decomposed(text, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | (compatible ? UTF8PROC_COMPAT : 0));
  if (form == UnicodeForm::Nfc || form == UnicodeForm::Nfkc) {
    const auto count =
        utf8proc_normalize_utf32(characters.data(), static_cast<utf8proc_ssize_t>(characters.size()),
                                 static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    characters.resize(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(count, 0)));
  }
  std::string formed;
  formed.reserve(text.size());
  for (const utf8proc_int32_t character : characters)
    append_character(formed, static_cast<char32_t>(character));
  return formed;
}

char32_t lower(char32_t character) {
  if (character < 0x80) return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
  const auto runs = unicode_data::lower_case();
  const auto behind = std::upper_bound(
      runs.begin(), runs.end(), character,
      [](char32_t wanted, const unicode_data::LowerCaseRun& run) { return wanted < run.first; });
  if (behind == runs.begin()) return character;
  const unicode_data::LowerCaseRun& run = *std::prev(behind);
  if (character > run.last || (character - run.first) % run.step != 0) return character;
  return static_cast<char32_t>(static_cast<std::int32_t>(character) + run.offset);
}

}  // namespace

Utf8Unit utf8_unit(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {1, true};
  if (!within(lead, 0xC2, 0xF4)) return {1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= bytes.size()) return {i, false};
    const bool follows = i == 1 ? may_follow(lead, byte(at + 1)) : within(byte(at + i), 0x80, 0xBF);
    if (!follows) return {i, false};
  }
  return {length, true};
}

std::size_t first_bad_byte(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Unit unit = utf8_unit(bytes, at);
    if (!unit.valid) return at;
    at += unit.length;
  }
  return std::string_view::npos;
}

std::string lossy_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Unit unit = utf8_unit(bytes, at);
    text += unit.valid ? bytes.substr(at, unit.length) : std::string_view("\xEF\xBF\xBD");
    at += unit.length;
  }
  return text;
}

std::string escaped_utf8(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Unit unit = utf8_unit(bytes, at);
    for (const char c : bytes.substr(at, unit.length)) {
      const auto byte = static_cast<unsigned char>(c);
      if (unit.valid)
        text += c;
      else
        text += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
    at += unit.length;
  }
  return text;
}

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return text[at++];
  const std::size_t length = std::min<std::size_t>(lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, text.size() - at);
  char32_t character = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    character = character << 6 | (byte(i) & 0x3F);
  at += length;
  return character;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void append_character(std::string& text, char32_t character) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes.data());
  text.append(bytes.begin(), bytes.begin() + length);
}

bool is_white_space(char32_t character) {
  if (character < 0x80) return (character >= 0x9 && character <= 0xD) || character == ' ';
  return character == 0x85 || is_of_category(character, UnicodeVersion::Of17, Category::Zs, Category::Zp);
}

bool is_ascii_punctuation(char32_t character) {
  return (character >= '!' && character <= '/') || (character >= ':' && character <= '@') ||
         (character >= '[' && character <= '`') || (character >= '{' && character <= '~');
}

bool is_punctuation(char32_t character) {
  if (character < 0x80) return is_ascii_punctuation(character);
  return is_of_category(character, UnicodeVersion::Of8, Category::Pc, Category::Po);
}

bool is_numeric(char32_t character) {
  return is_of_category(character, UnicodeVersion::Of17, Category::Nd, Category::No);
}

bool is_mark(char32_t character) {
  return is_of_category(character, UnicodeVersion::Of9, Category::Mn, Category::Me);
}

bool is_nonspacing_mark(char32_t character) {
  return category_of(character, UnicodeVersion::Of8) == Category::Mn;
}

bool is_control(char32_t character) {
  const Category kind = category_of(character, UnicodeVersion::Of8);
  return kind == Category::Cc || kind == Category::Cf || kind == Category::Co;
}

bool is_word_character(char32_t character) {
  const bool joiner = character == 0x200C || character == 0x200D;
  const bool circled = (character >= 0x24B6 && character <= 0x24E9) ||
                       (character >= 0x1F130 && character <= 0x1F149) ||
                       (character >= 0x1F150 && character <= 0x1F169) ||
                       (character >= 0x1F170 && character <= 0x1F189);  // symbols that are alphabetic
  return is_of_category(character, UnicodeVersion::Of16, Category::Lu, Category::Nl) ||
         category_of(character, UnicodeVersion::Of16) == Category::Pc || circled || joiner;
}

std::string in_form(std::string_view text, UnicodeForm form) {
  const bool ascii = std::none_of(text.begin(), text.end(), [](char c) { return c & 0x80; });
  if (ascii) return std::string(text);
  // A character unknown to Unicode 9 stays, and nothing is moved or joined across it.
  std::string formed;
  std::size_t done = 0, at = 0;
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    if (character >= 0x80 && category_of(character, UnicodeVersion::Of9) == Category::Cn) {
      formed += run_in_form(text.substr(done, at - done), form);
      formed += bytes;
      done = at + bytes.size();
    }
    at += bytes.size();
  });
  return formed + run_in_form(text.substr(done), form);
}

std::string lower_case(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for_each_character(text, [&](char32_t character, std::string_view) {
    if (character == 0x130)  // the only one whose lower case has two characters
      made += "i\xCC\x87";
    else
      append_character(made, lower(character));
  });
  return made;
}

}  // namespace headlight
