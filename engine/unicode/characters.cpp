#include "engine/unicode/characters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "engine/unicode/unicode.h"
#include "engine/unicode/unicode_data.h"

namespace headlight {
namespace {

constexpr std::size_t kCodePoints = 0x110000;
using Values = std::vector<std::uint8_t>;  // one per code point

// One value per code point; where `changes` has 255 and there is a `base`, its value.
Values expanded(std::span<const std::uint32_t> changes, const Values* base = nullptr) {
  Values values(kCodePoints);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t end = i + 1 < changes.size() ? changes[i + 1] >> 8 : kCodePoints;
    const auto value = static_cast<std::uint8_t>(changes[i] & 0xFF);
    for (std::size_t at = changes[i] >> 8; at < end; ++at)
      values[at] = base && value == 0xFF ? (*base)[at] : value;
  }
  return values;
}

const Values& categories_of_16() {
  static const Values values = expanded(unicode_data::categories());
  return values;
}

const Values& categories(UnicodeVersion version) {
  static const Values& newest = categories_of_16();
  switch (version) {
    case UnicodeVersion::Of8: {
      static const Values values = expanded(unicode_data::categories_of_8(), &newest);
      return values;
    }
    case UnicodeVersion::Of9: {
      static const Values values = expanded(unicode_data::categories_of_9(), &newest);
      return values;
    }
    case UnicodeVersion::Of17: {
      static const Values values = expanded(unicode_data::categories_of_17(), &newest);
      return values;
    }
    case UnicodeVersion::Of16:
      break;
  }
  return newest;
}

enum class Break : std::uint8_t {
  None,
  Control,
  Extend,
  Joiner,
  Region,
  Prepend,
  Spacing,
  L,
  V,
  T,
  Pictograph,
  Return,
  LineFeed,
  LV,
  LVT
};

Break break_of(char32_t character) {
  static const Values values = expanded(unicode_data::grapheme_breaks());
  if (character == '\r') return Break::Return;
  if (character == '\n') return Break::LineFeed;
  if (character >= 0xAC00 && character <= 0xD7A3)
    return (character - 0xAC00) % 28 == 0 ? Break::LV : Break::LVT;
  return static_cast<Break>(values[character]);
}

bool is_hangul_pair(Break left, Break right) {
  switch (left) {
    case Break::L:
      return right == Break::L || right == Break::V || right == Break::LV || right == Break::LVT;
    case Break::LV:
    case Break::V:
      return right == Break::V || right == Break::T;
    case Break::LVT:
    case Break::T:
      return right == Break::T;
    default:
      return false;
  }
}

bool parts(Break kind) {
  return kind == Break::Control || kind == Break::Return || kind == Break::LineFeed;
}

// The rules GB3 to GB13 of Unicode's annex 29 for one grapheme, without GB9c.
class Grapheme {
 public:
  explicit Grapheme(Break first)
      : last_(first), regions_(first == Break::Region), picture_(first == Break::Pictograph) {}

  bool takes(Break next) {
    const bool taken = goes_on(next);
    joined_picture_ = picture_ && next == Break::Joiner;
    picture_ = next == Break::Pictograph || (picture_ && next == Break::Extend);
    regions_ += next == Break::Region ? 1 : 0;
    last_ = next;
    return taken;
  }

 private:
  bool goes_on(Break next) const {
    if (last_ == Break::Return && next == Break::LineFeed) return true;
    if (parts(last_) || parts(next)) return false;
    if (next == Break::Extend || next == Break::Joiner || next == Break::Spacing || last_ == Break::Prepend)
      return true;
    if (next == Break::Pictograph) return joined_picture_;
    if (next == Break::Region) return last_ == Break::Region && regions_ % 2 == 1;
    return is_hangul_pair(last_, next);
  }

  Break last_;
  int regions_;
  bool picture_;                 // only Extend follows a pictograph
  bool joined_picture_ = false;  // and then a joiner
};

}  // namespace

Category category_of(char32_t character, UnicodeVersion version) {
  return static_cast<Category>(categories(version)[character]);
}

std::uint8_t script_of(char32_t character, UnicodeVersion version) {
  static const Values newest = expanded(unicode_data::scripts());
  static const Values older = expanded(unicode_data::scripts_of_9(), &newest);
  return (version == UnicodeVersion::Of9 ? older : newest)[character];
}

std::size_t grapheme_end(std::string_view text, std::size_t at) {
  Grapheme grapheme(break_of(next_character(text, at)));
  while (at < text.size()) {
    std::size_t behind = at;
    if (!grapheme.takes(break_of(next_character(text, behind)))) break;
    at = behind;
  }
  return at;
}

