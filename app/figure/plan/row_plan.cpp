#include "app/figure/plan/row_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figure/plan/axis_labels.h"
#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/hatching.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/share_text.h"

namespace headlight {
namespace {

constexpr double kGutterGap = 12, kLaneGap = 6, kWidestRowBar = 64, kMostLabel = 90, kTick = 4, kTickGap = 4;
constexpr double kShareLane = 4;         // how much higher the lane of shares is than another
constexpr std::size_t kMostTallest = 5;  // labelled bars of one stage

// The range of zero and all finite values of both rows.
ColorRange scale_of(const RowSummary& a, const RowSummary& b) {
  ColorRange range = {0, 0};
  for (const RowSummary* row : {&a, &b})
    for (const float value : row->values)
      if (std::isfinite(value)) {
        range.low = std::min(range.low, static_cast<double>(value));
        range.high = std::max(range.high, static_cast<double>(value));
      }
  return range;
}

// The format of the numbers on the bars, the same for all.
struct BarNumberForm {
  int decimals = 4;
  double size_px = 12;
};

bool written(const RowBars& bars, std::size_t i) {
  return bars.marks[i] == CellMark::None;
}

std::string bar_number(const RowFigure& figure, const RowBars& bars, double value, int decimals) {
  if (bars.share && figure.percent) return share_text(value);
  return number_text(value, bars.share ? decimals : std::min(decimals, 2));
}

double widest_number(const RowFigure& figure, int decimals, double size_px, const MeasureText& measure) {
  std::size_t longest = 1;
  for (const RowBars& bars : figure.stages)
    for (std::size_t i = 0; i < bars.values.size(); ++i)
      if (written(bars, i))
        longest = std::max(longest, character_count(bar_number(figure, bars, bars.values[i], decimals)));
  return static_cast<double>(longest) * measure("0", size_px, FontFace::Number).width;
}

std::optional<BarNumberForm> number_form(const RowFigure& figure, double pitch, const FigureStyle& style,
                                         const MeasureText& measure) {
  const double small = std::round(style.number_size_px * 5 / 6), gap = scaled_px(style, 4);
  // Numbers of dozens of narrow columns need not be measured.
  if (pitch < 3 * measure("0", small, FontFace::Number).width + gap) return std::nullopt;
  for (int decimals = figure.decimals; decimals >= std::min(figure.decimals, 2); --decimals)
    for (const double size_px : {style.number_size_px, small})
      if (widest_number(figure, decimals, size_px, measure) + gap <= pitch)
        return BarNumberForm{decimals, size_px};
  return std::nullopt;
}

// The lane of one stage: maps values to y coordinates.
class Lane {
 public:
  Lane(const Rect& rect, const RowBars& bars, double text_room) : rect_(rect), share_(bars.share) {
    low_ = std::min(0.0, bars.range.low);
    high_ = std::max(0.0, bars.range.high);
    if (high_ - low_ <= 0) high_ = low_ + 1;
    // Numbers are beyond the ends of the bars.
    top_ = rect.y + (high_ > 0 ? text_room : 0);
    bottom_ = rect.bottom() - (low_ < 0 ? text_room : 0);
  }
  ColorRange range() const { return {low_, high_}; }
  double height() const { return bottom_ - top_; }
  double y_of(double value) const {
    const double inside = std::clamp(value, low_, high_);
    return bottom_ - (bottom_ - top_) * (inside - low_) / (high_ - low_);
  }
  const Rect& rect() const { return rect_; }
  bool share() const { return share_; }

 private:
  Rect rect_;
  bool share_ = false;
  double low_ = 0, high_ = 1, top_ = 0, bottom_ = 0;
};

class RowPlanner {
 public:
  RowPlanner(const RowFigure& figure, const FigureStyle& style, const MeasureText& measure)
      : figure_(figure), style_(style), measure_(measure), line_(line_height(style.label_size_px)) {}

  RowPlan plan(double width, double height) {
    plan_.drawing.width = width;
    plan_.drawing.height = height;
    plan_.drawing.hatching = empty_hatching(style_);
    plan_.column_count = static_cast<Index>(figure_.labels.size());
    if (plan_.column_count == 0 || figure_.stages.empty()) return std::move(plan_);
    place_lanes(width, height);
    if (plan_.columns.width <= 0 || plan_.columns.height <= 0) return std::move(plan_);
    add_band(figure_.chosen, 0.20);
    if (figure_.pointed != figure_.chosen) add_band(figure_.pointed, 0.12);
    if (figure_.numbers) form_ = number_form(figure_, pitch(), style_, measure_);
    for (std::size_t i = 0; i < figure_.stages.size(); ++i)
      add_stage(figure_.stages[i], plan_.lanes[i]);
    return std::move(plan_);
  }

