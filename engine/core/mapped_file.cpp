#include "engine/core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

Error mapping_error(const std::filesystem::path& path) {
  return Error(std::string("the file cannot be read: ") + std::strerror(errno), path.string(),
               "try a copy of it");
}

std::int64_t modified_ns(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path),
      file_((require_file(path, std::numeric_limits<std::uint64_t>::max()),
             ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))) {
  struct stat status {};
  if (!file_.open() || ::fstat(file_.number(), &status) != 0) throw mapping_error(path);
  size_ = static_cast<std::size_t>(status.st_size);
  modified_ns_ = headlight::modified_ns(status);
  if (size_ == 0) return;
  void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (at == MAP_FAILED) throw mapping_error(path);
  data_ = static_cast<const char*>(at);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::require_unchanged() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw mapping_error(path_);
  if (static_cast<std::size_t>(status.st_size) == size_ && headlight::modified_ns(status) == modified_ns_)
    return;
  throw Error("the file was changed while it was open", path_.string(),
              "open its folder again to go on with what it holds now");
}

}  // namespace headlight
