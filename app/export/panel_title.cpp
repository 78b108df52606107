#include "app/export/panel_title.h"

#include <optional>

#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr const char* kKnown =
    "the names are {layer}, {head}, {stage}, {sequence} and {title}; a brace itself is {{ or }}";

std::optional<std::string> name_in(const std::string& word, const PanelNames& names) {
  if (word == "layer") return std::to_string(names.layer);
  if (word == "head") return std::to_string(names.head);
  if (word == "stage") return std::string(names.stage);
  if (word == "sequence") return std::to_string(names.sequence);
  if (word == "title") return names.title;
  return std::nullopt;
}

}  // namespace

std::string panel_title(const std::string& text, const PanelNames& names) {
  std::string filled;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool brace = c == '{' || c == '}';
    const bool twice = brace && at + 1 < text.size() && text[at + 1] == c;
    if (!brace || twice) {
      filled += c;
      at += twice ? 1 : 0;
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', at) : std::string::npos;
    if (end == std::string::npos)
      throw Error(std::string("there is a ") + c + " without its other brace in " + text, "panel title",
                  kKnown);
    const std::string word = text.substr(at + 1, end - at - 1);
    const auto name = name_in(word, names);
    if (!name) throw Error("there is nothing called {" + word + "}", "panel title", kKnown);
    filled += *name;
    at = end;
  }
  return filled;
}

void check_panel_title(const std::string& text) {
  panel_title(text, {});
}

}  // namespace headlight
