#include "engine/core/file_stamp.h"

#include <sys/stat.h>

#include <bit>
#include <cstring>
#include <string>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr std::uint64_t kStart = 0x9e3779b97f4a7c15;

// Hashes eight bytes at a time, so that the disk and not the hash limits the speed.
std::uint64_t mixed(std::uint64_t hash, const char* bytes, std::size_t count) {
  constexpr std::uint64_t kFactor = 0xff51afd7ed558ccd;
  const auto mix = [&](std::uint64_t word) {
    hash = std::rotl((hash ^ word) * kFactor, 29);
    hash ^= hash >> 32;
  };
  std::uint64_t word = 0;
  for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    mix(word);
  }
  word = 0;
  if (count > 0) std::memcpy(&word, bytes, count);  // no bytes may stand at null
  mix(word);
  mix(count);
  return hash;
}

// All fields except the content; none if there is no regular file.
std::optional<FileStamp> system_stamp(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return FileStamp{status.st_dev,
                   status.st_ino,
                   static_cast<std::uint64_t>(status.st_size),
                   status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec,
                   {}};
}

}  // namespace

std::uint64_t content_hash(const char* bytes, std::size_t count) {
  return mixed(kStart, bytes, count);
}

std::uint64_t content_hash(const std::filesystem::path& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::uint64_t hash = kStart;
  for (std::uint64_t at = 0;; at += kPiece) {
    const std::string piece = read_piece(path, at, kPiece);
    hash = mixed(hash, piece.data(), piece.size());
    if (piece.size() < kPiece) return hash;
  }
}

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
  std::optional<FileStamp> stamp = system_stamp(path);
  if (!stamp || stamp->size > kMostHashedBytes) return stamp;
  try {
    stamp->content = content_hash(path);
  } catch (const Error&) {
    return std::nullopt;
  }
  return stamp;
}

bool changed_since(const std::filesystem::path& path, const FileStamp& before) {
  const std::optional<FileStamp> now = system_stamp(path);
  if (!now) return false;
  const bool as_before = now->device == before.device && now->inode == before.inode &&
                         now->size == before.size && now->modified_ns == before.modified_ns;
  if (as_before) return false;
  if (now->size != before.size || !before.content) return true;
  try {
    return content_hash(path) != before.content;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace headlight
