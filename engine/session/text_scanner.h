// Scans the text between two braces of a lesson's text, from left to right.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/matrix.h"
#include "engine/core/nearest.h"

namespace headlight {

class TextScanner {
 public:
  explicit TextScanner(std::string_view inside) : rest_(inside), inside_(inside) {}

  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Error("the quote " + in_quotes("{" + std::string(inside_) + "}") + " " + what, "", hint);
  }

  std::string_view rest() {
    skip_spaces();
    return rest_;
  }
  bool at_end() { return rest().empty(); }
  bool at_letter() { return !at_end() && is_letter(rest_.front()); }

  bool take(std::string_view sign) {
    skip_spaces();
    if (rest_.substr(0, sign.size()) != sign) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  // The next word, without consuming it; "" if there is none.
  std::string_view next_word() {
    skip_spaces();
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length]))
      ++length;
    return rest_.substr(0, length);
  }
  std::string_view take_word() {
    const std::string_view word = next_word();
    rest_.remove_prefix(word.size());
    return word;
  }
  bool take_word(std::string_view wanted) {
    if (next_word() != wanted) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  Index read_whole(const std::string& what, Index most) {
    skip_spaces();
    Index number = 0;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (failure != std::errc() || number < 0 || number > most)
      fail("lacks " + what, "write a whole number from 0 to " + std::to_string(most));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }
  // Consumes a number without a sign; returns false if none comes next.
  bool take_number(double& number) {
    skip_spaces();
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (failure != std::errc() || rest_.front() == '-' || at_letter()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

 private:
  static constexpr bool is_letter(char c) { return headlight::is_letter(c) || c == '_'; }
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ')
      rest_.remove_prefix(1);
  }

  std::string_view rest_, inside_;
};

}  // namespace headlight
