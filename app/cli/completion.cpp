#include "app/cli/completion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <regex>

namespace headlight {
namespace {

// What stands in the braces of "NAME:{a,b}".
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// The files that a description names by their endings, as in "the session (.headlight), or a model's folder".
std::string files_of(const CLI::Option& option) {
  const std::string& words = option.get_description();
  std::string files = "@files";
  const std::regex ending("\\.([a-z0-9]+)\\b");
  for (std::sregex_iterator at(words.begin(), words.end(), ending), none; at != none; ++at)
    files += " " + (*at)[1].str();
  const bool folder = files == "@files" && words.find("folder") != std::string::npos;
  return folder ? "@folders" : files;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool takes_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.empty() || type.starts_with("FILE") || type == "DIR" || type == "FOLDER" || type == "OUTPUT" ||
         type == "OTHER";
}

// Those that continue `begun`; of a list with commas its last word, behind the ones before it.
std::vector<std::string> continued(const std::vector<std::string>& candidates, const std::string& begun) {
  const std::size_t comma = begun.rfind(',');
  const std::string before = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
  std::vector<std::string> fitting;
  for (const std::string& candidate : candidates)
    if (candidate.starts_with('@') || candidate.starts_with(begun.substr(before.size())))
      fitting.push_back(candidate.starts_with('@') ? candidate : before + candidate);
  return fitting;
}

std::vector<std::string> value_candidates(const CLI::Option& option) {
  std::vector<std::string> values = values_of(option);
  if (values.empty() && takes_file(option)) values.push_back(files_of(option));
  return values;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.starts_with('-') ? command.get_option_no_throw(word) : nullptr;
}

// How many of the words are values of no option.
std::size_t positionals_in(const CLI::App& command, const std::vector<std::string>& words) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CLI::Option* before = i > 0 ? option_named(command, words[i - 1]) : nullptr;
    count += !words[i].starts_with('-') && !(before && takes_value(*before)) ? 1 : 0;
  }
  return count;
}

// The positional that the next word is for: the last one takes all that follow.
const CLI::Option* positional(const CLI::App& command, std::size_t index) {
  std::vector<const CLI::Option*> all;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) all.push_back(option);
  return all.empty() ? nullptr : all[std::min(index, all.size() - 1)];
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string& begun = words.back();
  std::vector<std::string> before(words.begin(), std::prev(words.end()));
  const CLI::App* command = &app;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto named = app.get_subcommands([&](const CLI::App* one) { return one->get_name() == before[i]; });
    if (named.empty()) continue;
    command = named.front();
    before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    break;
  }
  if (const CLI::Option* option = before.empty() ? nullptr : option_named(*command, before.back());
      option && takes_value(*option))
    return continued(value_candidates(*option), begun);
  if (begun.starts_with('-')) return continued(option_names(*command), begun);
  std::vector<std::string> candidates;
  if (const CLI::Option* next = positional(*command, positionals_in(*command, before)))
    candidates = value_candidates(*next);
  if (command == &app && before.empty())
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
      candidates.push_back(one->get_name());
  return continued(candidates, begun);
}

}  // namespace headlight
