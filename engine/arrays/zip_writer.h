// Writes a zip archive whose members are stored uncompressed, directly from memory, one after the other. From
// 4 GB or 65,535 members on it is a zip64 archive.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/file.h"

namespace headlight {

class ZipWriter {
 public:
  using Put = std::function<void(std::string_view bytes)>;

  // `file` must outlive this object; its owner commits it.
  explicit ZipWriter(AtomicFile& file) : file_(file) {}

  // Adds a member of `size` bytes: `pour` passes them to `put` in pieces. The date is fixed: the bytes of an
  // archive depend only on its content. Throws `Error` as AtomicFile does.
  void add(const std::string& name, std::uint64_t size, const std::function<void(const Put& put)>& pour);
  void add(const std::string& name, std::string_view bytes);
  // Writes the end records of the archive; nothing can be added after it.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0, size = 0;
    std::uint32_t checksum = 0;
  };
  void write(const std::string& bytes);

  AtomicFile& file_;
  std::uint64_t offset_ = 0;  // bytes written
  std::vector<Entry> entries_;
};

}  // namespace headlight
