// Reading and writing files: whole, in pieces, and atomically.
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

// Writes `bytes` to `path` atomically, beside the file, flushed, then renamed: on failure the old file is as
// it was. A device or a pipe (/dev/stdout) is written to, not replaced. Throws Error (no permission, disk
// full, ...).
void write_file_atomically(const std::filesystem::path& path, const std::string& bytes);
// Reads a whole file. Throws Error when it is missing, a directory, a device or unreadable.
std::string read_file(const std::filesystem::path& path);

}  // namespace headlight
