// Memory-mapped files: the system loads pages when they are accessed and may evict them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/core/descriptor.h"

namespace headlight {

// A watched range of memory-mapped pages. Accessing a page that cannot be loaded, because the file was
// truncated or its disk failed, raises SIGBUS, which ends the program. In a watched range such pages read as
// zeros instead, and faulted() returns true.
struct FaultRange;

class FaultWatch {
 public:
  // The range must be mapped from a file for reading and stay mapped as long as the watch exists.
  // Thread-safe. The first watch installs a handler for SIGBUS; signals outside watched ranges and those sent
  // by a process have the effect that they had before.
  FaultWatch(const char* begin, std::size_t size);
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;

  // Whether a page could not be loaded: bytes read since then may be zeros. Thread-safe; a thread that has
  // read such zeros sees true.
  bool faulted() const;

 private:
  FaultRange* range_;
};

class MappedFile {
 public:
  // Throws Error if the file is missing, a folder, a device or unreadable, or if it cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Bytes that the system can no longer load are zeros.
  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  // Lets the system take the memory of the whole pages of these bytes, which are part of bytes(): they are
  // loaded again when they are read. Thread-safe.
  void drop_pages(std::string_view bytes) const;
  // Call before and after reading bytes. Throws Error if the file has been truncated or written to since it
  // was mapped, or if a page could not be loaded; every later call throws too. Deleting, renaming or
  // replacing the file is no change, because the mapping still shows the old contents. Thread-safe.
  void require_unchanged() const;

 private:
  struct Stamp {
    std::uint64_t size = 0, links = 0, owner = 0, group = 0, mode = 0;
    std::int64_t written_ns = 0, changed_ns = 0;
  };
  Stamp stamp_now() const;
  bool unchanged() const;

  std::filesystem::path path_;
  Descriptor file_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  Stamp stamp_;
  std::optional<FaultWatch> watch_;
  mutable std::atomic<bool> changed_{false};
};

}  // namespace headlight
