// Reading and writing files: whole, in pieces, and atomically.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace headlight {

// Throws Error for a name that holds a byte 0.
void require_whole_name(const std::filesystem::path& path);

// Its size in bytes. Throws Error when there is no such file, when it is a folder, a device or a pipe, when
// it may not be read, or when it is larger than `limit` bytes.
std::uint64_t require_file(const std::filesystem::path& path, std::uint64_t limit);

// `count` bytes from byte `begin` on; fewer where the file ends. Throws Error when it cannot be read.
std::string read_piece(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t count);

// Reads a whole file. Throws Error when it is missing, a directory, a device or unreadable.
std::string read_file(const std::filesystem::path& path);

// A file that is written bit by bit beside the one it takes the place of. Until it is committed the old file
// is as it was, and what was written is gone with this object. A process that is killed meanwhile leaves a
// hidden file; the next one that writes into the same folder takes it away.
class AtomicFile {
 public:
  // Throws Error (no permission, no such folder, ...), also when the path is a device or a pipe.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // throws Error (disk full, ...)
  // Over bytes that are written already.
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();  // flushes and renames. Throws Error

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes `bytes` to `path` as AtomicFile does: on failure the old file is as it was. A device or a pipe that
// someone reads from (/dev/stdout) is written to, not replaced. Throws Error.
void write_file_atomically(const std::filesystem::path& path, const std::string& bytes);

}  // namespace headlight
