// From the command line to the running window.
#pragma once

#include <chrono>

#include "app/cli/command_line.h"

namespace headlight {

// Opens the window for the command line and runs it until it is closed. If there is no display, prints one
// line and saves the overview of the session as a picture instead. Returns the exit status; throws Error if
// neither is possible.
int run_window(const CommandLine& line, std::chrono::steady_clock::time_point started);

}  // namespace headlight
