// Detects whether a file has changed since it was read or written: by its metadata, and by a hash of its
// bytes if the metadata differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace headlight {

struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified_ns = 0;          // since the epoch
  std::optional<std::uint64_t> content;  // content_hash(); none above kMostHashedBytes
};

inline constexpr std::uint64_t kMostHashedBytes = std::uint64_t{64} << 20;

// The stamp of a regular file; follows symbolic links. None if the file does not exist or cannot be read.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

// Whether the file exists and its contents differ from those at `before`. A file with new metadata but the
// same bytes (touched, or copied back) has not changed. A file above kMostHashedBytes counts as changed if
// any of its metadata differs.
bool changed_since(const std::filesystem::path& path, const FileStamp& before);

// A 64-bit hash of the file's bytes, not cryptographic: it detects accidental changes only. Throws Error.
std::uint64_t content_hash(const std::filesystem::path& path);
// The hash of bytes in memory.
std::uint64_t content_hash(const char* bytes, std::size_t count);

}  // namespace headlight
