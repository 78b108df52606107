// The whole row of a pair's cell, as bars.
#include <algorithm>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/names.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/inspector/inspector_parts.h"

namespace headlight::inspector {
namespace {

constexpr Index kMostLines = 24;  // keys with a line each; more are drawn as columns

float line_height(const Theme& theme) {
  return std::floor(font_size(theme.fonts.label) + theme.px(4));
}

float columns_height(const Theme& theme) {
  return std::floor(theme.px(72));
}

Color bar_color(const UiContext& ui, CellMark mark) {
  return mark == CellMark::None ? ui.theme.link : ui.theme.line;
}

// The range of the bars; it includes zero, so that negative numbers point the other way.
struct BarRange {
  float low = 0, high = 0;

  // The position of a value in the range, 0 to 1; that of zero for NaN and infinity.
  float place(float value) const {
    return high > low ? ((std::isfinite(value) ? value : 0.0f) - low) / (high - low) : 0.0f;
  }
};

BarRange range_of(const RowSummary& row) {
  BarRange range;
  for (const float value : row.values)
    if (std::isfinite(value)) range = {std::min(range.low, value), std::max(range.high, value)};
  return range;
}

// The column of the tokens' names: as wide as the widest, at most two fifths.
float names_width(const UiContext& ui, Index keys, float width) {
  float widest = 0;
  for (Index key = 0; key < keys; ++key)
    widest = std::max(
        widest, text_width(ui.theme.fonts.label, token_name(ui.layer().key_labels(), key, ui.counting())));
  return std::min(std::ceil(widest) + ui.theme.px(8), width * 0.4f);
}

// One line for each key: its token, a bar, its value.
float draw_key_lines(const UiContext& ui, const RowSummary& row, Index column, ImVec2 at, float width) {
  const Theme& theme = ui.theme;
  const Fonts& fonts = theme.fonts;
  float number = theme.px(60);
  for (const float value : row.values)
    number = std::max(number, text_width(fonts.number, derivation_number(value)) + theme.px(8));
  const float line = line_height(theme);
  const float label = names_width(ui, static_cast<Index>(row.values.size()), width);
  const float room = width - label - number;
  const BarRange range = range_of(row);
  const float zero = at.x + label + room * range.place(0);
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const bool here = static_cast<Index>(i) == column;
    push_font(fonts.label);
    const std::string token = fitting_token_name(ui.layer().key_labels(), static_cast<Index>(i),
                                                 ui.counting(), label - theme.px(8));
    ImGui::PopFont();
    text_at(fonts.label, at, here ? theme.accent : theme.quiet_text, token);
    const float end = at.x + label + room * range.place(row.values[i]);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {std::min(zero, end), at.y + theme.px(2)},
        {std::max({zero, end, std::min(zero, end) + 1}), at.y + line - theme.px(4)},
        to_imgui(here ? theme.accent : bar_color(ui, row.marks[i])), theme.px(2));
    text_at_right(fonts.number, at.x + width, at.y - theme.px(1), theme.text,
                  derivation_number(row.values[i]));
    at.y += line;
  }
  return at.y;
}

// Thin columns if there are too many keys for a line each.
float draw_key_columns(const UiContext& ui, const RowSummary& row, Index column, ImVec2 at, float width) {
  const float height = columns_height(ui.theme);
  const BarRange range = range_of(row);
  const float zero = at.y + height * (1 - range.place(0));
  const auto count = static_cast<Index>(row.values.size());
  const float step = width / static_cast<float>(count);
  const Index here = column * count / std::max<Index>(1, row.total);
  for (Index i = 0; i < count; ++i) {
    const float left = at.x + static_cast<float>(i) * step;
    const auto place = static_cast<std::size_t>(i);
    const float end = at.y + height * (1 - range.place(row.values[place]));
    ImGui::GetWindowDrawList()->AddRectFilled(
        {left, std::min(zero, end)}, {left + step, std::max(zero, end)},
        to_imgui(i == here ? ui.theme.accent : bar_color(ui, row.marks[place])));
  }
  return at.y + height;
}

bool has_entropy(const RowSummary& row) {
  return row.request.stage == Stage::Weights;
}

}  // namespace

float row_bars_height(const UiContext& ui, const RowSummary& row) {
  const float line = line_height(ui.theme);
  const float bars =
      row.total <= kMostLines ? static_cast<float>(row.values.size()) * line : columns_height(ui.theme);
  return bars + (has_entropy(row) ? line : 0) + std::floor(ui.theme.px(8));
}

void draw_row_bars(const UiContext& ui, const RowSummary& row, Index column, ImVec2 at, float width) {
  const float pad = ui.theme.px(8);
  const ImVec2 inner = {at.x + pad, at.y + std::floor(ui.theme.px(2))};
  const float room = width - 2 * pad;
  const float y = row.total <= kMostLines ? draw_key_lines(ui, row, column, inner, room)
                                          : draw_key_columns(ui, row, column, inner, room);
  if (has_entropy(row))
    draw_labelled(
        ui, {inner.x, y}, {room, line_height(ui.theme)}, ui.theme.quiet_text, "entropy",
        std::isnan(row.entropy_bits) ? "none: a weight is NaN" : number_text(row.entropy_bits, 2) + " bits");
}

}  // namespace headlight::inspector
