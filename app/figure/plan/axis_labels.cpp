#include "app/figure/plan/axis_labels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"

namespace headlight {
namespace {

constexpr double kSlope = 0.70710678118654752;  // sine and cosine of 45 degrees

// The smallest of 1, 2, 5, 10, 20, ... that is at least `least`.
Index round_step(double least) {
  for (Index decade = 1;; decade *= 10)
    for (const Index factor : {1, 2, 5})
      if (static_cast<double>(decade * factor) >= least) return decade * factor;
}

// The first number, 0 or 1, of labels that are the numbers 0, 1, 2, ... or 1, 2, 3, ...; else none.
std::optional<Index> numbered_from(const LabelAxis& axis) {
  const Index last = static_cast<Index>(axis.labels.size()) - 1;
  for (const Index first : {0, 1})
    if (last >= 0 && axis.labels[0] == std::to_string(first) &&
        axis.labels[static_cast<std::size_t>(last)] == std::to_string(last + first))
      return first;
  return std::nullopt;
}

struct ShownLabel {
  Index at = 0;  // index in the tile
  std::string text;
};

// Rows or columns of the whole matrix per row or column of the tile.
double cells_in_one(const LabelAxis& axis) {
  return static_cast<double>(axis.whole_index(axis.count) - axis.whole_index(0)) /
         static_cast<double>(axis.count);
}

// Inserts the label `pinned` and removes the labels that would touch it.
void insert_pinned_label(std::vector<ShownLabel>& shown, const LabelAxis& axis, Index pinned, double apart) {
  Index at = 0;
  while (at < axis.count && axis.whole_index(at + 1) <= pinned)
    ++at;
  if (pinned < axis.whole_index(0) || at >= axis.count || pinned >= static_cast<Index>(axis.labels.size()))
    return;
  std::erase_if(shown, [&](const ShownLabel& label) {
    return label.at == at || std::abs(static_cast<double>(label.at - at)) < apart - 1e-6;
  });
  const auto behind =
      std::find_if(shown.begin(), shown.end(), [at](const ShownLabel& label) { return label.at > at; });
  shown.insert(behind, {at, spoken_label(axis.labels[static_cast<std::size_t>(pinned)])});
}

// Every step-th label, counted in the whole matrix so that scrolling does not change the choice; of numbers
// the round ones (10, 20, 30).
std::vector<ShownLabel> shown_labels(const LabelAxis& axis, Index step, double apart) {
  std::vector<ShownLabel> shown;
  const Index extent = axis.whole_index(axis.count) - axis.whole_index(0);
  const Index shift = extent >= step ? numbered_from(axis).value_or(0) : 0;
  for (Index i = 0; i < axis.count; ++i) {
    const Index next = axis.whole_index(i + 1);
    // The first shown label at or after the first row or column that the cell stands for.
    const Index whole = (axis.whole_index(i) + shift + step - 1) / step * step - shift;
    if (whole >= next || whole >= static_cast<Index>(axis.labels.size())) continue;
    shown.push_back({i, spoken_label(axis.labels[static_cast<std::size_t>(whole)])});
  }
  // What is inserted last displaces what was before.
  if (step > 1 && !numbered_from(axis))
    for (auto kept = axis.kept.rbegin(); kept != axis.kept.rend(); ++kept)
      insert_pinned_label(shown, axis, *kept, apart);
  if (axis.pinned >= 0) insert_pinned_label(shown, axis, axis.pinned, apart);
  return shown;
}

double widest(const std::vector<ShownLabel>& labels, double max_px, double size_px,
              const MeasureText& measure) {
  double width = 0;
  for (const ShownLabel& label : labels) {
    width = std::max(width, measure(label.text, size_px, FontFace::Text).width);
    if (width >= max_px) return max_px;
  }
  return width;
}

PlannedText label_text(std::string text, Anchor anchor, const FigureStyle& style) {
  PlannedText planned;
  planned.text = std::move(text);
  planned.size_px = style.label_size_px;
  planned.anchor = anchor;
  planned.color = style.text;
  return planned;
}

LabelLayout fit_numbered_columns(const LabelAxis& axis, double cell_width, const FigureStyle& style,
                                 const MeasureText& measure) {
  const Index last = std::min(axis.whole_index(axis.count), static_cast<Index>(axis.labels.size())) - 1;
  const double width =
      measure(axis.labels[static_cast<std::size_t>(last)], style.label_size_px, FontFace::Text).width;
  const double apart = (width + scaled_px(style, 8)) / cell_width;
  return {round_step(apart * cells_in_one(axis)), 0, line_height(style.label_size_px), apart, width / 2};
}

// The least step at which labels are `apart` tile cells apart; round for numbers and for pooled cells.
Index step_for(const LabelAxis& axis, double apart) {
  const double least = apart * cells_in_one(axis);
  return numbered_from(axis) || cells_in_one(axis) > 1
             ? round_step(least)
             : std::max<Index>(1, static_cast<Index>(std::ceil(least - 1e-6)));
}

}  // namespace

LabelLayout fit_row_labels(const LabelAxis& axis, double cell_height, double max_px, const FigureStyle& style,
                           const MeasureText& measure) {
  if (axis.labels.empty() || axis.count == 0) return {};
  const double apart = line_height(style.label_size_px) / cell_height;
  const Index step = step_for(axis, apart);
  const auto shown = shown_labels(axis, step, apart);
  return {step, 0, widest(shown, max_px, style.label_size_px, measure), apart, 0};
}

LabelLayout fit_column_labels(const LabelAxis& axis, double cell_width, double max_px,
                              const FigureStyle& style, const MeasureText& measure) {
  if (axis.labels.empty() || axis.count == 0) return {};
  if (numbered_from(axis)) return fit_numbered_columns(axis, cell_width, style, measure);
  const double line = line_height(style.label_size_px);
  const double apart = line / cell_width;
  const Index step = cell_width < line ? step_for(axis, apart) : 1;
  const double width = widest(shown_labels(axis, step, apart), max_px, style.label_size_px, measure);
  if (cell_width < line) return {step, 90, width, apart, line / 2};
  if (width + scaled_px(style, 8) <= cell_width) return {1, 0, line, apart, width / 2};
  // Neighbouring lines at 45 degrees are cell_width * sin 45 apart.
  if (cell_width * kSlope >= line)
    return {1, 45, (width + line) * kSlope, apart, (width + line / 2) * kSlope};
  return {1, 90, width, apart, line / 2};
}

std::vector<PlannedText> place_row_labels(const LabelAxis& axis, const LabelLayout& layout,
                                          const PlannedCells& cells, const FigureStyle& style,
                                          const MeasureText& measure) {
  std::vector<PlannedText> texts;
  if (layout.extent_px <= 0) return texts;
  const double pitch = cells.rect.height / static_cast<double>(cells.rows);
  for (ShownLabel& label : shown_labels(axis, layout.step, layout.apart)) {
    const std::string fitted = shortened_name(label.text, layout.extent_px, style.label_size_px, measure);
    if (fitted.empty()) continue;
    PlannedText text = label_text(fitted, Anchor::End, style);
    text.x = cells.rect.x - scaled_px(style, kRowLabelGap);
    text.y = cells.rect.y + (static_cast<double>(label.at) + 0.5) * pitch;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<PlannedText> place_column_labels(const LabelAxis& axis, const LabelLayout& layout,
                                             const PlannedCells& cells, const FigureStyle& style,
                                             const MeasureText& measure, bool below) {
  std::vector<PlannedText> texts;
  if (layout.extent_px <= 0) return texts;
  const double pitch = cells.rect.width / static_cast<double>(cells.columns);
  const double line = line_height(style.label_size_px);
  const double gap = scaled_px(style, kColumnLabelGap);
  double max_px = layout.extent_px, lift = 0;  // lift: from the edge next to the cells to the anchor
  if (layout.angle_deg == 0) {
    max_px = pitch * std::max(1.0, static_cast<double>(layout.step) / cells_in_one(axis));
    lift = line / 2;
  } else if (layout.angle_deg == 45) {
    max_px = layout.extent_px / kSlope - line;
    lift = line / 2 * kSlope;
  }
  const double y = below ? cells.rect.bottom() + gap + lift : cells.rect.y - gap - lift;
  // Rotated texts run upwards: above the cells they start at the cells, below the cells they end there.
  const Anchor anchor = layout.angle_deg == 0 ? Anchor::Middle : below ? Anchor::End : Anchor::Start;
  for (ShownLabel& label : shown_labels(axis, layout.step, layout.apart)) {
    const std::string fitted = shortened_name(label.text, max_px, style.label_size_px, measure);
    if (fitted.empty()) continue;
    PlannedText text = label_text(fitted, anchor, style);
    text.angle_deg = layout.angle_deg;
    text.x = cells.rect.x + (static_cast<double>(label.at) + 0.5) * pitch;
    text.y = y;
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace headlight
