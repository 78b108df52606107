#include "app/ui/widgets/number_cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "engine/core/ascii.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/expression.h"

namespace headlight {
namespace {

constexpr std::string_view kMinus = "\u2212";
constexpr int kMostDecimals = 4;
constexpr int kLongestScientific = 9;    // −1.23e-45
constexpr float kLargestPlain = 1e6f;    // from here on "1.2e6" is shorter
constexpr float kSmallestPlain = 1e-4f;  // below it four decimals would show next to nothing

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string quoted(std::string_view text) {
  std::string result(1, '"');
  result += text;
  result += '"';
  return result;
}

std::string with_ascii_minus(std::string text) {
  for (std::size_t at; (at = text.find(kMinus)) != std::string::npos;)
    text.replace(at, kMinus.size(), 1, '-');
  return text;
}

std::string with_true_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, kMinus);
  return text;
}

ParsedNumber refused(std::string message) {
  return {std::nullopt, std::move(message)};
}

std::string why_not_a_number(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma != std::string_view::npos && text.find(',', comma + 1) == std::string_view::npos) {
    std::string mended(text);
    mended[comma] = '.';
    if (parse_number(mended).value)
      return quoted(text) + " is not a number: write " + mended + " with a point";
  }
  return quoted(text) + " is not a number: write one like 0.43, -2 or 1e-3";
}

// Whether the text is more than a number: it has an operator, a parenthesis or a name.
bool is_arithmetic(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool exponent = (c == 'e' || c == 'E') && i > 0 && text[i - 1] >= '.' && text[i - 1] <= '9';
    const bool sign = (c == '+' || c == '-') && (i == 0 || text[i - 1] == 'e' || text[i - 1] == 'E');
    if ((is_letter(c) && !exponent) ||
        (!sign && std::string_view("+-*/^()").find(c) != std::string_view::npos))
      return true;
  }
  return false;
}

template <typename... Format>
std::string chars_of(float value, Format... format) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return {buffer.data(), result.ptr};
}

bool plain(float value) {
  const float magnitude = std::abs(value);
  return magnitude == 0 || (magnitude < kLargestPlain && magnitude >= kSmallestPlain);
}

// Whether the number rounded to multiples of 1 / power reads back as itself. Plain numbers only. Adding and
// subtracting 1.5 * 2^52, where a double has no fraction bits, rounds to the nearest whole number and lets
// the loop over a large matrix vectorize.
bool reads_back(float value, double power) {
  constexpr double kNoFraction = 0x1.8p52;
  const double rounded = (value * power + kNoFraction) - kNoFraction;
  return static_cast<float>(rounded / power) == value;
}

// The fewest decimals that read back as the same number, at most four.
int decimals_needed(float value) {
  double power = 1;
  for (int decimals = 0; decimals < kMostDecimals; ++decimals, power *= 10) {
    if (reads_back(value, power)) return decimals;
  }
  return kMostDecimals;
}

// "1.20e+08" becomes "1.2e8".
std::string short_scientific(float value) {
  std::string text = chars_of(value, std::chars_format::scientific, 2);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  while (digits.ends_with('0'))
    digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  int exponent = 0;
  const char* from = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(from, text.data() + text.size(), exponent);
  return digits + "e" + std::to_string(exponent);
}

}  // namespace

ParsedNumber parse_decimal(std::string text) {
  std::replace(text.begin(), text.end(), ',', '.');
  return parse_number(text);
}

std::string refuse_decimal(const std::string& text) {
  return parse_decimal(text).message;
}

std::optional<Index> parse_index(std::string_view text) {
  Index value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

ParsedNumber parse_number(const std::string& typed) {
  const std::string ascii = with_ascii_minus(typed);
  const std::string_view text = without_blanks(ascii);
  if (text.empty()) return refused("the cell is empty: write a number, or press Escape to keep the old one");
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-' && digits[1] != '+')
    digits.remove_prefix(1);

  float value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, value);
  if (failure == std::errc::invalid_argument || stop != end) return refused(why_not_a_number(text));
  if (failure == std::errc::result_out_of_range) {
    // from_chars does not change its result when a number is outside float64, for 1e-400 as for 1e400.
    const double wide = std::strtod(std::string(digits).c_str(), nullptr);
    return refused(std::abs(wide) < 1 ? quoted(text) + " is too small for float32: write 0"
                                      : quoted(text) + " is too large for float32: at most 3.4e38");
  }
  if (!std::isfinite(value))
    return refused(quoted(text) + " is refused: every input must be a finite number");
  double as_double = 0;
  std::from_chars(digits.data(), end, as_double);
  return {value, {}, as_double};
}

