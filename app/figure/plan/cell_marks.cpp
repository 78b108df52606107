#include "app/figure/plan/cell_marks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/hatching.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/share_text.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

// The least cell sizes for a mark in the cell, as an empty square, and for a line to the next cell.
constexpr double kBoxCell = 8, kSeparatedCell = 20;
// The sides of the corner of a cell that was masked before.
constexpr double kCorner = 7;
// The width of the mark of a number beyond the range, and how much it differs from its cell.
constexpr double kBeyondMark = 6;
constexpr float kMarkContrast = 0.8f;
// Below this size lines between cells would hide the cells.
constexpr double kLeastSeparated = 3;
// How far a zero among shares stands out from its cell.
constexpr double kQuietZero = 0.6;
// The symbols in a difference for cells that are infinite in one of the two states because they are masked.
constexpr const char* kAppeared = "new";
constexpr const char* kVanished = "gone";

// The format of the numbers of a whole heatmap: the same for all, so that they can be compared.
struct NumberForm {
  int decimals = 4;
  double size_px = 12;
  bool sign = true;  // of per cent
};

struct CellSize {
  double width = 0, height = 0;
};

CellSize cell_size(const PlannedCells& cells) {
  return {cells.rect.width / static_cast<double>(cells.columns),
          cells.rect.height / static_cast<double>(cells.rows)};
}

bool fits(std::size_t characters, double size_px, CellSize cell, const FigureStyle& style,
          const MeasureText& measure) {
  const double width = static_cast<double>(characters) * measure("0", size_px, FontFace::Number).width;
  return width + scaled_px(style, 6) <= cell.width &&
         line_height(size_px) + scaled_px(style, 2) <= cell.height;
}

double small_size(const FigureStyle& style) {
  return std::round(style.number_size_px * 5 / 6);
}

bool symbols_fit(CellSize cell, const FigureStyle& style, const MeasureText& measure) {
  return fits(3, small_size(style), cell, style, measure);
}

bool appeared_or_vanished(CellMark mark) {
  return mark == CellMark::Appeared || mark == CellMark::Vanished;
}

bool is_rough(const HeatmapFigure& figure, Index row, Index column) {
  return !figure.rough.empty() &&
         figure.rough[static_cast<std::size_t>(row * figure.tile->values.cols() + column)];
}

bool has_number(const Tile& tile, Index row, Index column) {
  const CellMark mark = tile.mark(row, column);
  return (mark == CellMark::None || appeared_or_vanished(mark)) && std::isfinite(tile.values(row, column));
}

// A share without the sign, in the fewest characters: "91", "<1".
std::string short_share(double share) {
  return share > 0 && share < 0.005 ? "<1" : share > 0.995 && share < 1 ? ">99" : number_text(100 * share, 0);
}

std::string text_of(const HeatmapFigure& figure, float value, const NumberForm& form) {
  if (!figure.percent) return number_text(value, form.decimals);
  if (value == 0) return "0";
  return form.sign ? share_text(double{value}, form.decimals) : short_share(double{value});
}

// The length in characters of the longest number of the tile.
std::size_t longest_number(const HeatmapFigure& figure, const NumberForm& form) {
  const Tile& tile = *figure.tile;
  std::size_t longest = 0;
  for (Index r = 0; r < tile.values.rows(); ++r)
    for (Index c = 0; c < tile.values.cols(); ++c)
      if (has_number(tile, r, c) && !is_rough(figure, r, c))
        longest = std::max(longest, character_count(text_of(figure, tile.values(r, c), form)));
  return longest;
}

// Of per cent first with a decimal, then without, then without the sign.
std::vector<NumberForm> forms_of(const HeatmapFigure& figure) {
  if (figure.percent) return {{std::min(figure.decimals, 1), 0, true}, {0, 0, true}, {0, 0, false}};
  std::vector<NumberForm> forms;
  for (int decimals = figure.decimals; decimals >= std::min(figure.decimals, 2); --decimals)
    forms.push_back({decimals, 0});
  return forms;
}

// The most decimals that fit, down to two, at the larger size if possible; none if no number fits.
std::optional<NumberForm> number_form(const HeatmapFigure& figure, CellSize cell, const FigureStyle& style,
                                      const MeasureText& measure) {
  if (figure.decimals < 0) return std::nullopt;
  const std::size_t shortest =
      figure.percent ? 1 : 2 + static_cast<std::size_t>(std::min(figure.decimals, 2));
  if (!fits(shortest, small_size(style), cell, style, measure)) return std::nullopt;
  for (NumberForm& form : forms_of(figure)) {
    const std::size_t longest = std::max<std::size_t>(longest_number(figure, form), 1);
    for (const double size_px : {style.number_size_px, small_size(style)}) {
      form.size_px = size_px;
      if (fits(longest, size_px, cell, style, measure)) return form;
    }
  }
  return std::nullopt;
}

