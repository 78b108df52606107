// What a window manager and a file manager send to the program's window, and xdotool does not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight_test {

// Both send to the visible window on that display that takes dropped files, and throw std::runtime_error
// without one.

// As the cross of the window's frame does (WM_DELETE_WINDOW).
void send_close(const std::string& display);
// Drops the files in the middle of the window by XDND, version 5; returns when the program has taken them.
void drop_files(const std::string& display, const std::vector<std::filesystem::path>& files);

}  // namespace headlight_test
