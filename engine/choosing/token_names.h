// Tokens out of a file of their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

// A token a line in a text file; text of NumPy in a .npy. Throws Error for another file, and for an empty
// one.
std::vector<std::string> read_token_names(const std::filesystem::path& path);

}  // namespace headlight