PlannedText cell_text(std::string text, const Rect& cell, double size_px, Color color) {
  PlannedText planned;
  planned.text = std::move(text);
  planned.x = cell.x + cell.width / 2;
  planned.y = cell.y + cell.height / 2;
  planned.size_px = size_px;
  planned.face = FontFace::Number;
  planned.anchor = Anchor::Middle;
  planned.color = color;
  return planned;
}

// The symbol of a cell that has no number; "" for none.
std::string symbol_of(float value, CellMark mark) {
  if (mark == CellMark::Appeared) return kAppeared;
  if (mark == CellMark::Vanished) return kVanished;
  const bool empty = mark == CellMark::Dropped || mark == CellMark::Empty ||
                     (mark == CellMark::Masked && !std::isinf(value));
  return empty ? std::string() : number_text(value, 0);
}

// `show_symbols`: symbols of NaN and infinity are shown even if numbers do not fit.
void add_numbers(HeatmapPlan& plan, const HeatmapFigure& figure, const std::optional<NumberForm>& form,
                 bool show_symbols, const FigureStyle& style) {
  const Tile& tile = *figure.tile;
  for (Index r = 0; r < tile.values.rows(); ++r)
    for (Index c = 0; c < tile.values.cols(); ++c) {
      const float value = tile.values(r, c);
      const Rect cell = plan.cell_rect(r, c);
      if (is_rough(figure, r, c)) continue;
      if (has_number(tile, r, c)) {
        const Color ground = plan.cells.colors[static_cast<std::size_t>(r * plan.cells.columns + c)];
        const bool quiet = figure.percent && value == 0;
        const Color color = quiet ? mix(ground, text_on(ground), kQuietZero) : text_on(ground);
        if (form) plan.texts.push_back(cell_text(text_of(figure, value, *form), cell, form->size_px, color));
      } else if (show_symbols) {
        const CellMark mark = tile.mark(r, c);
        const bool quiet = mark == CellMark::Masked || mark == CellMark::Vanished;
        const Color color = std::isnan(value) ? style.error : quiet ? style.quiet_text : style.text;
        const double size_px = form ? form->size_px : small_size(style);
        const std::string symbol = symbol_of(value, mark);
        if (!symbol.empty()) plan.texts.push_back(cell_text(symbol, cell, size_px, color));
      }
    }
}

// The words of the cells, where they are high and wide enough for a few letters. In cells that are higher
// than wide, and too narrow for the longest word, all read upwards.
void add_cell_texts(HeatmapPlan& plan, const HeatmapFigure& figure, CellSize cell, const FigureStyle& style,
                    const MeasureText& measure) {
  const CellSize upwards = {cell.height, cell.width};
  if (!fits(3, style.number_size_px, cell.height > cell.width ? upwards : cell, style, measure)) return;
  const double padding = scaled_px(style, 6);
  double longest = 0;
  for (const std::string& text : figure.cell_texts)
    longest = std::max(longest, measure(text, style.number_size_px, FontFace::Text).width);
  const bool turned = cell.height > cell.width && longest > cell.width - padding;
  const CellSize line = turned ? upwards : cell;
  if (!fits(3, style.number_size_px, line, style, measure)) return;
  for (Index r = 0; r < plan.cells.rows; ++r)
    for (Index c = 0; c < plan.cells.columns; ++c) {
      const auto at = static_cast<std::size_t>(r * plan.cells.columns + c);
      PlannedText text =
          cell_text("", plan.cell_rect(r, c), style.number_size_px, text_on(plan.cells.colors[at]));
      text.face = FontFace::Text;
      text.text = shortened(figure.cell_texts[at], line.width - padding, text.size_px, measure);
      text.angle_deg = turned ? 90 : 0;
      if (!text.text.empty()) plan.texts.push_back(std::move(text));
    }
}

void hatch_masked(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style) {
  const Rect& cells = plan.cells.rect;
  plan.hatching = empty_hatching(style);
  if (std::min(cells.width, cells.height) < scaled_px(style, kLeastHatched)) return;
  add_hatching(
      plan.hatching, cells, plan.cells.rows, plan.cells.columns,
      [&](Index row, Index column) { return figure.tile->mark(row, column) == CellMark::Masked; }, style);
}

