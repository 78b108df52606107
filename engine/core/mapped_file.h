// A file as memory: the system reads the pages that are touched, and may give them back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/core/descriptor.h"

namespace headlight {

class MappedFile {
 public:
  // Throws Error when the file is missing, a folder, a device or unreadable, or when it cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  // Throws Error when the file has become shorter, or was written to, since it was mapped: to read beyond its
  // new end would end the program. A file that was deleted or replaced stays as it was.
  void require_unchanged() const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t modified_ns_ = 0;
};

}  // namespace headlight
