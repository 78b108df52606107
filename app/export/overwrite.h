// Files of other people's work are not replaced unless they say so.
#pragma once

#include <filesystem>

namespace headlight {

// Throws Error when the file exists and `force` is not set. A device or a pipe (/dev/stdout) is written to,
// never replaced.
void require_free(const std::filesystem::path& file, bool force);

}  // namespace headlight