 private:
  double pitch() const { return plan_.columns.width / static_cast<double>(plan_.column_count); }

  double gutter_width() const {
    double widest = 0;
    for (const RowBars& bars : figure_.stages) {
      widest = std::max(widest, measure_(bars.name, style_.label_size_px, FontFace::Text).width);
      widest = std::max(widest, measure_(bars.note, style_.label_size_px, FontFace::Text).width);
    }
    return std::ceil(widest) + scaled_px(style_, kGutterGap);
  }

  // The width of the widest labels of the value axes, with their ticks; 0 without axes.
  double axis_width(double height) const {
    if (!figure_.value_axis) return 0;
    double widest = 0;
    const std::vector<double> lanes = lane_heights(height);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (has_axis(lanes[i]))
        for (const BarTick& tick : ticks_of(Lane({0, 0, 0, lanes[i]}, figure_.stages[i], 0)))
          widest = std::max(widest, measure_(tick.label, style_.label_size_px, FontFace::Text).width);
    return widest > 0 ? std::ceil(widest) + scaled_px(style_, kTick + 2 * kTickGap) : 0;
  }

  bool has_axis(double lane) const { return lane >= 3 * line_; }

  // The heights of the lanes, with their gaps as high as `height`.
  std::vector<double> lane_heights(double height) const {
    double parts = 0;
    for (const RowBars& bars : figure_.stages)
      parts += bars.share ? kShareLane : 1;
    const double gaps = scaled_px(style_, kLaneGap) * static_cast<double>(figure_.stages.size() - 1);
    std::vector<double> lanes;
    for (const RowBars& bars : figure_.stages)
      lanes.push_back((height - gaps) * (bars.share ? kShareLane : 1) / parts);
    return lanes;
  }

  // None and all, and in a lane with the room the half or the quarters between them.
  std::vector<BarTick> share_ticks(const Lane& lane) const {
    const int parts = lane.height() >= 8 * line_ ? 4 : lane.height() >= 4 * line_ ? 2 : 1;
    std::vector<BarTick> ticks;
    for (int i = 0; i <= parts; ++i) {
      const double share = static_cast<double>(i) / parts;
      ticks.push_back({share, figure_.percent ? share_digits(share) : number_text(share, parts > 2 ? 2 : 1)});
    }
    if (figure_.percent) ticks.back().label += " %";
    return ticks;
  }

  // Zero is one of the ticks, and no other is so close to it that their labels touch.
  std::vector<BarTick> ticks_of(const Lane& lane) const {
    if (lane.share()) return share_ticks(lane);
    std::vector<BarTick> ticks = bar_ticks(lane.range(), lane.height(), line_);
    const auto touches = [&](const BarTick& tick) {
      return tick.value != 0 && std::abs(lane.y_of(tick.value) - lane.y_of(0)) < line_;
    };
    std::erase_if(ticks, touches);
    if (std::none_of(ticks.begin(), ticks.end(), [](const BarTick& tick) { return tick.value == 0; }))
      ticks.push_back({0, "0"});
    return ticks;
  }

  void add_value_axis(const Lane& lane) {
    const double right = plan_.columns.x, tick_px = scaled_px(style_, kTick), width = whole_px(style_, 1);
    const ColorRange range = lane.range();
    plan_.drawing.lines.push_back(
        {right, lane.y_of(range.high), right, lane.y_of(range.low), width, style_.line});
    for (const BarTick& tick : ticks_of(lane)) {
      const double y = lane.y_of(tick.value);
      plan_.drawing.lines.push_back({right - tick_px, y, right, y, width, style_.line});
      if (lane.share())  // below the bars
        plan_.drawing.fills.push_back({{right, y - width / 2, plan_.columns.width, width}, style_.line});
      plan_.drawing.texts.push_back(planned_label(style_, tick.label,
                                                  right - tick_px - scaled_px(style_, kTickGap), y,
                                                  Anchor::End, style_.quiet_text));
    }
  }

