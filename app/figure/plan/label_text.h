// Measuring and shortening of labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// The height of a line of text of this size.
inline double line_height(double size_px) {
  return size_px * 1.2;
}

// Scales a length designed for labels of 12 px to the style's label size: gaps grow with the letters.
inline double scaled_px(const FigureStyle& style, double planned) {
  return planned * style.label_size_px / 12;
}
// scaled_px() in whole pixels, at least one: for lines and for the gap between cells and bar.
double whole_px(const FigureStyle& style, double planned);

// The text, or, if it has more than `most` bytes, its first and last letters, at most `most` bytes in all,
// around an ellipsis. Only these are read, however long the text is. Precondition: most >= 8.
std::string capped(const std::string& text, std::size_t most);

// In bytes, longer than any line on a page: only the two ends of a longer text are measured and drawn.
inline constexpr std::size_t kMostMeasured = 2000;

// A mark without width in front of a text that is to be set from right to left, whatever it begins with.
inline constexpr const char* kSetFromRight = "\u200F";
// Whether the text is read from right to left: its first letter is of Hebrew, Arabic or a script like them,
// or that mark.
bool reads_from_right(std::string_view text);

// Number of characters, counting a letter and its combining marks as one.
std::size_t character_count(const std::string& text);

// `text` if it is at most `max_px` wide; else as much of its beginning and end as fits around an ellipsis;
// empty if not even one letter fits. Only the ends of a text longer than kMostMeasured are measured.
std::string shortened(const std::string& text, double max_px, double size_px, const MeasureText& measure);

// Like shortened(), but of a name with a number only letters of its longest word are left out, as long as one
// of them fits, so that "L2 H1 queries" and "L2 H3 queries" stay apart: "L2 H1 q…s".
std::string shortened_name(const std::string& name, double max_px, double size_px,
                           const MeasureText& measure);

// The text in at most so many lines, broken at blanks; the last one is shortened(). At least one line.
std::vector<std::string> wrapped(const std::string& text, std::size_t lines, double max_px, double size_px,
                                 const MeasureText& measure);

}  // namespace headlight
