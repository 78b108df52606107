// From the command line to the running window.
#pragma once

#include <chrono>

#include "app/cli/command_line.h"

namespace headlight {

// Opens the window that the command line asks for and runs it until it is closed. Where there is no display,
// says so in one line and saves the overview of the session as a picture instead. Returns the exit status;
// throws Error when neither can be done.
int run_window(const CommandLine& line, std::chrono::steady_clock::time_point started);

}  // namespace headlight
