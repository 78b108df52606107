#include "app/cli/text_line.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>

#include "app/cli/option_checks.h"

namespace headlight {

std::vector<std::int32_t> parse_numbers(const char* option, const std::string& text) {
  std::vector<std::int32_t> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    std::int32_t number = 0;
    const auto [next, failed] = std::from_chars(at, end, number);
    if (failed != std::errc() || number < 0 || (next != end && *next != ','))
      throw CLI::ValidationError(option, "'" + text + "' is not a list of numbers such as 0 or 0,2");
    numbers.push_back(number);
    if (next == end) return numbers;
    at = next + 1;
  }
}

void TextLine::add_text(CLI::App& command) {
  CLI::Option* text = command
                          .add_option_function<std::string>(
                              "--text",
                              [this](const std::string& typed) {
                                text_ = typed;
                                has_text_ = true;
                              },
                              "with a model's folder: the text that goes through it")
                          ->type_name("TEXT");
  command.add_option("--ids", ids_, "the same as ids of tokens: 1,2,3")->type_name("LIST")->excludes(text);
}

void TextLine::add_layer(CLI::App& command) {
  command.add_option("--layer", layer_, "with a model's folder, or arrays of several layers: which one")
      ->type_name("N")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""));
}

void TextLine::add_model(CLI::App& command) {
  command
      .add_option(
          "--model", model_,
          "with a session of a whole model: the model's folder or .gguf file, in place of the one that "
          "the session names")
      ->type_name("FOLDER")
      ->check(file_name());
}

GivenText TextLine::text() const {
  GivenText text;
  if (has_text_) text.words = text_;
  if (!ids_.empty()) text.ids = parse_numbers("--ids", ids_);
  return text;
}

Source TextLine::source(const std::string& path) const {
  Source source{path, text(), {}, {}, model_};
  if (layer_ >= 0) source.layer = layer_;
  return source;
}

}  // namespace headlight
