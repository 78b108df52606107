// Lays out paragraphs and pictures below each other on A4 pages.
#pragma once

#include <string>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "app/figure/plan/figure_grid.h"

namespace headlight {

// A4 and its margins in planned pixels of 1/96 inch.
inline constexpr double kPageWidth = 793.7, kPageHeight = 1122.5, kPageMargin = 76;
inline constexpr double kTextWidth = kPageWidth - 2 * kPageMargin;

struct ParagraphLook {
  double size_px = 14;
  bool quiet = false;
  double indent_px = 0, space_above_px = 8;
  // Height that must fit below the first line on the same page, so that a heading is not left alone.
  double keep_with_next_px = 0;
};

class PageSetter {
 public:
  // Both must outlive this.
  PageSetter(const FigureStyle& style, const MeasureText& measure);

  // Breaks lines at spaces and at line breaks of the text, and splits a word that is wider than a line.
  void paragraph(const std::string& text, const ParagraphLook& look);
  // Centred. Precondition: the figure fits on a page. `above_px`: space above it.
  void picture(FigureGrid figure, double above_px);
  // One drawing, in line with the text. `above_px`: space above it.
  void drawing(Drawing drawing, double above_px);
  // Ruled lines to write on.
  void ruled_lines(int count);
  void new_page();
  void gap(double height_px) { y_ += height_px; }
  const FigureStyle& style() const { return style_; }
  const MeasureText& measure() const { return measure_; }

  // The pages, with the title and "1 of 3" in their footers. `of`: that word.
  std::vector<FigureGrid> take(const std::string& title, const std::string& of);

 private:
  std::vector<std::string> lines_of(const std::string& text, double width, double size_px) const;
  void make_room(double height_px);

  const FigureStyle& style_;
  const MeasureText& measure_;
  std::vector<FigureGrid> pages_;
  double y_ = 0;
};

}  // namespace headlight
