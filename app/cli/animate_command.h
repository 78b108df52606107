// The command `headlight animate`.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "app/cli/source.h"
#include "app/export/animation_file.h"
#include "app/export/figure_choice.h"

namespace headlight {

// What moves: the computation of a cell, or the heatmaps of a layer on the way from one to another session,
// while it is trained, or at one checkpoint of its model after the other.
enum class Animated { Cell, FromOther, Training, Checkpoints };

struct AnimateOptions {
  Source source;
  Animated what = Animated::Cell;
  // The stage, one head (none: the first) and the sequence of the cell, or all that the heatmaps show.
  StageChoice choice;
  bool stage_chosen = false;                         // else a training shows that of its goal
  std::optional<std::pair<Index, Index>> cell = {};  // row and column; none: usual_cell()
  std::filesystem::path from = {};                   // FromOther: the session that the way begins at
  Index steps = 0;                                   // Training: 1 or more
  AnimationOptions animation;
  std::filesystem::path output;  // .gif, .webp, or .png for a file for each frame
  bool force = false;            // replace files that exist
};

// Saves the animation: all files, or none. Writes to `out` that it is saved, with the number of frames and
// the size. Throws Error if the input is faulty, the stage, cell, head or sequence is not there or has no
// motion, the two sessions differ in more than numbers, the training cannot go so far, the model has no
// checkpoints, the name has another ending, or a file exists and `force` is not set.
void save_animation(const AnimateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace headlight
