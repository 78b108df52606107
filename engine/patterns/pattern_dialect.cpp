#include "engine/patterns/pattern_dialect.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/patterns/pcre_sets.h"
#include "engine/unicode/characters.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

// The lower-case name of the property for a letter after "\"; "" for none.
std::string_view property_of_letter(char letter) {
  switch (letter) {
    case 's':
      return "space";
    case 'w':
      return "word";
    case 'd':
      return "digit";
    case 'h':
      return "xdigit";
    default:
      return "";
  }
}

char small(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

using Ranges = std::vector<CharacterSet::Range>;

// The contents of the set that is being read.
struct SetContents {
  Ranges ranges;             // unsorted
  std::string text;          // for PCRE2, between brackets
  bool text_is_all = true;   // whether text has everything
  std::string only_in_text;  // a property whose members are unknown here

  void add(const CharacterSet& more, const std::string& written) {
    add_without_text(more);
    text += written;
  }
  void add_without_text(const CharacterSet& more) {
    ranges.insert(ranges.end(), more.ranges().begin(), more.ranges().end());
  }
};

class DialectWriter {
 public:
  DialectWriter(const std::string& text, const std::string& place) : text_(text), place_(place) {}

  std::string written() {
    while (at_ < text_.size())
      write_next();
    return made_;
  }

 private:
  std::string_view rest() const { return std::string_view(text_).substr(at_); }
  void copy(std::size_t count) {
    made_ += rest().substr(0, count);
    at_ = std::min(at_ + count, text_.size());
  }
  void replace(std::size_t count, std::string_view by) {
    made_ += by;
    at_ += count;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error("the expression " + in_quotes(text_) + " has " + what, place_,
                "write the same without it, or save the tokenizer with another expression");
  }

  void write_next() {
    const char c = text_[at_];
    if (c == '\\')
      write_escape();
    else if (c == '[')
      write_set();
    else if (c == '{')
      write_count();
    else if (rest().starts_with("(?"))
      write_group();
    else
      copy(1);
  }

  // A property in the form \s or \p{...}, at the beginning of the remaining text.
  struct Named {
    const CharacterProperty* property;
    bool opposite;
    std::size_t length;
  };
  std::optional<Named> named_property() const {
    if (rest().size() < 2 || rest()[0] != '\\') return std::nullopt;
    const char letter = rest()[1];
    const bool capital = small(letter) != letter;
    if (const std::string_view name = property_of_letter(small(letter)); !name.empty())
      return Named{character_property(name), capital, 2};
    const std::size_t end = rest().find('}');
    if (small(letter) != 'p' || rest().size() < 3 || rest()[2] != '{' || end == std::string_view::npos)
      return std::nullopt;
    std::string_view name = rest().substr(3, end - 3);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    const CharacterProperty* property = character_property(name);
    if (!property) return std::nullopt;
    return Named{property, capital != negated, end + 1};
  }

  void write_escape() {
    if (rest().size() < 2) return copy(1);
    const char letter = rest()[1];
    const std::string word = pcre_members(*character_property("word outside sets"));
    if (small(letter) == 'w')
      replace(2, (letter == 'W' ? "[^" : "[") + word + "]");
    else if (const std::optional<Named> named = named_property())
      replace(named->length, (named->opposite ? "[^" : "[") + pcre_members(*named->property) + "]");
    else if (letter == 'b')
      replace(2, "(?:(?<=[" + word + "])(?![" + word + "])|(?<![" + word + "])(?=[" + word + "]))");
    else if (letter == 'B')
      replace(2, "(?:(?<=[" + word + "])(?=[" + word + "])|(?<![" + word + "])(?![" + word + "]))");
    else if ((small(letter) == 'p' || letter == 'x') && rest().size() > 2 && rest()[2] == '{')
      copy(rest().find('}') == std::string_view::npos ? 2 : rest().find('}') + 1);
    else if (letter == 'u' && rest().size() >= 6)
      replace(6, "\\x{" + std::string(rest().substr(2, 4)) + "}");
    else
      copy(2);
  }

  void write_set() {
    ++at_;
    bool opposite = false;
    const SetContents contents = read_set(opposite, 1);
    const std::string inner =
        contents.text_is_all ? contents.text : pcre_ranges(CharacterSet(contents.ranges));
    require_room(inner.size());
    if (inner.empty())
      made_ += opposite ? "[\\x{0}-\\x{10FFFF}]" : "(?!)";
    else
      made_ += (opposite ? "[^" : "[") + inner + "]";
  }

  // Sets are written out in full; PCRE2 accepts 64 KiB of compiled sets.
  void require_room(std::size_t more) const {
    constexpr std::size_t kMost = 400'000;
    if (made_.size() + more > kMost) refuse("sets that are too large");
  }

  // at_ is after "[", and after "]" on return. opposite: whether the set began with "^".
  SetContents read_set(bool& opposite, int depth) {
    constexpr int kDeepest = 20;
    if (depth > kDeepest) refuse("sets within more than 20 others");
    opposite = rest().starts_with("^");
    if (opposite) ++at_;
    std::optional<CharacterSet> met;  // intersection of the sets before the last &&
    SetContents contents;
    for (bool first = true; at_ < text_.size(); first = false) {
      if (text_[at_] == ']' && !first) {
        ++at_;
        return met ? met_with(*met, contents) : contents;
      }
      if (rest().starts_with("&&")) {
        at_ += 2;
        met = met ? met->intersected(members(contents)) : members(contents);
        contents = {};
      } else {
        read_member(contents, depth);
        require_room(std::max(contents.text.size(), contents.ranges.size()));
      }
    }
    refuse("a set that does not end");
  }

  CharacterSet members(const SetContents& contents) const {
    if (!contents.only_in_text.empty())
      refuse(in_quotes(contents.only_in_text) + " beside a set within a set or &&");
    return CharacterSet(contents.ranges);
  }
  SetContents met_with(const CharacterSet& met, const SetContents& contents) const {
    SetContents both;
    both.add_without_text(met.intersected(members(contents)));
    both.text_is_all = false;
    return both;
  }

  void read_member(SetContents& contents, int depth) {
    if (rest().starts_with("[:") && read_bracket_name(contents)) return;
    if (rest().starts_with("[")) {
      ++at_;
      bool opposite = false;
      const CharacterSet inner = members(read_set(opposite, depth + 1));
      members(contents);
      contents.add_without_text(opposite ? inner.complement() : inner);
      contents.text_is_all = false;
    } else if (const std::optional<Named> named = named_property()) {
      at_ += named->length;
      add_property(contents, *named->property, named->opposite);
    } else if (is_unknown_property()) {
      const std::string_view written = rest().substr(0, rest().find('}') + 1);
      contents.only_in_text = written;
      if (!contents.text_is_all) members(contents);
      contents.text += written;
      at_ += written.size();
    } else {
      read_characters(contents);
    }
  }

  static void add_property(SetContents& contents, const CharacterProperty& property, bool opposite) {
    const CharacterSet others = opposite ? property.members.complement() : CharacterSet();
    contents.add(opposite ? others : property.members,
                 opposite ? pcre_ranges(others) : pcre_members(property));
  }

  // Whether it is a property that may exist in PCRE2 only.
  bool is_unknown_property() const {
    return (rest().starts_with("\\p{") || rest().starts_with("\\P{")) &&
           rest().find('}') != std::string_view::npos;
  }

  // Reads "[:alpha:]" or "[:^alpha:]"; returns false for anything that only begins like it.
  bool read_bracket_name(SetContents& contents) {
    const std::size_t end = rest().find(":]");
    if (end == std::string_view::npos) return false;
    std::string_view name = rest().substr(2, end - 2);
    const bool opposite = name.starts_with('^');
    if (opposite) name.remove_prefix(1);
    const CharacterProperty* property = character_property(name == "punct" ? "posixpunct" : name);
    if (!property) return false;
    at_ += end + 2;
    add_property(contents, *property, opposite);
    return true;
  }

  // Reads one character, or a range of them.
  void read_characters(SetContents& contents) {
    const char32_t first = read_character();
    char32_t last = first;
    if (rest().starts_with("-") && rest().size() > 1 && rest()[1] != ']' && !is_set_again(1)) {
      ++at_;
      last = read_character();
      if (last < first) refuse("a range that does not go up");
    }
    const CharacterSet characters(Ranges{{first, last}});
    contents.add(characters, pcre_ranges(characters));
  }

  // Whether a set, a property or && begins at `ahead`; a "-" before it is a character.
  bool is_set_again(std::size_t ahead) {
    const std::size_t before = at_;
    at_ += ahead;
    const bool again = rest().starts_with("[") || rest().starts_with("&&") || named_property().has_value();
    at_ = before;
    return again;
  }

  // Reads the character at at_ and advances past it.
  char32_t read_character() {
    if (text_[at_] != '\\' || rest().size() < 2) return next_character(text_, at_);
    const char letter = rest()[1];
    at_ += 2;
    static constexpr std::string_view kLetters = "tnrfvaeb", kMeant = "\t\n\r\f\v\a\x1B\b";
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos)
      return static_cast<char32_t>(kMeant[known]);
    if (letter == 'u') return read_number(16, 4);
    if (letter == 'x' && rest().starts_with("{")) {
      ++at_;
      const char32_t value = read_number(16, 8);
      if (rest().starts_with("}")) ++at_;
      return value;
    }
    if (letter == 'x') return read_number(16, 2);
    if (letter >= '0' && letter <= '7') {
      --at_;
      return read_number(8, 3);
    }
    --at_;
    return next_character(text_, at_);  // an ordinary character
  }

  char32_t read_number(unsigned base, std::size_t most_digits) {
    char32_t value = 0;
    for (std::size_t i = 0; i < most_digits && at_ < text_.size(); ++i, ++at_) {
      const char c = small(text_[at_]);
      const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                             : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                                                    : base;
      if (digit >= base) break;
      value = value * base + digit;
    }
    if (value > 0x10FFFF) refuse("a character beyond U+10FFFF");
    return value;
  }

  // {n}, {n,}, {n,m}, {,m}; any other brace is an ordinary character.
  void write_count() {
    const std::size_t end = rest().find('}');
    const std::string_view inner = end == std::string_view::npos ? "" : rest().substr(1, end - 1);
    const bool is_count = inner.find_first_not_of("0123456789,") == std::string_view::npos && inner != "," &&
                          std::count(inner.begin(), inner.end(), ',') <= 1 && !inner.empty();
    if (!is_count) return copy(1);
    if (rest().substr(end + 1).starts_with("+")) refuse("a count with + behind it");
    if (inner.front() == ',') {
      made_ += "{0";
      ++at_;
    }
    copy(rest().find('}') + 1);
  }

  // (?im-x) and (?im-x:...): m is the option s of PCRE2.
  void write_group() {
    copy(2);
    const std::size_t end = std::min(rest().find_first_not_of("imx-"), rest().size());
    const bool sets_options = end < rest().size() && (rest()[end] == ':' || rest()[end] == ')');
    if (!sets_options) return;
    std::string options(rest().substr(0, end));
    std::replace(options.begin(), options.end(), 'm', 's');
    replace(end, options);
  }

  const std::string& text_;
  const std::string& place_;
  std::string made_;
  std::size_t at_ = 0;
};

}  // namespace

std::string pcre_expression(const std::string& text, const std::string& place) {
  return DialectWriter(text, place).written();
}

}  // namespace headlight
