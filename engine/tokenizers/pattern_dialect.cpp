#include "engine/tokenizers/pattern_dialect.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

// The members of Oniguruma's sets, as they stand within brackets; "" of a letter that names none.
std::string_view members_of_set(char letter) {
  switch (letter) {
    case 's':
      return R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
    case 'w':
      return R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9})";
    case 'h':
      return "0-9a-fA-F";
    default:
      return "";
  }
}

class DialectWriter {
 public:
  DialectWriter(const std::string& text, const std::string& place) : text_(text), place_(place) {}

  std::string written() {
    while (at_ < text_.size())
      if (text_[at_] == '\\')
        write_escape();
      else if (in_set_)
        write_in_set();
      else
        write_outside();
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

  void write_escape() {
    if (rest().size() < 2) return copy(1);
    const char letter = rest()[1];
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const std::string_view members = members_of_set(lower);
    if (!members.empty())
      write_set(letter != lower, members);
    else if ((lower == 'p' || letter == 'x') && rest().size() > 2 && rest()[2] == '{')
      copy(rest().find('}') == std::string_view::npos ? 2 : rest().find('}') + 1);
    else if (letter == 'u' && rest().size() >= 6)
      replace(6, "\\x{" + std::string(rest().substr(2, 4)) + "}");
    else
      copy(2);
  }

  void write_set(bool opposite, std::string_view members) {
    if (!in_set_)
      replace(2, (opposite ? "[^" : "[") + std::string(members) + "]");
    else if (!opposite)
      replace(2, members);
    else if (rest()[1] == 'S')
      copy(2);  // PCRE2 counts U+180E as a space besides
    else
      refuse("\\" + std::string(1, rest()[1]) + " within a set");
  }

  void write_in_set() {
    const char c = text_[at_];
    if (rest().starts_with("[:")) {
      const std::size_t end = rest().find(":]");
      return copy(end == std::string_view::npos ? 2 : end + 2);
    }
    if (c == '[') refuse("a set within a set");
    if (rest().starts_with("&&")) refuse("&& within a set");
    if (c == ']') in_set_ = false;
    copy(1);
  }

  void write_outside() {
    const char c = text_[at_];
    if (c == '[')
      begin_set();
    else if (c == '{')
      write_count();
    else if (rest().starts_with("(?"))
      write_group();
    else
      copy(1);
  }

  void begin_set() {
    in_set_ = true;
    copy(rest().starts_with("[^") ? 2 : 1);
    if (rest().starts_with("]")) copy(1);  // the first one is a member
  }

  // {n}, {n,}, {n,m}, {,m}; any other brace stands for itself.
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

  // (?im-x) and (?im-x:...): m is what others call s.
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
  bool in_set_ = false;
};

}  // namespace

std::string pcre_expression(const std::string& text, const std::string& place) {
  return DialectWriter(text, place).written();
}

}  // namespace headlight
