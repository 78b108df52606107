// Whether a file is still the one that was read or written: by what the system says of it, and by its bytes
// where that is in doubt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace headlight {

struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified_ns = 0;          // since the epoch
  std::optional<std::uint64_t> content;  // content_hash(); none of files above kMostHashedBytes
};

inline constexpr std::uint64_t kMostHashedBytes = std::uint64_t{64} << 20;

// Of a regular file, behind links; none when there is no such file or it can't be read.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// Whether there is a file now, and it holds something else than it did at `before`. A file that was only
// touched, or copied back, has not changed. A large one has when the system says anything else of it.
bool changed_since(const std::filesystem::path& path, const FileStamp& before);

// Tells contents apart that differ by accident, not by intent. Reads all bytes. Throws Error.
std::uint64_t content_hash(const std::filesystem::path& path);
// The same of bytes in memory.
std::uint64_t content_hash(const char* bytes, std::size_t count);

}  // namespace headlight