CharacterSet::CharacterSet(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  for (const Range& range : ranges)
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1)
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    else
      ranges_.push_back(range);
}

bool CharacterSet::contains(char32_t character) const {
  const auto behind =
      std::upper_bound(ranges_.begin(), ranges_.end(), character,
                       [](char32_t wanted, const Range& range) { return wanted < range.first; });
  return behind != ranges_.begin() && character <= std::prev(behind)->last;
}

CharacterSet CharacterSet::complement() const {
  CharacterSet rest;
  char32_t next = 0;
  for (const Range& range : ranges_) {
    if (next < range.first) rest.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next < kEnd) rest.ranges_.push_back({next, kEnd - 1});
  return rest;
}

CharacterSet CharacterSet::united(const CharacterSet& other) const {
  std::vector<Range> ranges = ranges_;
  ranges.insert(ranges.end(), other.ranges_.begin(), other.ranges_.end());
  return CharacterSet(std::move(ranges));
}

CharacterSet CharacterSet::intersected(const CharacterSet& other) const {
  return complement().united(other.complement()).complement();
}

bool CharacterSet::operator==(const CharacterSet& other) const {
  return std::equal(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
                    [](const Range& a, const Range& b) { return a.first == b.first && a.last == b.last; });
}

namespace {

// In lower case, without the characters that Oniguruma ignores.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '_' && c != '-')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

struct CategoryName {
  std::string_view letters, name;
};
constexpr std::array<CategoryName, 38> kCategoryNames = {{{"Cn", "unassigned"},
                                                          {"Lu", "uppercaseletter"},
                                                          {"Ll", "lowercaseletter"},
                                                          {"Lt", "titlecaseletter"},
                                                          {"Lm", "modifierletter"},
                                                          {"Lo", "otherletter"},
                                                          {"Mn", "nonspacingmark"},
                                                          {"Mc", "spacingmark"},
                                                          {"Me", "enclosingmark"},
                                                          {"Nd", "decimalnumber"},
                                                          {"Nl", "letternumber"},
                                                          {"No", "othernumber"},
                                                          {"Pc", "connectorpunctuation"},
                                                          {"Pd", "dashpunctuation"},
                                                          {"Ps", "openpunctuation"},
                                                          {"Pe", "closepunctuation"},
                                                          {"Pi", "initialpunctuation"},
                                                          {"Pf", "finalpunctuation"},
                                                          {"Po", "otherpunctuation"},
                                                          {"Sm", "mathsymbol"},
                                                          {"Sc", "currencysymbol"},
                                                          {"Sk", "modifiersymbol"},
                                                          {"So", "othersymbol"},
                                                          {"Zs", "spaceseparator"},
                                                          {"Zl", "lineseparator"},
                                                          {"Zp", "paragraphseparator"},
                                                          {"Cc", "control"},
                                                          {"Cf", "format"},
                                                          {"Cs", "surrogate"},
                                                          {"Co", "privateuse"},
                                                          {"L", "letter"},
                                                          {"M", "mark"},
                                                          {"N", "number"},
                                                          {"P", "punctuation"},
                                                          {"S", "symbol"},
                                                          {"Z", "separator"},
                                                          {"C", "other"},
                                                          {"LC", "casedletter"}}};
constexpr std::size_t kSingleCategories = 30;  // groups of categories follow

char32_t category_letter(char32_t character) {
  return static_cast<char32_t>(
      kCategoryNames[static_cast<std::size_t>(category_of(character, UnicodeVersion::Of16))].letters[0]);
}

CharacterSet members_of_category(std::size_t index) {
  if (index < kSingleCategories)
    return CharacterSet::where(
        [&](char32_t c) { return static_cast<std::size_t>(category_of(c, UnicodeVersion::Of16)) == index; });
  const std::string_view letters = kCategoryNames[index].letters;
  if (letters == "LC")
    return CharacterSet::where([](char32_t c) {
      const Category kind = category_of(c, UnicodeVersion::Of16);
      return kind == Category::Lu || kind == Category::Ll || kind == Category::Lt;
    });
  const auto letter = static_cast<char32_t>(letters[0]);
  return CharacterSet::where([&](char32_t c) { return category_letter(c) == letter; });
}

std::optional<CharacterProperty> category_property(const std::string& name) {
  for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
    const CategoryName& category = kCategoryNames[i];
    if (name != plain_name(category.letters) && name != category.name &&
        !(name == "punct" && category.letters == "P"))
      continue;
    const std::string pcre = category.letters == "LC" ? "L&" : std::string(category.letters);
    return CharacterProperty{members_of_category(i), "\\p{" + pcre + "}"};
  }
  return std::nullopt;
}

