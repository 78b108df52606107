// Reading and writing files: whole, in pieces, and atomically.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace headlight {

// Throws Error if the name contains a zero byte.
void require_no_zero_byte(const std::filesystem::path& path);

// Returns the file's size in bytes. Throws Error if it does not exist, is a folder, a device or a pipe,
// cannot be read, or is larger than `limit` bytes.
std::uint64_t require_file(const std::filesystem::path& path, std::uint64_t limit);

// Reads `count` bytes from byte `begin` on; fewer if the file ends before. Throws Error if it cannot be read.
std::string read_piece(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t count);

// Reads a whole file. Throws Error if it is missing, a directory, a device or unreadable.
std::string read_file(const std::filesystem::path& path);
// Reads a text that a person wrote: read_file() without a byte order mark of UTF-8 at the beginning.
std::string read_text_file(const std::filesystem::path& path);

// Writes a file in pieces to a hidden temporary file in the same folder; commit() renames it over the target.
// Without commit() the destructor deletes the temporary file, and the old file does not change. A process
// that is killed before that leaves its temporary file; the next AtomicFile in the same folder deletes it.
class AtomicFile {
 public:
  // Throws Error (no permission, no such folder, ...), also if the path is a device or a pipe.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // throws Error (disk full, ...)
  // Overwrites bytes that have been written already. Throws Error.
  void write_at(std::uint64_t offset, std::string_view bytes);
  void commit();  // flushes and renames; throws Error

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Writes `bytes` to `path` with AtomicFile: on failure the old file does not change. A device or a pipe with
// a reader (/dev/stdout) is written to directly, not replaced. Throws Error.
void write_file_atomically(const std::filesystem::path& path, const std::string& bytes);

}  // namespace headlight