void add_dropped_squares(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style) {
  const CellSize cell = cell_size(plan.cells);
  const double smaller = std::min(cell.width, cell.height);
  if (smaller < scaled_px(style, kBoxCell)) return;
  const double side = std::max(4.0, std::floor(smaller * 0.5));
  const Color color = mix(style.neutral, style.quiet_text, 0.7);
  for (Index r = 0; r < figure.tile->values.rows(); ++r)
    for (Index c = 0; c < figure.tile->values.cols(); ++c) {
      if (figure.tile->mark(r, c) != CellMark::Dropped) continue;
      const Rect at = plan.cell_rect(r, c);
      const double x = std::floor(at.x + (at.width - side) / 2),
                   y = std::floor(at.y + (at.height - side) / 2);
      plan.boxes.push_back({{x, y, side, side}, whole_px(style, 1), color});
    }
}

// A corner in the text's colour on a cell that was masked before; a frame around one that is masked now.
void add_change_marks(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style) {
  const CellSize cell = cell_size(plan.cells);
  if (std::min(cell.width, cell.height) < scaled_px(style, kBoxCell)) return;
  const double inside = whole_px(style, 2);
  for (Index r = 0; r < figure.tile->values.rows(); ++r)
    for (Index c = 0; c < figure.tile->values.cols(); ++c) {
      const CellMark mark = figure.tile->mark(r, c);
      if (!appeared_or_vanished(mark)) continue;
      const Rect box = outset(plan.cell_rect(r, c), -inside);
      const double width = whole_px(style, 1), side = std::min(scaled_px(style, kCorner), box.width / 2);
      if (mark == CellMark::Vanished) {
        plan.boxes.push_back({box, width, mix(style.neutral, style.quiet_text, 0.7)});
      } else {
        const Color color = text_on(plan.cells.colors[static_cast<std::size_t>(r * plan.cells.columns + c)]);
        const double x = box.x + width / 2, y = box.y + width / 2;
        plan.lines.push_back({box.x, y, box.x + side, y, width, color});
        plan.lines.push_back({x, box.y, x, box.y + side, width, color});
      }
    }
}

// A chevron in the right corner of a cell whose number lies beyond a range that was chosen to leave some out.
void add_beyond_marks(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style) {
  const CellSize cell = cell_size(plan.cells);
  const double smaller = std::min(cell.width, cell.height);
  if (!figure.range.marked || smaller < scaled_px(style, kBoxCell)) return;
  const double inset = whole_px(style, 2), width = whole_px(style, 1);
  const double size = std::min(scaled_px(style, kBeyondMark), smaller - 2 * inset);
  const auto low = static_cast<float>(figure.range.low), high = static_cast<float>(figure.range.high);
  for (Index r = 0; r < plan.cells.rows; ++r)
    for (Index c = 0; c < plan.cells.columns; ++c) {
      const float value = figure.tile->values(r, c);
      const bool above = value > high;
      if (!has_number(*figure.tile, r, c) || is_rough(figure, r, c) || !(above || value < low)) continue;
      const Rect at = plan.cell_rect(r, c);
      const Color ground = plan.cells.colors[static_cast<std::size_t>(r * plan.cells.columns + c)];
      const Point tip = {at.right() - inset - size / 2, above ? at.y + inset : at.bottom() - inset};
      for (const PlannedLine& line :
           beyond_mark(tip, size, above, width, mix(ground, text_on(ground), kMarkContrast)))
        plan.lines.push_back(line);
    }
}

void add_separators(HeatmapPlan& plan, GridLines lines, const FigureStyle& style) {
  const CellSize cell = cell_size(plan.cells);
  const double least = lines == GridLines::Always ? kLeastSeparated : kSeparatedCell;
  if (lines == GridLines::Never || std::min(cell.width, cell.height) < scaled_px(style, least)) return;
  plan.cells.separated = true;
  const double width = whole_px(style, 1);
  const Rect& all = plan.cells.rect;
  for (Index c = 1; c < plan.cells.columns; ++c) {
    const double x = plan.cell_rect(0, c).x - width / 2;
    plan.lines.push_back({x, all.y, x, all.bottom(), width, style.background});
  }
  for (Index r = 1; r < plan.cells.rows; ++r) {
    const double y = plan.cell_rect(r, 0).y - width / 2;
    plan.lines.push_back({all.x, y, all.right(), y, width, style.background});
  }
}

// The colours of a picture are indices in a table: the map's 256 colours, then those of empty and of faulty
// cells. Many pictures of many cells change with every step of a drag, so the loops over cells have no
// branches and are vectorised.
constexpr int kColors = 256, kEmpty = kColors, kFault = kColors + 1;