  // The names of the stages are at the left, the keys at the top, the lanes below them.
  void place_lanes(double width, double height) {
    names_ = gutter_width();
    const double axis_room = axis_width(height);
    axis_ = axis_room > 0 && names_ + axis_room <= width * 0.35 ? axis_room : 0;
    const double left = names_ + axis_, room = std::max(0.0, width - left);
    const LabelAxis axis = {figure_.labels, [](Index i) { return i; }, plan_.column_count};
    const double pitch = std::max(room / static_cast<double>(plan_.column_count), 1e-3);
    LabelLayout labels = fit_column_labels(axis, pitch, scaled_px(style_, kMostLabel), style_, measure_);
    const double overhang = std::max(0.0, labels.overhang_px - pitch / 2);
    double top = labels.extent_px > 0 ? labels.extent_px + scaled_px(style_, kColumnLabelGap) : 0;
    if (top > height * 0.35) {
      labels.extent_px = 0;
      top = 0;
    }
    const double right = std::min(labels.extent_px > 0 ? overhang : 0.0, room * 0.2);
    plan_.columns = {left, top, room - right, height - top};
    PlannedCells cells;
    cells.rect = plan_.columns;
    cells.rows = 1;
    cells.columns = plan_.column_count;
    plan_.drawing.texts = place_column_labels(axis, labels, cells, style_, measure_);
    double y = top;
    for (const double lane : lane_heights(plan_.columns.height)) {
      plan_.lanes.push_back({left, y, plan_.columns.width, lane});
      y += lane + scaled_px(style_, kLaneGap);
    }
  }

  void add_band(Index column, double opacity) {
    if (column < 0 || column >= plan_.column_count) return;
    const double x = plan_.columns.x + pitch() * static_cast<double>(column);
    plan_.drawing.fills.push_back(
        {{x, 0, pitch(), plan_.drawing.height}, with_opacity(style_.accent, opacity)});
  }

  void add_stage(const RowBars& bars, const Rect& rect) {
    const bool numbers = has_numbers(rect), tallest = figure_.numbers && !form_ && rect.height >= 3 * line_;
    const double above = numbers ? line_height(form_->size_px) : tallest ? line_ : scaled_px(style_, 2);
    const Lane lane(rect, bars, above);
    add_names(bars, lane);
    if (axis_ > 0 && has_axis(rect.height)) add_value_axis(lane);
    const double zero = lane.y_of(0), width = whole_px(style_, 1);
    plan_.drawing.lines.push_back({rect.x, zero, rect.right(), zero, width, style_.line});
    std::size_t masked_from = 0;
    for (std::size_t i = 0; i <= bars.values.size(); ++i) {
      if (i < bars.values.size() && bars.marks[i] == CellMark::Masked) continue;
      if (i > masked_from) add_masked(bars, lane, masked_from, i);
      masked_from = i + 1;
      if (i < bars.values.size()) add_bar(bars, lane, i);
    }
    if (tallest) name_tallest(bars, lane);
  }

  // Whether the numbers stand on the bars of a lane.
  bool has_numbers(const Rect& lane) const {
    return form_ && lane.height >= 2.2 * line_height(std::round(style_.number_size_px * 5 / 6));
  }

