// Tokens from a separate file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

// One token per line of a text file; the text of a .npy file. Throws `Error` for a .npy file without text,
// and for an empty file.
std::vector<std::string> read_token_names(const std::filesystem::path& path);

}  // namespace headlight
