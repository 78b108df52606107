#include "app/figure/plan/label_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace headlight {
namespace {

// Whether the byte at `at` belongs to the letter before it: a byte within a character, a combining
// diacritical mark (U+0300 to U+036F), a variation selector or a joiner.
bool belongs_to_previous(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if ((byte(at) & 0xC0) == 0x80) return true;  // not the first byte of a character
  if (byte(at) == 0xCC || (byte(at) == 0xCD && byte(at + 1) <= 0xAF)) return true;
  const bool joiner = byte(at) == 0xE2 && byte(at + 1) == 0x80 && byte(at + 2) == 0x8D;
  const bool selector = byte(at) == 0xEF && byte(at + 1) == 0xB8 && byte(at + 2) <= 0x8F;
  return joiner || selector;
}

// Where each character begins, and the end of the text.
std::vector<std::size_t> character_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 0 || !belongs_to_previous(text, i)) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

// The character that begins at `at`; 0 within a character or if the text ends in it.
char32_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return first;
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || at + bytes > text.size()) return 0;
  char32_t character = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    character = character << 6 | (byte(at + i) & 0x3Fu);
  return character;
}

struct Block {
  char32_t first, last;
  bool has(char32_t character) const { return character >= first && character <= last; }
};
// Of scripts that run from right to left, and of signs that run neither way.
constexpr Block kFromRight[] = {
    {0x590, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFE}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF}};
constexpr Block kNeither[] = {{0, 0x40}, {0x5B, 0x60}, {0x7B, 0xBF}, {0x660, 0x669}, {0x2000, 0x2BFF}};

template <std::size_t N>
bool is_in(const Block (&blocks)[N], char32_t character) {
  return std::any_of(std::begin(blocks), std::end(blocks),
                     [character](const Block& block) { return block.has(character); });
}

}  // namespace

bool reads_from_right(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t character = character_at(text, at);
    if (!is_in(kNeither, character)) return is_in(kFromRight, character);
  }
  return false;
}

double whole_px(const FigureStyle& style, double planned) {
  return std::max(1.0, std::round(scaled_px(style, planned)));
}

std::size_t character_count(const std::string& text) {
  return character_starts(text).size() - 1;
}

std::string capped(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t each = most / 2;
  std::size_t head = each, tail = text.size() - each;
  while (head > 0 && belongs_to_previous(text, head))
    --head;
  while (tail < text.size() && belongs_to_previous(text, tail))
    ++tail;
  return text.substr(0, head) + "\u2026" + text.substr(tail);
}

std::string shortened(const std::string& whole, double max_px, double size_px, const MeasureText& measure) {
  std::string text = capped(whole, kMostMeasured);
  if (measure(text, size_px, FontFace::Text).width <= max_px) return text;
  const std::vector<std::size_t> starts = character_starts(text);
  const std::size_t count = starts.size() - 1;
  auto keep = [&](std::size_t kept) {
    const std::size_t head = (kept + 1) / 2, tail = kept / 2;
    return text.substr(0, starts[head]) + "\u2026" + text.substr(starts[count - tail]);
  };
  // The longest that fits is in [low, high): the width grows with the number of characters.
  std::size_t low = 0, high = count;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (measure(keep(middle), size_px, FontFace::Text).width <= max_px ? low : high) = middle;
  }
  return low > 0 ? keep(low) : std::string();
}

std::string shortened_name(const std::string& name, double max_px, double size_px,
                           const MeasureText& measure) {
  const auto width = [&](const std::string& text) { return measure(text, size_px, FontFace::Text).width; };
  if (name.size() > kMostMeasured || name.find_first_of("0123456789") == std::string::npos ||
      width(name) <= max_px)
    return shortened(name, max_px, size_px, measure);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::size_t begin = 0, end = 0;
  for (std::size_t from = 0, to = 0; from < name.size(); from = to + 1) {
    to = from;
    while (to < name.size() && is_letter(name[to]))
      ++to;
    if (to - from <= end - begin) continue;
    begin = from;
    end = to;
  }
  const std::string before = name.substr(0, begin), behind = name.substr(end);
  const std::string word =
      shortened(name.substr(begin, end - begin), max_px - width(before) - width(behind), size_px, measure);
  const std::string whole = before + word + behind;
  return word.empty() || width(whole) > max_px ? shortened(name, max_px, size_px, measure) : whole;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t lines, double max_px, double size_px,
                                 const MeasureText& measure) {
  std::vector<std::string> all;
  std::string rest = text;
  while (all.size() + 1 < lines && rest.size() <= kMostMeasured &&
         measure(rest, size_px, FontFace::Text).width > max_px) {
    std::size_t end = 0;
    for (std::size_t at = rest.find(' '); at != std::string::npos; at = rest.find(' ', at + 1))
      if (measure(rest.substr(0, at), size_px, FontFace::Text).width <= max_px) end = at;
    if (end == 0) break;
    all.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  all.push_back(shortened(rest, max_px, size_px, measure));
  return all;
}

}  // namespace headlight
