// The options of `headlight animate`.
#pragma once

#include <string>

#include "app/cli/animate_command.h"
#include "app/cli/array_line.h"
#include "app/cli/text_line.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headlight {

class AnimateLine {
 public:
  // Adds the options to the command, which stores their values here when it is parsed: this must not move.
  void add_to(CLI::App& command);
  // Throws a usage error.
  AnimateOptions options() const;

 private:
  void add_states(CLI::App& command, CLI::Option* play, CLI::Option* cell);
  void add_look(CLI::App& command);
  // The stage and the heads of a cell, or of heatmaps.
  void read_choice(AnimateOptions& options) const;

  TextLine text_;
  ArrayLine arrays_;
  std::string file_, output_, play_ = "softmax", cell_, from_, stage_, heads_, size_, theme_ = "light";
  Index steps_ = 0;
  double seconds_ = 0;
  int frames_per_second_ = AnimationOptions{}.frames_per_second;
  bool checkpoints_ = false, force_ = false;
};

}  // namespace headlight
