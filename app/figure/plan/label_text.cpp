#include "app/figure/plan/label_text.h"

#include <algorithm>
#include <cmath>
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

}  // namespace

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

}  // namespace headlight