std::optional<CharacterProperty> script_property(const std::string& name) {
  const auto names = unicode_data::script_names();
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (name != plain_name(names[i])) continue;
    return CharacterProperty{
        CharacterSet::where([&](char32_t c) { return script_of(c, UnicodeVersion::Of16) == i; }),
        "\\p{sc:" + std::string(names[i]) + "}"};
  }
  return std::nullopt;
}

CharacterSet flagged(std::span<const std::uint32_t> changes) {
  const Values values = expanded(changes);
  return CharacterSet::where([&](char32_t c) { return values[c] != 0; });
}

const CharacterSet& members(std::string_view name) {
  return character_property(name)->members;
}

CharacterSet spaces() {
  return CharacterSet({{0x9, 0xD},
                       {' ', ' '},
                       {0x85, 0x85},
                       {0xA0, 0xA0},
                       {0x1680, 0x1680},
                       {0x2000, 0x200A},
                       {0x2028, 0x2029},
                       {0x202F, 0x202F},
                       {0x205F, 0x205F},
                       {0x3000, 0x3000}});
}

// The visible characters: all but spaces, controls, surrogates and unassigned code points.
CharacterSet visible() {
  return spaces().united(members("Cc")).united(members("Cn")).united(members("Cs")).complement();
}

// The names used in brackets, which \p accepts too.
std::optional<CharacterProperty> bracket_property(const std::string& name) {
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto alphabetic = [] {
    return members("L").united(members("Nl")).united(flagged(unicode_data::other_alphabetic()));
  };
  if (is({"alpha", "alphabetic"})) return CharacterProperty{alphabetic(), "\\p{L}\\p{Nl}"};
  if (is({"lower", "lowercase"}))
    return CharacterProperty{members("Ll").united(flagged(unicode_data::other_lowercase())), "\\p{Ll}"};
  if (is({"upper", "uppercase"}))
    return CharacterProperty{members("Lu").united(flagged(unicode_data::other_uppercase())), "\\p{Lu}"};
  if (is({"alnum"})) return CharacterProperty{alphabetic().united(members("Nd")), "\\p{L}\\p{Nl}\\p{Nd}"};
  if (is({"word"}))
    return CharacterProperty{alphabetic().united(members("M")).united(members("Nd")).united(members("Pc")),
                             "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"};
  if (is({"wordoutsidesets"}))
    return CharacterProperty{members("word").united(CharacterSet({{0xB2, 0xB3}, {0xB9, 0xB9}, {0xBC, 0xBE}})),
                             "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}"};
  if (is({"emoji"})) return CharacterProperty{flagged(unicode_data::emoji()), "\\p{Emoji}"};
  if (is({"digit"})) return CharacterProperty{members("Nd"), "\\p{Nd}"};
  if (is({"posixpunct"})) return CharacterProperty{members("P").united(members("S")), "\\p{P}\\p{S}"};
  if (is({"cntrl"})) return CharacterProperty{members("Cc"), "\\p{Cc}"};
  if (is({"space", "whitespace"})) return CharacterProperty{spaces(), ""};
  if (is({"blank"})) return CharacterProperty{members("Zs").united(CharacterSet({{'\t', '\t'}})), ""};
  if (is({"xdigit", "asciihexdigit"}))
    return CharacterProperty{CharacterSet({{'0', '9'}, {'A', 'F'}, {'a', 'f'}}), ""};
  if (is({"ascii"})) return CharacterProperty{CharacterSet({{0, 0x7F}}), ""};
  if (is({"any"})) return CharacterProperty{CharacterSet().complement(), ""};
  if (is({"assigned"})) return CharacterProperty{members("Cn").complement(), ""};
  if (is({"graph"})) return CharacterProperty{visible(), ""};
  if (is({"print"})) return CharacterProperty{visible().united(members("Zs")), ""};
  return std::nullopt;
}

}  // namespace

const CharacterProperty* character_property(std::string_view name) {
  static std::recursive_mutex mutex;  // a property may use others
  static std::map<std::string, std::optional<CharacterProperty>> known;
  const std::string plain = plain_name(name);
  const std::scoped_lock lock(mutex);
  const auto found = known.find(plain);
  if (found != known.end()) return found->second ? &*found->second : nullptr;
  std::optional<CharacterProperty> made = category_property(plain);
  if (!made) made = script_property(plain);
  if (!made) made = bracket_property(plain);
  if (!made) return nullptr;
  return &*known.emplace(plain, std::move(made)).first->second;
}

}  // namespace headlight