std::string arithmetic_text(const std::string& typed) {
  std::string ascii = with_ascii_minus(typed);
  std::string_view text = without_blanks(ascii);
  if (text.starts_with('=')) text = without_blanks(text.substr(1));
  return std::string(text);
}

ParsedNumber number_for(InputKind kind, double result) {
  if (std::abs(result) > std::numeric_limits<float>::max())
    return refused("the result is too large for float32: at most 3.4e38");
  const auto value = static_cast<float>(result);
  if (kind == InputKind::Mask && value != 0.0f && value != 1.0f)
    return refused("a mask holds 0 (blocked) or 1 (may attend)");
  return {value, {}};
}

ParsedNumber parse_number_for(InputKind kind, const std::string& typed, float x) {
  const std::string text = arithmetic_text(typed);
  ParsedNumber parsed = parse_number(text);
  if (parsed.value) return number_for(kind, *parsed.value);
  if (!is_arithmetic(text) || text.find("nan") <= 1 || text.find("inf") <= 1) return parsed;
  try {
    return number_for(kind, Expression(text).at(x));
  } catch (const Error& error) {
    return refused(error.what());
  }
}

std::string exact_number_text(float value) {
  return chars_of(value);
}

std::string plain_number(double value) {
  // 500000 rather than the shorter 5e+05.
  const bool whole = value == std::floor(value) && std::abs(value) < 1e9;
  return whole ? fixed_digits(value, 0) : shortest_digits(value);
}

std::string refuse_theta(const std::string& text) {
  const ParsedNumber number = parse_number(text);
  if (!number.value) return number.message;
  return *number.value > 0 ? "" : text + " is no theta: give a number above 0, such as 10000";
}

std::string cell_text(float value) {
  if (value == 0) return "0";
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return with_true_minus(value < 0 ? "-inf" : "inf");
  if (!plain(value)) return with_true_minus(short_scientific(value));
  return with_true_minus(chars_of(value, std::chars_format::fixed, decimals_needed(value)));
}

NumberWidth number_width(const std::string& cell_text) {
  const int minus_bytes = cell_text.starts_with(kMinus) ? static_cast<int>(kMinus.size()) - 1 : 0;
  const std::size_t point = cell_text.find('.');
  const auto size = static_cast<int>(cell_text.size());
  // Numbers in scientific notation are not aligned on the point but at the right.
  if (cell_text.find('e') != std::string::npos || point == std::string::npos) return {size - minus_bytes, 0};
  return {static_cast<int>(point) - minus_bytes, size - static_cast<int>(point)};
}

NumberWidth number_width(const Matrix& matrix) {
  NumberWidth widest;
  if (matrix.size() == 0) return widest;
  const float least = matrix.minCoeff<Eigen::PropagateNumbers>();
  for (float extreme : {least, matrix.maxCoeff<Eigen::PropagateNumbers>()})
    if (plain(extreme)) widest.before = std::max(widest.before, number_width(cell_text(extreme)).before);
  int decimals = 0;
  double power = 1;
  constexpr Index kAtATime = 64;
  for (Index begin = 0; begin < matrix.size() && decimals < kMostDecimals; begin += kAtATime) {
    const Index end = std::min(begin + kAtATime, matrix.size());
    int too_long = 0;
    for (Index i = begin; i < end; ++i)
      too_long += reads_back(matrix.data()[i], power) ? 0 : 1;
    if (too_long == 0) continue;
    for (Index i = begin; i < end; ++i)
      if (plain(matrix.data()[i])) decimals = std::max(decimals, decimals_needed(matrix.data()[i]));
    power = std::pow(10.0, decimals);
  }
  widest.after = decimals > 0 ? decimals + 1 : 0;
  // Numbers not aligned on the point, such as 1.2e-7, are aligned at the right.
  constexpr int kNaN = 3;
  if (matrix.hasNaN()) widest.before = std::max(widest.before, kNaN - widest.after);
  const auto magnitudes = matrix.array().abs();
  if ((magnitudes >= kLargestPlain || (magnitudes < kSmallestPlain && magnitudes > 0)).any()) {
    const int longest = kLongestScientific - (least < 0 ? 0 : 1);
    widest.before = std::max(widest.before, longest - widest.after);
  }
  return widest;
}

}  // namespace headlight
