// How a cell is computed, as a file that moves: GIF, WebP, or a PNG file for each frame.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/export/computed_motion.h"
#include "app/figure/color/figure_style.h"
#include "app/figure/paint/animation.h"

namespace headlight {

enum class AnimationFormat { Gif, WebP, Png };
// By file extension, in upper or lower case; none for any other extension.
std::optional<AnimationFormat> animation_format(const std::filesystem::path& path);

inline constexpr int kLeastAnimationSide = 160, kMostAnimationSide = 4096, kMostFramesPerSecond = 50;
inline constexpr double kLeastAnimationSeconds = 0.5, kMostAnimationSeconds = 60;

struct AnimationOptions {
  int width = 960, height = 600;  // in pixels; letters grow with them
  std::optional<double> seconds;  // until the result is there; none: as in the window
  int frames_per_second = 20;
  StyleKind style = StyleKind::Light;
  MotionLook look;
};

// Throws Error if a size, length or rate is out of bounds.
void check_bounds(const AnimationOptions& options);
// Pixels for each planned pixel, so that letters grow with the picture.
double animation_scale(const AnimationOptions& options);
// How much longer than the others the last frame is shown.
inline constexpr int kRestMs = 1000;

// The cell whose computation is shown if none is chosen: the last token's, and of pairs that of the token
// with itself. Precondition: the stage exists.
CellAddress usual_cell(const Layer& layer, Stage stage, Index sequence, Index head);

// Why the stage's computation cannot be shown, as a sentence without a full stop; "" if it can.
std::string why_no_motion(const Layer& layer, Stage stage);

// The frames of the computation, with the sentence of each step below the picture. The last one lasts a
// second longer. They do not need the session any more. Precondition: the stage has a motion and the cell
// exists. Throws Error if a size, length or rate is out of bounds.
Animation animation_of(const ComputedSession& session, const CellAddress& cell,
                       const AnimationOptions& options);

// The animation of one cell, as it is ordered.
struct CellAnimation {
  CellAddress cell;
  AnimationOptions options;
};

// The files of an animation: `path`, or for PNG one for each frame, out-000.png to out-059.png for out.png.
std::vector<std::filesystem::path> animation_paths(const std::filesystem::path& path, AnimationFormat format,
                                                   std::size_t frames);
// All bytes of the only file of GIF and WebP, or of one frame of PNG.
std::string animation_bytes(const Animation& animation, AnimationFormat format, std::size_t frame);

}  // namespace headlight