using Places = Eigen::ArrayXi;

// std::isfinite in a form that loops vectorise.
bool is_finite(float value) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  return (std::bit_cast<std::uint32_t>(value) & kExponent) != kExponent;
}

// `above`: the distance of each value from the low end of the range; `width`: that of the high end.
template <class Above>
Places color_places(const Above& above, double width) {
  using Number = typename Above::Scalar;
  const auto factor = static_cast<Number>(std::min((kColors - 1) / width, 1e300));  // finite: 0 * factor is 0
  const auto inside = (above * factor).max(Number{0}).min(Number{kColors - 1});
  const Eigen::Array<Number, Eigen::Dynamic, 1> places = inside + Number{0.5};
  return places.template cast<int>();
}

Places color_places(const Eigen::ArrayXf& values, const ColorRange& range) {
  const double width = range.high - range.low;
  if (range.logarithmic)
    return color_places((values.cast<double>() / range.low).max(1e-300).log(),
                        std::log(range.high / range.low));
  // Values of ordinary size do not need double precision, and single takes half the time.
  constexpr double kTiny = 1e-30, kHuge = 1e30;
  if (width > kTiny && width < kHuge && std::abs(range.low) < kHuge)
    return color_places(values - static_cast<float>(range.low), width);
  return color_places(values.cast<double>() - range.low, width);
}

// Replaces the indices of cells that have no number by kEmpty or kFault; places: of the cells from `begin`
// on.
void mark_places(const Tile& tile, Index begin, Places& places) {
  const Index marked = std::clamp<Index>(static_cast<Index>(tile.marks.size()) - begin, 0, places.size());
  for (Index i = 0; i < places.size(); ++i)
    places(i) = is_finite(tile.values.data()[begin + i]) ? places(i) : kFault;
  for (Index i = 0; i < marked; ++i) {
    const CellMark mark = tile.marks[static_cast<std::size_t>(begin + i)];
    const bool hidden = (mark == CellMark::Masked) | (mark == CellMark::Dropped) | (mark == CellMark::Empty);
    const bool moved = (mark == CellMark::Appeared) | (mark == CellMark::Vanished);
    places(i) = hidden | (moved & (places(i) == kFault)) ? kEmpty : places(i);
  }
}

}  // namespace

std::vector<Color> cell_colors(const HeatmapFigure& figure, const Colormap& map, const FigureStyle& style,
                               double cell_width, double cell_height, const MeasureText& measure) {
  std::array<Color, kColors + 2> table;
  std::copy(map.table().begin(), map.table().end(), table.begin());
  table[kEmpty] = style.neutral;
  table[kFault] = symbols_fit({cell_width, cell_height}, style, measure) ? style.neutral : style.error;

  const Tile& tile = *figure.tile;
  const Index count = tile.values.size();
  std::vector<Color> colors(static_cast<std::size_t>(count));
  constexpr Index kBlock = 1 << 14;  // cells, whose intermediate results stay in the processor's cache
  for_each_index((count + kBlock - 1) / kBlock, static_cast<double>(count), [&](Index block) {
    const Index begin = block * kBlock;
    Eigen::ArrayXf finite(std::min(kBlock, count - begin));
    for (Index i = 0; i < finite.size(); ++i)
      finite(i) = is_finite(tile.values.data()[begin + i]) ? tile.values.data()[begin + i] : 0.0f;
    Places places = color_places(finite, figure.range);
    mark_places(tile, begin, places);
    for (Index i = 0; i < places.size(); ++i)
      colors[static_cast<std::size_t>(begin + i)] = table[static_cast<std::size_t>(places(i))];
  });
  return colors;
}

void add_cell_marks(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style,
                    const MeasureText& measure) {
  const CellSize cell = cell_size(plan.cells);
  const std::optional<NumberForm> form = number_form(figure, cell, style, measure);
  const bool symbols = symbols_fit(cell, style, measure);
  hatch_masked(plan, figure, style);
  add_separators(plan, figure.grid_lines, style);
  add_dropped_squares(plan, figure, style);
  add_change_marks(plan, figure, style);
  add_beyond_marks(plan, figure, style);
  const double line_width = whole_px(style, 1);
  plan.boxes.push_back({outset(plan.cells.rect, line_width), line_width, style.line});
  if (!figure.cell_texts.empty() && !figure.tile->pooled)
    add_cell_texts(plan, figure, cell, style, measure);
  else if (form || symbols)
    add_numbers(plan, figure, form, symbols, style);
}

}  // namespace headlight
