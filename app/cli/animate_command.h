// The command `headlight animate`.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "app/cli/source.h"
#include "app/export/animation_file.h"

namespace headlight {

struct AnimateOptions {
  Source source;
  Stage stage = Stage::Weights;
  std::optional<std::pair<Index, Index>> cell;  // row and column; none: usual_cell()
  Index head = 0, sequence = 0;
  AnimationOptions animation;
  std::filesystem::path output;  // .gif, .webp, or .png for a file for each frame
  bool force = false;            // replace files that exist
};

// Saves how a cell is computed as an animation: all files, or none. Writes to `out` that it is saved, with
// the number of frames and the size. Throws Error if the input is faulty, the stage, cell, head or sequence
// is not there or has no motion, the name has another ending, or a file exists and `force` is not set.
void save_animation(const AnimateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