  // Adds token and number at the ends of the tallest bars, if they touch neither one another nor a bar.
  void name_tallest(const RowBars& bars, const Lane& lane) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < bars.values.size(); ++i)
      if (written(bars, i) && std::isfinite(bars.values[i]) && bars.values[i] != 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&bars](std::size_t a, std::size_t b) {
      return std::abs(bars.values[a]) > std::abs(bars.values[b]);
    });
    // Bars after these candidates are not tall.
    order.resize(std::min(order.size(), 8 * kMostTallest));
    std::vector<Rect> taken;
    for (const std::size_t i : order) {
      if (taken.size() == kMostTallest) return;
      const double value = bars.values[i];
      PlannedText text =
          number(spoken_label(figure_.labels[i]) + "  " + bar_number(figure_, bars, value, figure_.decimals),
                 i, lane.y_of(value) + (value < 0 ? line_ : -line_) / 2, style_.text);
      text.face = FontFace::Text;
      const double width = measure_(text.text, text.size_px, text.face).width;
      if (width > plan_.columns.width) continue;
      text.x = std::max(plan_.columns.x + width / 2, std::min(text.x, plan_.columns.right() - width / 2));
      const Rect rect = {text.x - width / 2, text.y - line_ / 2, width, line_};
      if (covers_bar(rect, bars, lane, value) || touches_any(rect, taken)) continue;
      taken.push_back(outset(rect, scaled_px(style_, 3)));
      plan_.drawing.texts.push_back(std::move(text));
    }
  }

  static bool touches_any(const Rect& rect, const std::vector<Rect>& taken) {
    return std::any_of(taken.begin(), taken.end(), [&rect](const Rect& other) {
      return rect.x < other.right() && rect.right() > other.x && rect.y < other.bottom() &&
             rect.bottom() > other.y;
    });
  }

  // Whether `rect` covers a bar that extends farther than this value, or a masked column.
  bool covers_bar(const Rect& rect, const RowBars& bars, const Lane& lane, double value) const {
    const auto column_at = [this](double x) {
      return static_cast<std::size_t>(
          std::clamp((x - plan_.columns.x) / pitch(), 0.0, static_cast<double>(plan_.column_count - 1)));
    };
    for (std::size_t i = column_at(rect.x); i <= column_at(rect.right()); ++i) {
      if (bars.marks[i] == CellMark::Masked) return true;
      const bool dropped = bars.marks[i] == CellMark::Dropped && i < bars.before.size();
      const double other = dropped ? bars.before[i] : bars.values[i];
      const double end = std::isfinite(other) ? lane.y_of(other) : lane.y_of(0);
      if (value > 0 ? end < rect.bottom() - 0.5 && other > value : end > rect.y + 0.5 && other < value)
        return true;
    }
    return false;
  }

  void add_names(const RowBars& bars, const Lane& lane) {
    const bool both = !bars.note.empty() && lane.rect().height >= 2 * line_;
    const double middle = lane.rect().y + lane.rect().height / 2;
    PlannedText name;
    name.text = bars.name;
    name.x = 0;
    name.y = middle - (both ? line_ / 2 : 0);
    name.size_px = style_.label_size_px;
    name.color = style_.text;
    plan_.drawing.texts.push_back(name);
    if (!both) return;
    name.text = bars.note;
    name.y = middle + line_ / 2;
    name.color = style_.quiet_text;
    plan_.drawing.texts.push_back(name);
  }

  Rect bar_rect(const Lane& lane, std::size_t column, double value) const {
    const double gap = std::clamp(pitch() * 0.2, 0.0, scaled_px(style_, 8));
    const double width = std::min(pitch() - gap, scaled_px(style_, kWidestRowBar));
    const double x = plan_.columns.x + pitch() * (static_cast<double>(column) + 0.5) - width / 2;
    const double from = lane.y_of(std::max(0.0, value)), to = lane.y_of(std::min(0.0, value));
    return {x, from, width, to - from};
  }

  PlannedText number(const std::string& text, std::size_t column, double y, Color color) const {
    PlannedText planned;
    planned.text = text;
    planned.x = plan_.columns.x + pitch() * (static_cast<double>(column) + 0.5);
    planned.y = y;
    planned.size_px = form_ ? form_->size_px : style_.label_size_px;
    planned.face = FontFace::Number;
    planned.anchor = Anchor::Middle;
    planned.color = color;
    return planned;
  }

  void add_bar(const RowBars& bars, const Lane& lane, std::size_t column) {
    const double value = bars.values[column];
    if (bars.marks[column] == CellMark::Dropped) {
      const double before = column < bars.before.size() ? static_cast<double>(bars.before[column]) : 0.0;
      Rect rect = bar_rect(lane, column, before);
      rect.height = std::max(rect.height, scaled_px(style_, 3));
      plan_.drawing.boxes.push_back({rect, whole_px(style_, 1), mix(style_.neutral, style_.quiet_text, 0.7)});
      return;
    }
    if (!std::isfinite(value)) {
      const Color color = std::isnan(value) ? style_.error : style_.text;
      if (figure_.numbers && pitch() >= 2 * style_.label_size_px)
        plan_.drawing.texts.push_back(
            number(number_text(value, 0), column, lane.rect().y + lane.rect().height / 2, color));
      return;
    }
    if (bars.share && static_cast<Index>(column) == figure_.chosen && !plan_.chosen)
      plan_.chosen = bar_rect(lane, column, value);
    plan_.drawing.fills.push_back(
        {bar_rect(lane, column, value), figure_.off ? style_.quiet_text : style_.series.front()});
    if (!has_numbers(lane.rect())) return;
    const double half = line_height(form_->size_px) / 2;
    const double y = lane.y_of(value) + (value < 0 ? half : -half);
    plan_.drawing.texts.push_back(
        number(bar_number(figure_, bars, value, form_->decimals), column, y, style_.text));
  }

  // Hatches the run [from, to) of masked columns as one field, and writes the −∞ of its columns on it.
  void add_masked(const RowBars& bars, const Lane& lane, std::size_t from, std::size_t to) {
    const double pad = std::min(scaled_px(style_, 2), pitch() * 0.1);
    const double x = plan_.columns.x + pitch() * static_cast<double>(from);
    const Rect rect = {x + pad, lane.rect().y, pitch() * static_cast<double>(to - from) - 2 * pad,
                       lane.rect().height};
    add_hatching(plan_.drawing.hatching, rect, style_);
    if (!figure_.numbers || pitch() < 2.5 * style_.label_size_px) return;
    for (std::size_t i = from; i < to; ++i)
      if (std::isinf(bars.values[i]))
        plan_.drawing.texts.push_back(
            number(number_text(bars.values[i], 0), i, rect.y + rect.height / 2, style_.quiet_text));
  }

  const RowFigure& figure_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  const double line_;
  std::optional<BarNumberForm> form_;
  double names_ = 0, axis_ = 0;  // widths of the stages' names and of the value axis beside the bars
  RowPlan plan_;
};

}  // namespace

