#include "app/cli/options/option_checks.h"

#include <charconv>
#include <string_view>

namespace headlight {
namespace {

std::string short_number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

OptionCheck number_between(double least, double most) {
  return [least, most](const std::string& text) -> std::string {
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool number = failed == std::errc() && end == digits.data() + digits.size();
    if (number && value >= least && value <= most) return "";
    return "'" + text + "' is no number from " + short_number(least) + " to " + short_number(most);
  };
}

OptionCheck file_name() {
  return [](const std::string& text) -> std::string {
    return text.empty() ? "the name is empty: give the name of a file" : "";
  };
}

}  // namespace headlight
