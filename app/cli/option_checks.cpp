#include "app/cli/option_checks.h"

#include <CLI/CLI.hpp>

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

}  // namespace headlight
