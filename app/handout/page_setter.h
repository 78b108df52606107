// Sets paragraphs and pictures below each other on pages of paper.
#pragma once

#include <string>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

// A4 in planned pixels, 1/96 inch each, and the room that is left at its edges.
inline constexpr double kPageWidth = 793.7, kPageHeight = 1122.5, kPageMargin = 76;
inline constexpr double kTextWidth = kPageWidth - 2 * kPageMargin;

struct ParagraphLook {
  double size_px = 14;
  bool quiet = false;
  double indent_px = 0, space_above_px = 8;
  // What comes behind it stays on its page, as far as that fits: a heading is not left alone.
  double keep_with_next_px = 0;
};

class PageSetter {
 public:
  // measure: must live as long.
  PageSetter(const FigureStyle& style, const MeasureText& measure);

  // Breaks at spaces, and a word that is wider than the line in itself; a line break in the text is one here.
  void paragraph(const std::string& text, const ParagraphLook& look);
  // Centred; what is wider or higher than a page must be made smaller first. `above`: the space there.
  void picture(FigureGrid figure, double above_px);
  void new_page();
  void gap(double height_px) { y_ += height_px; }

  // With the title and the number of each page at its foot.
  std::vector<FigureGrid> take(const std::string& title);

 private:
  std::vector<std::string> lines_of(const std::string& text, double width, double size_px) const;
  void make_room(double height_px);

  const FigureStyle& style_;
  const MeasureText& measure_;
  std::vector<FigureGrid> pages_;
  double y_ = 0;
};

}  // namespace headlight
