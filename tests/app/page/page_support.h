// The parts of a page as text.
#pragma once

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headlight_test {

// The text between two marks, the first of which ends the search for the other one.
inline std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t at = from + begin.size(), to = text.find(end, at);
  REQUIRE(to != std::string::npos);
  return text.substr(at, to - at);
}

inline std::string data_of(const std::string& html) {
  return between(html, "<script type=\"application/json\" id=\"data\">", "</script>");
}
inline std::string script_of(const std::string& html) {
  return between(html, "<script type=\"module\">", "</script>");
}
inline std::string style_of(const std::string& html) {
  return between(html, "<style>", "</style>");
}

// The tags of a page, without what stands in its scripts and its style: "p class=\"notes\"".
inline std::vector<std::string> tags_of(std::string html) {
  for (const std::string& inside : {data_of(html), script_of(html), style_of(html)})
    html.replace(html.find(inside), inside.size(), "");
  std::vector<std::string> tags;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1))
    tags.push_back(html.substr(at + 1, html.find('>', at) - at - 1));
  return tags;
}

}  // namespace headlight_test
