// A file as memory: the system reads the pages that are touched, and may give them back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/core/descriptor.h"

namespace headlight {

// Memory of a file whose pages the system may fail to bring: the file was cut behind them, or its disk is
// gone. To touch such a page would end the program by SIGBUS. While it is watched it reads as zeros, and the
// watch knows that it happened.
struct FaultRange;

class FaultWatch {
 public:
  // Of memory that is mapped from a file for reading, and stays so as long as this. For any thread. SIGBUS is
  // handled from the first one on: of memory that no watch is of, and sent by somebody, it does what it did
  // before.
  FaultWatch(const char* begin, std::size_t size);
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;

  // Whether a page could not be brought: what was read from then on may be zeros. For any thread; whoever has
  // read such zeros finds it true.
  bool faulted() const;

 private:
  FaultRange* range_;
};

class MappedFile {
 public:
  // Throws Error when the file is missing, a folder, a device or unreadable, or when it cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Bytes that the system cannot bring any more are zeros.
  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  // To be asked before bytes are read, and after they were: throws Error when the file has become shorter or
  // was written to since it was mapped, and when a page of it could not be brought. It throws ever after
  // then. A file that was deleted, renamed or replaced stays as it was. For any thread.
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
