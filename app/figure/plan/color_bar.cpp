#include "app/figure/plan/color_bar.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kGap = 16, kBarWidth = 12, kTickLength = 4, kLabelGap = 4, kTip = 5, kTitleGap = 4;

// The smallest of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... that is at least `least`.
double round_value_step(double least) {
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= least * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

std::string scientific(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1).ptr;
  const std::string text(buffer, end);
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

bool is_plain(double size) {
  return size == 0 || (size >= 1e-4 && size < 1e6);
}

// An end of the range, to three digits.
std::string end_label(double value) {
  if (!is_plain(std::abs(value))) return scientific(value);
  const double digits_before = value == 0 ? 1 : std::floor(std::log10(std::abs(value))) + 1;
  return number_text(value, static_cast<int>(std::clamp(3 - digits_before, 0.0, 6.0)));
}

std::string tick_label(double value, double step) {
  if (!is_plain(step) || !is_plain(std::abs(value))) return scientific(value);
  return number_text(value, static_cast<int>(std::max(0.0, std::ceil(-std::log10(step) - 1e-9))));
}

// An end of a logarithmic range, written like the powers of ten: "0.0002" and not "0.000200".
std::string log_end_label(double value) {
  std::string label = end_label(value);
  if (label.find('.') == std::string::npos || label.find('e') != std::string::npos) return label;
  label.erase(label.find_last_not_of('0') + 1);
  if (label.back() == '.') label.pop_back();
  return label;
}

// Powers of ten: only every n-th on a short bar, also 2 and 5 times them on a long one.
std::vector<BarTick> log_ticks(const ColorRange& range, double height, double line_height_px) {
  const double decade_px = height / std::log10(range.high / range.low);
  const std::vector<double> factors =
      decade_px >= 4.5 * line_height_px ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const int every = std::max(1, static_cast<int>(std::ceil(1.4 * line_height_px / decade_px)));
  const double room = 1.4 * line_height_px / std::max(height, 1.0);  // least distance from the ends, a share
  std::vector<BarTick> ticks = {{range.low, log_end_label(range.low)}};
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int exponent = static_cast<int>(std::floor(std::log10(range.low))); exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, exponent), share = range.share(value);
      if (share >= room && share <= 1 - room) ticks.push_back({value, tick_label(value, value)});
    }
  }
  ticks.push_back({range.high, log_end_label(range.high)});
  return ticks;
}

}  // namespace

namespace {

std::vector<BarTick> number_ticks(const ColorRange& range, double height, double line_height_px) {
  if (range.logarithmic) return log_ticks(range, height, line_height_px);
  const double width = range.high - range.low;
  const double per_label = width * line_height_px * 1.1 / std::max(height, 1.0);  // values under one label
  const double step = round_value_step(std::max(2 * per_label, width / 8));
  std::vector<BarTick> ticks = {{range.low, end_label(range.low)}};
  BarTick top = {range.high, end_label(range.high)};
  const double tolerance = 1e-6 * width;
  for (double n = std::ceil((range.low - tolerance) / step); n * step <= range.high + tolerance; ++n) {
    const double value = n * step;
    const std::string label = tick_label(value, step);
    if (value - range.low < tolerance) {
      ticks.front() = {range.low, label};
    } else if (range.high - value < tolerance) {
      top = {range.high, label};
    } else if (std::min(value - range.low, range.high - value) >= 1.4 * per_label) {
      ticks.push_back({value, label});
    }
  }
  ticks.push_back(top);
  return ticks;
}

}  // namespace

std::vector<BarTick> bar_ticks(const ColorRange& range, double height, double line_height_px, bool percent) {
  if (!percent) return number_ticks(range, height, line_height_px);
  ColorRange hundredfold = range;
  hundredfold.low *= 100;
  hundredfold.high *= 100;
  std::vector<BarTick> ticks = number_ticks(hundredfold, height, line_height_px);
  for (BarTick& tick : ticks)
    tick.value /= 100;
  ticks.front().value = range.low;
  ticks.back().value = range.high;
  ticks.back().label += " %";
  return ticks;
}

std::string bar_title(const std::string& title, const ColorRange& range, bool percent) {
  if (title.empty()) return title;
  if (range.logarithmic) return title + (percent ? ", %" : "") + ", log scale";
  if (!percent) return title;
  return title + (range.low == 0 && range.high == 1 ? ", 0 to 100 %" : ", %");
}

