#include "app/export/animation_file.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/export/motion_of.h"
#include "app/figure/motion/motion_frame.h"
#include "app/figure/plan/label_text.h"
#include "engine/core/ascii.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kPlannedWidth = 720, kPlannedHeight = 450;  // of a picture whose letters have their own size
constexpr double kFramePadding = 16;                         // planned pixels
constexpr double kCaptionSize = 14;                          // planned pixels
constexpr std::size_t kCaptionLines = 2;
constexpr double kOutline = 1.5;  // planned pixels

// At most kCaptionLines, broken at blanks; the last one is shortened.
std::vector<std::string> caption_lines(const std::string& text, double width, const MeasureText& measure) {
  const auto fits = [&](const std::string& line) {
    return measure(line, kCaptionSize, FontFace::Text).width <= width;
  };
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.size() == kCaptionLines || lines.back().empty() || fits(longer))
      lines.back() = longer;
    else
      lines.push_back(word);
    begin = end + 1;
  }
  for (std::string& line : lines)
    line = shortened(line, width, kCaptionSize, measure);
  return lines;
}

// The plan and what its frames are painted with.
struct PlannedFrames {
  MotionPlan plan;
  FigureStyle style;
  double width = 0, height = 0, scale = 1;         // planned pixels, and pixels for each of them
  std::vector<std::vector<std::string>> captions;  // the lines of each step

  double caption_height() const { return static_cast<double>(kCaptionLines) * line_height(kCaptionSize); }

  FigurePixels at(double t) const {
    FigureGrid figure;
    figure.width = width;
    figure.height = height;
    figure.background = style.background;
    figure.fonts = style.fonts;
    for (Drawing& drawing : drawings_at(plan, t, kOutline))
      figure.drawings.push_back({kFramePadding, kFramePadding, std::move(drawing)});
    double y = height - kFramePadding - caption_height() + line_height(kCaptionSize) / 2;
    for (const std::string& line : captions[step_at(plan, t)]) {
      PlannedText text = planned_label(style, line, kFramePadding, y, Anchor::Start, style.text);
      text.size_px = kCaptionSize;
      figure.texts.push_back(std::move(text));
      y += line_height(kCaptionSize);
    }
    return figure_pixels(figure, scale);
  }
};

std::shared_ptr<const PlannedFrames> planned_frames(const ComputedSession& session, const CellAddress& cell,
                                                    const AnimationOptions& options) {
  auto frames = std::make_shared<PlannedFrames>();
  frames->style = FigureStyle::of(options.style);
  frames->scale = animation_scale(options);
  frames->width = options.width / frames->scale;
  frames->height = options.height / frames->scale;
  const MeasureText measure = pango_measure(frames->style.fonts);
  const double width = frames->width - 2 * kFramePadding;
  const double height = frames->height - 3 * kFramePadding - frames->caption_height();
  ComputedMotionNumbers numbers(session, options.look);
  frames->plan = motion_of(numbers, cell, {frames->style, width, height, measure});
  for (const MotionStep& step : frames->plan.steps)
    frames->captions.push_back(caption_lines(step.caption, width, measure));
  return frames;
}

}  // namespace

std::optional<AnimationFormat> animation_format(const std::filesystem::path& path) {
  const std::string ending = lowered(path.extension().string());
  if (ending == ".gif") return AnimationFormat::Gif;
  if (ending == ".webp") return AnimationFormat::WebP;
  if (ending == ".png") return AnimationFormat::Png;
  return std::nullopt;
}

void check_bounds(const AnimationOptions& options) {
  const auto check = [](double value, double least, double most, const char* what) {
    if (value >= least && value <= most) return;
    throw Error(std::string("the ") + what + " of the animation is " + shortest_digits(value),
                "the animation", "it is " + shortest_digits(least) + " to " + shortest_digits(most));
  };
  check(options.width, kLeastAnimationSide, kMostAnimationSide, "width");
  check(options.height, kLeastAnimationSide, kMostAnimationSide, "height");
  check(options.frames_per_second, 1, kMostFramesPerSecond, "number of frames a second");
  if (options.seconds)
    check(*options.seconds, kLeastAnimationSeconds, kMostAnimationSeconds, "length in seconds");
}

double animation_scale(const AnimationOptions& options) {
  return std::max(1.0, std::min(options.width / kPlannedWidth, options.height / kPlannedHeight));
}

CellAddress usual_cell(const Layer& layer, Stage stage, Index sequence, Index head) {
  CellAddress cell = {stage, sequence, head, stage_rows(layer, stage) - 1, 0};
  if (is_pair(stage)) cell.column = std::min(cell.row, stage_columns(layer, stage) - 1);
  return cell;
}

std::string why_no_motion(const Layer& layer, Stage stage) {
  if (std::string why = why_no_stage(layer, stage); !why.empty()) return why;
  if (has_motion(layer, stage)) return "";
  return "the numbers of " + std::string(stage_info(stage).name) + " are given or copied, not computed";
}

Animation animation_of(const ComputedSession& session, const CellAddress& cell,
                       const AnimationOptions& options) {
  check_bounds(options);
  const std::shared_ptr<const PlannedFrames> frames = planned_frames(session, cell, options);
  const double seconds = options.seconds.value_or(frames->plan.seconds);
  const auto count =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(seconds * options.frames_per_second)));
  Animation animation;
  animation.width = options.width;
  animation.height = options.height;
  int begins_ms = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto ends_ms =
        static_cast<int>(std::lround(1000.0 * static_cast<double>(i) / options.frames_per_second));
    animation.durations_ms.push_back(ends_ms - begins_ms);
    begins_ms = ends_ms;
  }
  animation.durations_ms.back() += kRestMs;
  animation.paint = [frames, count](std::size_t frame) {
    return frames->at(static_cast<double>(frame) / static_cast<double>(count - 1));
  };
  return animation;
}

std::vector<std::filesystem::path> animation_paths(const std::filesystem::path& path, AnimationFormat format,
                                                   std::size_t frames) {
  if (format != AnimationFormat::Png) return {path};
  constexpr std::size_t kDigits = 3;
  const std::size_t digits = std::max(kDigits, std::to_string(frames - 1).size());
  std::vector<std::filesystem::path> paths;
  for (std::size_t i = 0; i < frames; ++i) {
    const std::string number = std::to_string(i);
    std::filesystem::path one = path;
    one.replace_filename(path.stem().string() + "-" + std::string(digits - number.size(), '0') + number +
                         path.extension().string());
    paths.push_back(std::move(one));
  }
  return paths;
}

std::string animation_bytes(const Animation& animation, AnimationFormat format, std::size_t frame) {
  switch (format) {
    case AnimationFormat::Gif:
      return gif_bytes(animation);
    case AnimationFormat::WebP:
      return webp_bytes(animation);
    case AnimationFormat::Png:
      break;
  }
  return png_bytes(animation.paint(frame));
}

}  // namespace headlight
