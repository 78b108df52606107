// Parts that the plans of motions share: matrices at rest in the upper half, lines of cells below them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/figure/motion/motion_plan.h"

namespace headlight {

// The colours of the cells of a matrix.
struct CellColors {
  Colormap map = Colormap::viridis();
  ColorRange range;
  Color of(double value) const;  // in the middle of the map for NaN
};

// A matrix as it is drawn small; several numbers of a large one share a cell.
struct MotionMatrix {
  std::string name;  // "Q", "W_query"
  Index rows = 1, columns = 1;
  std::vector<Color> colors;  // row by row; transparent: no number is there (masked)
};

// The room and the look of a motion, and what depends on them.
struct MotionRoom {
  const FigureStyle& style;
  double width = 0, height = 0;
  const MeasureText& measure;
};

// The moments that the motions have in common.
inline constexpr double kAppear = 0.06;  // what lifts has appeared over its matrix
inline constexpr double kLifted = 0.3;   // it has come to the lines below
inline constexpr double kFall = 0.84;    // the result begins to fall into its place
inline constexpr double kFallen = 0.97;  // it is there
inline constexpr double kGone = 0.92;    // what it was made of has faded

inline constexpr double kMostLine = 30;  // height of a line of cells below the matrices, in planned pixels

inline Color hidden(Color color) {
  return with_opacity(color, 0);
}

class MotionMaker {
 public:
  explicit MotionMaker(const MotionRoom& room);

  // Lays the matrices side by side into the upper part, with a sign between two of them. Returns their
  // rectangles.
  std::vector<Rect> matrices(const std::vector<const MotionMatrix*>& all,
                             const std::vector<std::string>& signs);
  // The room below the matrices.
  const Rect& work() const { return work_; }
  // `count` lines of equal height, one below the other, over the width of the work.
  std::vector<Rect> lines(std::size_t count, double most_height) const;
  // The labels at the left of the lines, if there is room; returns the lines without the labels' column.
  // `shown`: when each label appears.
  std::vector<Rect> label_lines(const std::vector<Rect>& lines, const std::vector<std::string>& labels,
                                const std::vector<double>& shown);

  // Empties the place of the result in its matrix, and outlines it.
  void open_place(const Rect& place);
  // An outline in the colour of the selection that appears over `place` and is gone at `gone`.
  void outline(const Rect& place, double gone);

  // Adds an actor; the keys' colours contain the opacity.
  MotionActor& cell(std::vector<MotionActor::Key> keys);
  // Not added if it is wider than `width` or higher than its places.
  MotionActor* number(const std::string& text, double width, std::vector<MotionActor::Key> keys);
  // In the font of labels, shortened to `width`; not added if no letter fits.
  MotionActor* label(const std::string& text, const Rect& place, Anchor anchor, Color color, double shown,
                     double gone = 2);
  // Whether a number of this text fits into a cell.
  bool fits(const std::string& text, double width, double height) const;
  double text_width(const std::string& text, FontFace face) const;

  void step(double end, const std::string& caption) { plan_.steps.push_back({end, caption}); }
  MotionPlan finished(double seconds);

  const FigureStyle& style() const { return room_.style; }
  double px(double planned) const { return planned * room_.style.label_size_px / 12; }

 private:
  void add_matrix(const MotionMatrix& matrix, const Rect& rect);

  const MotionRoom& room_;
  double digit_ = 0;  // width of a digit of a number
  Rect top_, work_;
  MotionPlan plan_;
};

// The rectangle of a cell; of a row if `column` is -1, of a column if `row` is -1.
Rect cell_of(const Rect& matrix, const MotionMatrix& shape, Index row, Index column);
// The rectangle of place `at` of `count` along the line.
Rect slot_of(const Rect& line, Index at, Index count);
Rect inset(const Rect& rect, double by);  // never less than nothing

// How the numbers of one line of cells are written: the most decimals with which all fit, at most
// `most_decimals`; nullopt if none does.
std::optional<int> fitting_decimals(const MotionMaker& maker, std::span<const float> values, double slot,
                                    double height, int most_decimals);

}  // namespace headlight
