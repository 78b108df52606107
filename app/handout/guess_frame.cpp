#include "app/handout/guess_frame.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_text.h"
#include "app/handout/page_setter.h"

namespace headlight {
namespace {

constexpr double kMostCell = 34, kHead = 70;  // kHead: above the cells, for names that lean over
constexpr double kBarPitch = 28, kBarHeight = 18;

}  // namespace

double name_width(const std::vector<std::string>& labels, const FigureStyle& style,
                  const MeasureText& measure) {
  constexpr double kMostNames = 320;
  double most = 0;
  for (const std::string& label : labels)
    most = std::max(most, measure(capped(label, kMostMeasured), style.label_size_px, FontFace::Text).width);
  return std::min(most + 2 * kNameGap, kMostNames);
}

CellFrame cell_frame(const CellNames& names, const FigureStyle& style, const MeasureText& measure) {
  CellFrame frame;
  const auto columns = static_cast<double>(names.columns.size());
  const double beside = name_width(names.rows, style, measure);
  const double cell = std::min(kMostCell, (kTextWidth - beside - kHead) / columns);
  frame.drawing.width = beside + cell * columns + kHead;  // the last name leans over
  frame.drawing.height = kHead + cell * static_cast<double>(names.rows.size());
  const auto label = [&](const std::string& text, double room) {
    return shortened(text, room, style.label_size_px, measure);
  };
  for (std::size_t c = 0; c < names.columns.size(); ++c) {
    PlannedText text =
        planned_label(style, label(names.columns[c], kHead * 1.2),
                      beside + cell * (static_cast<double>(c) + 0.5), kHead - 8, Anchor::Start, style.text);
    text.angle_deg = 45;
    frame.drawing.texts.push_back(std::move(text));
  }
  for (std::size_t r = 0; r < names.rows.size(); ++r) {
    const double y = kHead + cell * static_cast<double>(r);
    frame.drawing.texts.push_back(planned_label(style, label(names.rows[r], beside - kNameGap),
                                                beside - kNameGap, y + cell / 2, Anchor::End, style.text));
    for (std::size_t c = 0; c < names.columns.size(); ++c) {
      frame.cells.push_back({beside + cell * static_cast<double>(c), y, cell, cell});
      // Neighbours share their line.
      const Rect& rect = frame.cells.back();
      frame.drawing.boxes.push_back({{rect.x, rect.y, cell + 1, cell + 1}, 1, style.quiet_text});
    }
  }
  return frame;
}

Drawing bar_frame(const std::vector<FramedBar>& bars, const BarAxis& axis, const FigureStyle& style,
                  const MeasureText& measure) {
  std::vector<std::string> labels;
  labels.reserve(bars.size());
  for (const FramedBar& bar : bars)
    labels.push_back(bar.label);
  const double left = name_width(labels, style, measure), width = kTextWidth - left - 4 * kNameGap;
  const double bottom = kBarPitch * static_cast<double>(bars.size());
  const auto x_of = [&](double number) {
    return left + width * std::clamp((number - axis.low) / (axis.high - axis.low), 0.0, 1.0);
  };
  Drawing drawing;
  drawing.width = kTextWidth;
  drawing.height = bottom + 22;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = kBarPitch * static_cast<double>(i) + (kBarPitch - kBarHeight) / 2;
    const std::string label = shortened(bars[i].label, left - kNameGap, style.label_size_px, measure);
    drawing.texts.push_back(
        planned_label(style, label, left - kNameGap, y + kBarHeight / 2, Anchor::End, style.text));
    drawing.boxes.push_back({{left, y, width, kBarHeight}, 1, style.quiet_text});
    if (!bars[i].number) continue;
    const double zero = x_of(0), end = x_of(*bars[i].number);
    drawing.fills.push_back(
        {{std::min(zero, end), y, std::abs(end - zero), kBarHeight}, with_opacity(style.series[0], 0.35)});
  }
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(axis.ticks.size() - 1);
    const double x = left + width * part;
    drawing.strokes.push_back({x, 0, x, bottom + 4, 1, style.line});
    drawing.texts.push_back(
        planned_label(style, axis.ticks[i], x, bottom + 14, Anchor::Middle, style.quiet_text));
  }
  return drawing;
}

}  // namespace headlight
