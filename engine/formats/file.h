// What the readers of all formats ask of a file before they open it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace headlight {

// Its size in bytes. Throws Error when there is no such file, when it is a folder, a device or a pipe, when
// it may not be read, or when it is larger than `limit` bytes.
std::uint64_t require_file(const std::filesystem::path& path, std::uint64_t limit);

// `count` bytes from byte `begin` on; fewer where the file ends. Throws Error when it cannot be read.
std::string read_piece(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t count);

}  // namespace headlight
