// Labels that must fit: shortening and measuring.
#pragma once

#include <string>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// The height that a line of text of this size needs.
inline double line_height(double size_px) {
  return size_px * 1.2;
}

// What one pixel of the look's pages is in the style's pixels: gaps grow with the letters.
inline double look_px(const FigureStyle& style, double planned) {
  return planned * style.label_size_px / 12;
}
// The same in whole pixels, at least one: for lines and for what lies between cells and bar.
double whole_px(const FigureStyle& style, double planned);

// The text, or the first and the last letters of one that has more than `most` bytes, at most so many in all,
// around an ellipsis. Only these are looked at, however long the text is. Precondition: most >= 8.
std::string capped(const std::string& text, std::size_t most);

// More of one line than any page has room for, in bytes: what is longer is measured and drawn by its ends.
inline constexpr std::size_t kMostMeasured = 2000;

// Number of characters, counting a letter and its combining marks as one.
std::size_t character_count(const std::string& text);

// `text` if it is at most `max_px` wide; else as much of its beginning and end as fits around an ellipsis;
// empty when not even one letter fits. Of an absurdly long text only the ends are measured.
std::string shortened(const std::string& text, double max_px, double size_px, const MeasureText& measure);

}  // namespace headlight
