// A check that XML is well-formed, as far as figures use it: nested tags, escaped text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight_test {

// The first fault of the document, or "" if it is well-formed. Accepts the prologue and elements with
// attributes and text; no comments, no CDATA.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  bool had_root = false;
  const auto bad_text = [](std::string_view part) {
    for (std::size_t at = part.find('&'); at != std::string_view::npos; at = part.find('&', at + 1)) {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        known |= part.substr(at, entity.size()) == entity;
      if (!known) return true;
    }
    for (const char c : part)
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return true;
    return false;
  };
  while (!text.empty()) {
    const std::size_t begin = text.find('<');
    const std::string_view between = text.substr(0, begin);
    if (bad_text(between)) return "bad text: " + std::string(between);
    if (open.empty() && between.find_first_not_of('\n') != std::string_view::npos) return "text outside";
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('>', begin);
    if (end == std::string_view::npos) return "an open tag";
    std::string_view tag = text.substr(begin + 1, end - begin - 1);
    text.remove_prefix(end + 1);
    if (tag.starts_with('?')) continue;
    if (tag.find('<') != std::string_view::npos || bad_text(tag)) return "bad tag: " + std::string(tag);
    std::size_t quotes = 0;
    for (const char c : tag)
      quotes += c == '"';
    if (quotes % 2 != 0) return "an open quote: " + std::string(tag);
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (name.starts_with('/')) {
      if (open.empty() || "/" + open.back() != name) return "closed out of order: " + name;
      open.pop_back();
      continue;
    }
    if (open.empty() && had_root) return "a second root: " + name;
    had_root = true;
    if (!tag.ends_with('/')) open.push_back(name);
  }
  return !had_root ? "no element" : open.empty() ? "" : "never closed: " + open.back();
}

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace headlight_test
