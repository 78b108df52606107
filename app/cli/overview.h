// Every stage of a session in one picture: what the program shows where there is no display for its window.
#pragma once

#include <filesystem>

#include "engine/session/session.h"

namespace headlight {

// Writes a PNG with a small heatmap for each stage of the first sequence and each of its first four heads.
// Throws Error.
void export_overview(const Session& session, const std::filesystem::path& path);

}  // namespace headlight
