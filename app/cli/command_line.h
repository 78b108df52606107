// The command line: the work it asks for, done at once, or what it asks of the window.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "engine/choosing/array_choices.h"

namespace headlight {

// 0: done.  1: the input is at fault.  2: the command line itself is.
enum ExitStatus : int { kDone = 0, kBadInput = 1, kBadUsage = 2 };

struct WindowSize {
  int width = 1280, height = 800;
};

struct CommandLine {
  std::optional<int> exit_status;  // set: all is done, no window is wanted

  // For the window.
  std::vector<std::filesystem::path> files;
  std::optional<std::filesystem::path>
      automation_dir;        // where to write what tests look at: app/shell/automation.h
  bool apply = false;        // bring the arrays among the files in at once, as the dialog proposes
  ArrayAnswers arrays = {};  // what is said of them
  std::optional<std::filesystem::path> screenshot;  // write the settled window's picture here and quit
  std::optional<StyleKind> theme;
  bool force = false;              // without a display: replace the overview if it exists
  float scale = 0;                 // 0: the screen's
  std::optional<WindowSize> size;  // of the window at scale 1
};

// Reads the command line. The commands export, compute and print are carried out here; a failure becomes one
// line on `err`: "headlight: where: what (how to mend it)".
CommandLine run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// The status of work that wrote to `out`: that of bad input, with a line on `err`, when not everything could
// be written (a full disk, a closed output).
int checked_output(int status, std::ostream& out, std::ostream& err);

}  // namespace headlight