double bar_width(const std::vector<BarTick>& ticks, bool title, const FigureStyle& style,
                 const MeasureText& measure) {
  double widest = 0;
  for (const BarTick& tick : ticks)
    widest = std::max(widest, measure(tick.label, style.label_size_px, FontFace::Number).width);
  return whole_px(style, kGap) + whole_px(style, kBarWidth) + whole_px(style, kTickLength) +
         scaled_px(style, kLabelGap) + whole_px(style, 1) + widest +
         (title ? scaled_px(style, kTitleGap) + line_height(style.label_size_px) : 0);
}

BarGhost ghost_on_bar(const PlannedBar& bar, const ColorRange& shown, const ColorRange& other) {
  const double high = shown.share(other.high), low = shown.share(other.low);
  const auto y = [&](double share) {
    return bar.rect.bottom() - std::clamp(share, 0.0, 1.0) * bar.rect.height;
  };
  return {y(high), y(low), high > 1, low < 0};
}

std::array<PlannedLine, 2> beyond_mark(Point tip, double size, bool above, double width, Color color) {
  const double base = tip.y + (above ? size / 2 : -size / 2);
  return {{{tip.x - size / 2, base, tip.x, tip.y, width, color},
           {tip.x, tip.y, tip.x + size / 2, base, width, color}}};
}

namespace {

// The most of the title that fits beside the bar: a part that loses the unit says less than the plain title,
// and that the scale is logarithmic more than what is measured.
std::string fitting_title(const BarWords& words, const ColorRange& range, double height,
                          const FigureStyle& style, const MeasureText& measure) {
  const std::string whole = bar_title(words.title, range, words.percent);
  std::vector<std::string> titles = {whole};
  if (range.logarithmic && !words.title.empty()) titles.emplace_back("log scale");
  for (const std::string& title : titles)
    if (shortened(title, height, style.label_size_px, measure) == title) return title;
  return shortened(words.title, height, style.label_size_px, measure);
}

}  // namespace

void add_bar(HeatmapPlan& plan, const ColorRange& range, const Colormap& map, double height,
             const BarWords& words, const FigureStyle& style, const MeasureText& measure) {
  PlannedBar bar;
  const double line_width = whole_px(style, 1);
  bar.rect = {plan.cells.rect.right() + whole_px(style, kGap), plan.cells.rect.y, whole_px(style, kBarWidth),
              height};
  for (int i = 0; i < 256; ++i)
    bar.colors.push_back(map.at(1 - i / 255.0));
  if (range.above) bar.top_tip_px = whole_px(style, kTip);
  if (range.below) bar.bottom_tip_px = whole_px(style, kTip);
  plan.bars.push_back(bar);
  plan.boxes.push_back({outset(bar.rect, line_width), line_width, style.line});
  const auto add_mark = [&](double y, bool above) {
    const Point tip = {bar.rect.x - whole_px(style, kGap) / 2, y};
    for (const PlannedLine& line : beyond_mark(tip, scaled_px(style, kTip), above, line_width, style.text))
      plan.lines.push_back(line);
  };
  if (range.marked && range.above) add_mark(bar.rect.y - bar.top_tip_px, true);
  if (range.marked && range.below) add_mark(bar.rect.bottom() + bar.bottom_tip_px, false);
  const double tick_x = bar.rect.right() + line_width;
  const double tick_length = whole_px(style, kTickLength);
  const std::vector<BarTick> ticks =
      bar_ticks(range, height, line_height(style.label_size_px), words.percent);
  for (const BarTick& tick : ticks) {
    const double share = 1 - range.share(tick.value);
    // At the centre of a pixel, so that a tick is one crisp line.
    const double y = std::floor(bar.rect.y + share * (height - 1)) + 0.5;
    plan.lines.push_back({tick_x, y, tick_x + tick_length, y, 1, style.quiet_text});
    PlannedText text;
    text.text = tick.label;
    text.x = tick_x + tick_length + scaled_px(style, kLabelGap);
    text.y = y;
    text.size_px = style.label_size_px;
    text.face = FontFace::Number;
    text.color = style.quiet_text;
    plan.texts.push_back(std::move(text));
  }
  PlannedText text;
  text.text = fitting_title(words, range, height, style, measure);
  if (text.text.empty()) return;
  text.size_px = style.label_size_px;
  text.color = style.quiet_text;
  text.angle_deg = 90;
  text.anchor = Anchor::Middle;
  text.x =
      plan.cells.rect.right() + bar_width(ticks, true, style, measure) - line_height(style.label_size_px) / 2;
  text.y = bar.rect.y + height / 2;
  plan.texts.push_back(std::move(text));
}

}  // namespace headlight
