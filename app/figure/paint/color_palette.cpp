#include "app/figure/paint/color_palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {
namespace {

constexpr std::array<int, 3> kShifts = {16, 8, 0};  // of red, green and blue

std::uint32_t rgb_of(Color color) {
  return std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b;
}

int channel(std::uint32_t rgb, int shift) {
  return static_cast<int>(rgb >> shift & 255u);
}

struct CountedColor {
  std::uint32_t rgb = 0;
  std::uint64_t count = 0;
};
using CountedColors = std::vector<CountedColor>;

// Colours that one of the palette stands for.
struct ColorBox {
  CountedColors::iterator begin, end;
  double error = 0;  // squared distances from the mean, of all pixels
  int shift = 0;     // of the channel in which it is longest
  int last = 0;      // of that channel: the largest number of the lower part, if it is cut

  ColorBox(CountedColors::iterator from, CountedColors::iterator to) : begin(from), end(to) {
    double longest = 0;
    for (const int of : kShifts) {
      double pixels = 0, sum = 0, squares = 0;
      int most = 0;
      for (auto at = begin; at != end; ++at) {
        const double value = channel(at->rgb, of), count = static_cast<double>(at->count);
        pixels += count;
        sum += count * value;
        squares += count * value * value;
        most = std::max(most, channel(at->rgb, of));
      }
      const bool one = std::all_of(begin, end, [&](const CountedColor& color) {
        return channel(color.rgb, of) == channel(begin->rgb, of);
      });
      const double part = one ? 0 : std::max(squares - sum * sum / pixels, 1e-9);
      error += part;
      if (part <= longest) continue;
      longest = part;
      shift = of;
      last = std::min(static_cast<int>(std::floor(sum / pixels)), most - 1);
    }
  }

  // Of equally frequent ones the first.
  Color color() const {
    const auto frequent = std::max_element(
        begin, end, [](const CountedColor& a, const CountedColor& b) { return a.count < b.count; });
    const auto part = [&](int of) { return static_cast<std::uint8_t>(channel(frequent->rgb, of)); };
    return {part(16), part(8), part(0), 255};
  }
};

}  // namespace

void ColorCounts::add(const FigurePixels& picture) {
  const std::vector<Color>& pixels = picture.pixels;
  // Most pixels have the colour of their neighbour.
  for (std::size_t begin = 0, end = 0; begin < pixels.size(); begin = end) {
    while (end < pixels.size() && pixels[end] == pixels[begin])
      ++end;
    counts_[rgb_of(pixels[begin])] += end - begin;
  }
}

std::vector<Color> ColorCounts::palette(std::size_t most) const {
  CountedColors colors;
  colors.reserve(counts_.size());
  for (const auto& [rgb, count] : counts_)
    colors.push_back({rgb, count});
  std::sort(colors.begin(), colors.end(),
            [](const CountedColor& a, const CountedColor& b) { return a.rgb < b.rgb; });
  std::vector<ColorBox> boxes;
  if (!colors.empty()) boxes.emplace_back(colors.begin(), colors.end());
  while (!boxes.empty() && boxes.size() < most) {
    const auto widest = std::max_element(
        boxes.begin(), boxes.end(), [](const ColorBox& a, const ColorBox& b) { return a.error < b.error; });
    if (widest->error == 0) break;  // each has one colour
    const ColorBox box = *widest;
    const auto middle = std::stable_partition(box.begin, box.end, [&](const CountedColor& color) {
      return channel(color.rgb, box.shift) <= box.last;
    });
    *widest = ColorBox(box.begin, middle);
    boxes.emplace_back(middle, box.end);
  }
  std::vector<Color> palette;
  palette.reserve(boxes.size());
  for (const ColorBox& box : boxes)
    palette.push_back(box.color());
  return palette;
}

std::uint8_t NearestColor::index(Color color) {
  const auto [at, added] = known_.try_emplace(rgb_of(color));
  if (!added) return at->second;
  const auto squared = [](int a, int b) { return (a - b) * (a - b); };
  const auto distance = [&](Color other) {
    return squared(color.r, other.r) + squared(color.g, other.g) + squared(color.b, other.b);
  };
  const auto nearest = std::min_element(palette_.begin(), palette_.end(),
                                        [&](Color a, Color b) { return distance(a) < distance(b); });
  at->second = static_cast<std::uint8_t>(nearest - palette_.begin());
  return at->second;
}

}  // namespace headlight
