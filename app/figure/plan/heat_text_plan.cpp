#include "app/figure/plan/heat_text_plan.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kAcross = 6, kDown = 4, kTextGap = 2,
                 kLineGap = 6;  // around a word, between words and lines
constexpr double kScaleWidth = 160, kScaleHeight = 10;
constexpr int kBarSteps = 64;

Color color_at(const Colormap& map, const ColorRange& range, float value) {
  return map.at(range.share(static_cast<double>(value)));
}

double add_range(HeatTextPlan& plan, const HeatText& text, double y, const FigureStyle& style,
                 const MeasureText& measure) {
  const Colormap map = Colormap::of(text.map, style.neutral);
  const std::string low = number_text(text.range.low, 2), high = number_text(text.range.high, 2);
  const double line = line_height(style.label_size_px), height = scaled_px(style, kScaleHeight);
  const double begin = measure(low, style.label_size_px, FontFace::Text).width + scaled_px(style, kAcross);
  const double width = scaled_px(style, kScaleWidth), step = width / kBarSteps;
  for (int i = 0; i < kBarSteps; ++i)
    plan.drawing.fills.push_back(
        {{begin + i * step, y + (line - height) / 2, step, height}, map.at((i + 0.5) / kBarSteps)});
  plan.drawing.texts.push_back(planned_label(style, low, 0, y + line / 2, Anchor::Start, style.quiet_text));
  plan.drawing.texts.push_back(planned_label(style, high, begin + width + scaled_px(style, kAcross),
                                             y + line / 2, Anchor::Start, style.quiet_text));
  return y + line;
}

}  // namespace

HeatTextPlan plan_heat_text(const HeatText& text, double width, bool bar, const FigureStyle& style,
                            const MeasureText& measure) {
  const Colormap map = Colormap::of(text.map, style.neutral);
  const double across = scaled_px(style, kAcross), gap = scaled_px(style, kTextGap),
               line = line_height(style.label_size_px) + 2 * scaled_px(style, kDown);
  HeatTextPlan plan;
  double x = 0, y = 0;
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    const std::string word = shortened(text.words[i], width - 2 * across, style.label_size_px, measure);
    const double wide = measure(word, style.label_size_px, FontFace::Text).width + 2 * across;
    if (x > 0 && x + wide > width) {
      x = 0;
      y += line + scaled_px(style, kLineGap);
    }
    const Rect place{x, y, wide, line};
    Color color = style.text;
    if (!std::isnan(text.values[i])) {
      plan.drawing.fills.push_back({place, color_at(map, text.range, text.values[i])});
      color = text_on(plan.drawing.fills.back().color);
    }
    plan.drawing.texts.push_back(planned_label(style, word, x + across, y + line / 2, Anchor::Start, color));
    plan.words.push_back(place);
    x += wide + gap;
  }
  y += line;
  if (bar) y = add_range(plan, text, y + scaled_px(style, 2 * kLineGap), style, measure);
  plan.drawing.width = width;
  plan.drawing.height = y;
  return plan;
}

}  // namespace headlight
