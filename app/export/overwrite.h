// The check that an export does not replace an existing file.
#pragma once

#include <filesystem>

namespace headlight {

// Throws Error if the regular file exists and `force` is false. A device or a pipe (/dev/stdout) passes: it
// is written to, not replaced.
void require_free(const std::filesystem::path& file, bool force);

}  // namespace headlight
