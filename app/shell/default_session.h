// The sessions that the program shows if no file was named.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

// The lesson "all queries at once"; new_session() if it is missing or cannot be read.
Session default_session(const std::vector<std::filesystem::path>& lesson_files);

// "Your journey starts with one step": 6 tokens x 3 dimensions, linear projections to 2 drawn with seed 123.
Session new_session();

}  // namespace headlight
