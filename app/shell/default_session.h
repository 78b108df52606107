// What the program shows when no file was named.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

// The lesson that a first look is best spent on: all queries at once. Where there are no lessons, a new
// session.
Session default_session(const std::vector<std::filesystem::path>& lesson_files);

// "Your journey starts with one step", three dimensions, linear projections drawn with seed 123.
Session new_session();

}  // namespace headlight
