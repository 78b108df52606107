// Messages of a window manager and a file manager to the program's window, which xdotool cannot send.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight_test {

// Both functions send to the visible window on the display that accepts dropped files, and throw
// std::runtime_error if there is none.

// Closes the window as its frame's close button does (WM_DELETE_WINDOW).
void send_close(const std::string& display);
// Drops the files in the middle of the window by XDND, version 5. Returns when the program has accepted them.
void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files);

}  // namespace headlight_test
