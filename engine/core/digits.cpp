#include "engine/core/digits.h"

#include <array>
#include <charconv>
#include <cmath>

namespace headlight {
namespace {

template <class Number, class... Form>
std::string digits_of(Number value, Form... form) {
  std::array<char, 400> buffer;  // of the largest double with 9 decimals
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form...).ptr;
  return {buffer.data(), end};
}

}  // namespace

std::string shortest_digits(double value) {
  return digits_of(value);
}

std::string shortest_digits(float value) {
  return digits_of(value);
}

std::string fixed_digits(double value, int decimals) {
  return digits_of(value, std::chars_format::fixed, decimals);
}

std::string significant_digits(double value, int digits) {
  return digits_of(value, std::chars_format::general, digits);
}

std::string table_digits(double value, int decimals) {
  constexpr double kMostFixed = 1e6;
  return std::abs(value) < kMostFixed ? fixed_digits(value, decimals)
                                      : digits_of(value, std::chars_format::scientific, decimals);
}

std::string four_decimals(double value) {
  return fixed_digits(value, 4);
}

std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  std::string number = std::to_string(count);
  for (std::size_t at = number.size(); at > 3; at -= 3)
    number.insert(at - 3, ",");
  return number + " " + std::string(count == 1 ? one : several);
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (size >= 999.5 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return fixed_digits(size, size < 9.95 ? 1 : 0) + " " + kUnits[unit];
}

void append_float(std::string& text, float value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  char buffer[64];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  // The shortest digits are exact for a parser of float32. A parser of float64 rounds twice, which in rare
  // cases gives the neighbouring float32; nine digits are always exact.
  double read = 0;
  std::from_chars(buffer, end, read);
  if (static_cast<float>(read) != value)
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 9).ptr;
  text.append(buffer, end);
}

}  // namespace headlight
