// The window's own pixels as a PNG.
#pragma once

#include <filesystem>

#include "app/platform/window.h"

namespace headlight {

// Throws Error if it cannot be written.
void save_window_picture(const Window::Picture& picture, const std::filesystem::path& path);

}  // namespace headlight
