// One picture of every stage of a session, which the program saves if there is no display for its window.
#pragma once

#include <filesystem>

#include "engine/session/session.h"

namespace headlight {

// Writes a PNG with a small heatmap per stage and head: first sequence, first four heads. Throws Error.
void export_overview(const Session& session, const std::filesystem::path& path);

}  // namespace headlight