Index first_key(const RowSummary& row, Index column) {
  return row.total * column / static_cast<Index>(row.values.size());
}

std::vector<Stage> row_stages(const Layer& layer) {
  std::vector<Stage> stages = stages_in_use(layer);
  std::erase_if(stages, [](Stage stage) { return !is_pair(stage); });
  return stages;
}

namespace {

// Whether both rows have the same numbers and marks, as where nothing is masked or dropped.
bool same_numbers(const RowSummary& a, const RowSummary& b) {
  return a.values == b.values && a.marks == b.marks && a.request.by_value == b.request.by_value;
}

// Weights and what dropout makes of them, unless a normalisation by the sum has made some negative.
bool is_share(const RowSummary& row) {
  return row.request.stage >= Stage::Weights && !row.request.by_value &&
         std::none_of(row.values.begin(), row.values.end(), [](float value) { return value < 0; });
}

// From none to all, or to the largest that dropout has made.
ColorRange share_scale(const RowSummary& a, const RowSummary& b) {
  return {0, std::max(1.0, scale_of(a, b).high)};
}

}  // namespace

RowFigure bars_of_row(const std::vector<const RowSummary*>& rows, const std::vector<std::string>& keys,
                      int decimals, bool percent, RowsShown shown) {
  RowFigure figure;
  figure.decimals = decimals;
  figure.percent = percent;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowSummary& row = *rows[i];
    const Stage stage = row.request.stage;
    const RowSummary* before = i > 0 ? rows[i - 1] : nullptr;
    const RowSummary* behind = i + 1 < rows.size() ? rows[i + 1] : nullptr;
    if (shown == RowsShown::Different && before && same_numbers(row, *before)) continue;
    RowBars bars;
    bars.row = i;
    bars.share = is_share(row);
    bars.name = std::string(stage_info(stage).name) + (row.request.by_value ? " × |value|" : "");
    if (stage >= Stage::Weights)
      bars.note = "Σ " + (percent && bars.share ? number_text(100 * row.sum, 1) + " %"
                                                : number_text(row.sum, std::min(decimals, 4)));
    bars.values = row.values;
    bars.marks = row.marks;
    if (stage == Stage::Dropped && before) bars.before = before->values;
    const bool follows = (stage == Stage::Masked || stage == Stage::Dropped) && before;
    const bool leads =
        behind && (behind->request.stage == Stage::Masked || behind->request.stage == Stage::Dropped);
    const RowSummary& other = follows ? *before : leads ? *behind : row;
    bars.range = bars.share ? share_scale(row, other) : scale_of(row, other);
    figure.stages.push_back(std::move(bars));
  }
  if (rows.empty()) return figure;
  for (Index column = 0; column < static_cast<Index>(rows[0]->values.size()); ++column)
    figure.labels.push_back(keys[static_cast<std::size_t>(first_key(*rows[0], column))]);
  return figure;
}

RowPlan::Slot RowPlan::slot_at(double x, double y) const {
  if (column_count == 0 || x < columns.x || x >= columns.right()) return {};
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (y < lanes[i].y || y >= lanes[i].bottom()) continue;
    const double share = (x - columns.x) / columns.width;
    const Index column = static_cast<Index>(share * static_cast<double>(column_count));
    return {static_cast<Index>(i), std::min(column, column_count - 1)};
  }
  return {};
}

Rect RowPlan::slot_rect(Index stage, Index column) const {
  const Rect& lane = lanes[static_cast<std::size_t>(stage)];
  const double width = lane.width / static_cast<double>(column_count);
  return {lane.x + width * static_cast<double>(column), lane.y, width, lane.height};
}

RowPlan plan_row(const RowFigure& figure, const FigureStyle& style, double width, double height,
                 const MeasureText& measure) {
  return RowPlanner(figure, style, measure).plan(width, height);
}

}  // namespace headlight
