#include "engine/core/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"

namespace headlight {
namespace {

// For a number outside the range of float32: whether its magnitude is below 1. std::from_chars does not
// report which end of the range was exceeded.
bool is_tiny(std::string_view digits) {
  const std::size_t mantissa_end = std::min(digits.find_first_of("eE"), digits.size());
  long power = 0;  // of ten
  if (mantissa_end < digits.size()) {
    std::string_view exponent = digits.substr(mantissa_end + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (result.ec == std::errc::result_out_of_range) return negative;
    if (negative) power = -power;
  }
  const std::string_view mantissa = digits.substr(0, mantissa_end);
  const auto point = static_cast<long>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<long>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  return power + point - first < 0;
}

// Removes the first of the marks that matches from the front or back of the text, and the blanks next to it.
void drop(std::string_view& text, std::initializer_list<std::string_view> marks, bool at_front) {
  for (const std::string_view mark : marks) {
    if (at_front ? !text.starts_with(mark) : !text.ends_with(mark)) continue;
    text.remove_prefix(at_front ? mark.size() : 0);
    text.remove_suffix(at_front ? 0 : mark.size());
    text = trimmed(text);
    return;
  }
}

bool is_hexadecimal(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
  return text.size() > 2 && text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

// The text without separators of digit groups: 1,234 or 1_000 or 1'000, and blanks before three digits.
std::string without_groups(std::string_view text) {
  constexpr std::string_view kBlankMarks[] = {" ", "\u00a0", "\u2009", "\u202f"};
  std::string digits;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t mark = std::string_view(",_'").find(text[at]) != std::string_view::npos ? 1 : 0;
    bool three = false;
    for (const std::string_view blank : kBlankMarks)
      if (text.substr(at).starts_with(blank)) mark = blank.size(), three = true;
    const std::string_view behind = text.substr(std::min(at + mark, text.size()));
    const auto count =
        static_cast<std::size_t>(std::find_if_not(behind.begin(), behind.end(), is_digit) - behind.begin());
    const bool groups = mark > 0 && !digits.empty() && is_digit(digits.back()) && count > 0;
    if (groups && (!three || count == 3))
      at += mark;
    else
      digits += text[at++];
  }
  return digits;
}

// A number in its parts: sign and what else stands before the digits, digits with their marks, exponent.
struct MarkedNumber {
  std::string_view sign, body, exponent;
  std::size_t commas = 0, points = 0;
};

// Separators of thousands that nobody writes decimals with.
constexpr std::string_view kThousands[] = {"'", "\u2019", "\u00a0", "\u2009", "\u202f"};

std::size_t thousands_mark(std::string_view text) {
  for (const std::string_view mark : kThousands)
    if (text.starts_with(mark)) return mark.size();
  return 0;
}

std::optional<MarkedNumber> marked_number(std::string_view cell) {
  MarkedNumber number;
  std::string_view text = cell;
  for (const std::string_view sign : {"+", "-", "\u2212"})
    if (text.starts_with(sign)) {
      text.remove_prefix(sign.size());
      break;
    }
  number.sign = cell.substr(0, cell.size() - text.size());
  std::size_t at = 0;
  bool digits = false;
  while (at < text.size()) {
    const char letter = text[at];
    const std::size_t mark = thousands_mark(text.substr(at));
    if (letter != ',' && letter != '.' && !is_digit(letter) && mark == 0) break;
    number.commas += letter == ',';
    number.points += letter == '.';
    digits = digits || is_digit(letter);
    at += std::max<std::size_t>(mark, 1);
  }
  number.body = text.substr(0, at);
  number.exponent = text.substr(at);
  const bool power = number.exponent.starts_with('e') || number.exponent.starts_with('E');
  if (!digits || (!number.exponent.empty() && !power)) return std::nullopt;
  return number;
}

// Whether `mark` separates groups of three digits behind one to three others.
bool in_groups(std::string_view text, char mark) {
  const std::size_t first = text.find(mark);
  if (first == std::string_view::npos) return true;
  if (first == 0 || first > 3) return false;
  for (std::size_t at = first; at < text.size(); at += 4) {
    if (text[at] != mark || text.size() - at < 4) return false;
    if (std::any_of(text.begin() + static_cast<long>(at) + 1, text.begin() + static_cast<long>(at) + 4,
                    [](char letter) { return !is_digit(letter); }))
      return false;
  }
  return true;
}

// The digits with a point for the decimals and nothing between thousands; empty if the marks stand elsewhere.
std::string with_point(std::string_view body, char decimal, char group) {
  const std::size_t end = std::min(body.find(decimal), body.size());
  std::string whole;
  for (std::size_t at = 0; at < end;) {
    const std::size_t mark = thousands_mark(body.substr(at));
    whole += mark > 0 ? group : body[at];
    at += std::max<std::size_t>(mark, 1);
  }
  const std::string_view rest = body.substr(end);
  if (!in_groups(whole, group) || rest.find(group) != std::string_view::npos ||
      std::count(rest.begin(), rest.end(), decimal) > 1 ||
      rest.find_first_of(",.'", 1) != std::string_view::npos)
    return {};
  std::erase(whole, group);
  return rest.empty() ? whole : whole + "." + std::string(rest.substr(1));
}

}  // namespace

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

float number_in(std::string_view text) {
  std::string ascii;
  constexpr std::string_view kMinus = "\u2212";
  if (text.starts_with(kMinus)) {
    ascii = "-" + std::string(text.substr(kMinus.size()));
    text = ascii;
  }
  if (text.empty()) throw Error("the cell is empty", "", "write 0 where there is nothing");
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  float value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, failed] = std::from_chars(digits.data(), end, value);
  if (failed == std::errc::invalid_argument || stop != end) {
    if (has_decimal_comma(text))
      throw Error(in_quotes(text) + " is no number", "", "write a point for the decimals, not a comma");
    throw Error(in_quotes(text) + " is no number", "", "rows of numbers like 0.43, -2 or 1e-3");
  }
  if (failed == std::errc::result_out_of_range) {
    if (is_tiny(digits)) return 0;
    throw Error(in_quotes(text) + " is too large for float32", "", "at most 3.4e38");
  }
  return value;
}

float finite_number_in(std::string_view text) {
  const float value = number_in(text);
  if (!std::isfinite(value))
    throw Error(in_quotes(text) + " is refused", "", "every input must be a finite number");
  return value;
}

bool has_decimal_comma(std::string_view text) {
  std::string mended(text);
  const std::size_t comma = mended.find(',');
  if (comma == std::string::npos || mended.find(',', comma + 1) != std::string::npos) return false;
  mended[comma] = '.';
  double value = 0;
  const auto [stop, failed] = std::from_chars(mended.data(), mended.data() + mended.size(), value);
  return failed == std::errc() && stop == mended.data() + mended.size();
}

bool looks_like_number(std::string_view text) {
  // Fast path for words without digits, which tables have many of.
  if (text.find_first_of("0123456789") == std::string_view::npos && text.find_first_of("nN") == text.npos)
    return false;
  try {
    number_in(text);
    return true;
  } catch (const Error&) {
    // It may look like a number that number_in rejects.
  }
  drop(text, {"+", "-", "\u2212"}, true);
  drop(text, {"$", "\u20ac", "\u00a3"}, true);
  drop(text, {"%", "$", "\u20ac", "\u00a3"}, false);
  if (text.empty() || (!is_digit(text.front()) && text.front() != '.')) return false;
  if (is_hexadecimal(text) || text.find(".#") == 1)
    return true;  // 1.#INF is infinity in print-outs of Windows
  const std::string digits = without_groups(text);
  double value = 0;
  const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return failed != std::errc::invalid_argument && stop == digits.data() + digits.size();
}

bool is_missing_marker(std::string_view text) {
  constexpr std::string_view kMarks[] = {"",     "NA",      "N/A",     "n/a",   "<NA>",  "#N/A",  "#NA",
                                         "NULL", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?"};
  return std::find(std::begin(kMarks), std::end(kMarks), text) != std::end(kMarks);
}

void NumberMarks::look_at(std::string_view cell, const std::string& place) {
  const std::optional<MarkedNumber> number = marked_number(cell);
  if (!number || number->commas + number->points == 0) return;
  const auto [sign, body, exponent, commas, points] = *number;
  any_ = any_ || commas > 0;
  const auto keep = [&](Seen& seen) {
    if (seen.cell.empty()) seen = {std::string(cell), place};
  };
  if (commas > 0 && points > 0) return keep(body.rfind(',') > body.rfind('.') ? comma_ : point_);
  const char mark = commas > 0 ? ',' : '.';
  const bool thousands = in_groups(body, mark) && !body.starts_with('0');
  if (commas + points > 1) return thousands ? keep(commas > 0 ? point_ : comma_) : void();
  if (!thousands) return keep(commas > 0 ? comma_ : point_);
  if (commas > 0) keep(either_);
}

void NumberMarks::decide() {
  const bool point = !point_.cell.empty(), comma = !comma_.cell.empty();
  if (point && comma)
    throw Error("the decimals of " + in_quotes(comma_.cell) + " stand behind a comma, those of " +
                    in_quotes(point_.cell) + " (" + point_.place + ") behind a point",
                comma_.place, "write a point for the decimals, not a comma");
  by_comma_ = comma;
  if (point || comma || either_.cell.empty()) return;
  std::string decimal = either_.cell, whole = either_.cell;
  decimal[decimal.find(',')] = '.';
  std::erase(whole, ',');
  throw Error(in_quotes(either_.cell) + " may be " + decimal + " or " + whole, either_.place,
              "write a point for the decimals, and nothing between thousands");
}

std::string NumberMarks::plain(std::string_view cell) const {
  const std::optional<MarkedNumber> number = marked_number(cell);
  if (!number) return std::string(cell);
  const std::string body =
      by_comma_ ? with_point(number->body, ',', '.') : with_point(number->body, '.', ',');
  if (body.empty()) return std::string(cell);
  return std::string(number->sign) + body + std::string(number->exponent);
}

}  // namespace headlight
