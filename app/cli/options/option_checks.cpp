#include "app/cli/options/option_checks.h"

#include <charconv>
#include <string_view>

#include "engine/core/digits.h"

namespace headlight {
namespace {}  // namespace

OptionCheck number_between(double least, double most) {
  return [least, most](const std::string& text) -> std::string {
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool number = failed == std::errc() && end == digits.data() + digits.size();
    if (number && value >= least && value <= most) return "";
    return "'" + text + "' is no number from " + shortest_digits(least) + " to " + shortest_digits(most);
  };
}

OptionCheck file_name() {
  return [](const std::string& text) -> std::string {
    return text.empty() ? "the name is empty: give the name of a file" : "";
  };
}

}  // namespace headlight
