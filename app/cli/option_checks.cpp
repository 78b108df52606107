#include "app/cli/option_checks.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "engine/core/digits.h"

namespace headlight {

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

void add_changes(CLI::App& command, std::vector<std::string>& sources, const std::string& what) {
  command.add_option("--changes", sources, what)
      ->type_name("FILE")
      ->check(file_name())
      ->allow_extra_args(false);  // one at a time: else the next argument would be another one
}

std::string words_type(const std::string& name, const std::vector<std::string>& words) {
  std::string type = name + ":{";
  for (const std::string& word : words)
    type += (type.ends_with('{') ? "" : ",") + word;
  return type + "}";
}

std::pair<int, int> parse_pixels(const std::string& option, const std::string& text, int least, int most) {
  const auto number = [&](std::size_t begin, std::size_t end) {
    int value = 0;
    const auto [next, failed] = std::from_chars(text.data() + begin, text.data() + end, value);
    const bool good = failed == std::errc() && next == text.data() + end && value >= least && value <= most;
    if (!good)
      throw CLI::ValidationError(option, "'" + text + "' is not a size such as 1280x800 (" +
                                             std::to_string(least) + " to " + std::to_string(most) +
                                             " pixels)");
    return value;
  };
  const std::size_t cross = text.find('x');
  const std::size_t first_end = cross == std::string::npos ? text.size() : cross;
  const int width = number(0, first_end);
  return {width, number(std::min(first_end + 1, text.size()), text.size())};
}

}  // namespace headlight
