// The command line: runs the commands that need no window, and returns the options of the window.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <vector>

#include "app/figure/color/figure_style.h"
#include "engine/array_import/array_choices.h"

namespace headlight {

// 0: done.  1: the input is faulty.  2: the command line is faulty.
enum ExitStatus : int { kDone = 0, kBadInput = 1, kBadUsage = 2 };

struct WindowSize {
  int width = 1280, height = 800;
};

struct CommandLine {
  std::optional<int> exit_status;  // set: the work is done, no window is opened

  // For the window.
  std::vector<std::filesystem::path> files;
  std::filesystem::path model = {};  // of a session, in place of the one that it names
  std::filesystem::path set;         // the data set beside a model; or empty
  // The folder for the output that tests read: app/shell/automation.h.
  std::optional<std::filesystem::path> automation_dir;
  bool apply = false;        // load the arrays among the files at once, as the dialog proposes
  ArrayOptions arrays = {};  // the options for them
  std::optional<std::filesystem::path> screenshot;  // save a picture of the settled window here and quit
  std::optional<StyleKind> theme;
  bool force = false;                // without a display: replace the overview if it exists
  float scale = 0;                   // 0: the screen's
  std::optional<double> text_scale;  // in place of the preference
  std::optional<WindowSize> size;    // of the window at scale 1
};

// Parses the command line and runs its command, such as export, compute or print. A failure becomes one line
// on `err`: "headlight: where: what (how to mend it)".
CommandLine run_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

// The exit status of work that wrote to `out`: kBadInput, with a line on `err`, if not everything could be
// written (a full disk, a closed output), else `status`.
int checked_output(int status, std::ostream& out, std::ostream& err);

}  // namespace headlight
