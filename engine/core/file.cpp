#include "engine/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "engine/core/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// Closes when it goes out of scope, unless close() has already told how it went.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

Error read_error(const fs::path& path, int code) {
  const std::string where = path.string();
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return Error("there is no such file", where, "check the name and the folder");
    case EISDIR:
      return Error("this is a folder, not a file", where, "choose a file inside it");
    case EACCES:
    case EPERM:
      return Error("no permission to read the file", where, "ask its owner, or change it with chmod +r");
    default:
      return Error(std::string("the file cannot be read: ") + std::strerror(code), where, "try a copy of it");
  }
}

Error write_error(const fs::path& path, int code) {
  const std::string where = path.string();
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return Error("the disk is full", where, "free some space or choose another disk");
    case ENOENT:
    case ENOTDIR:
      return Error("there is no folder " + path.parent_path().string(), where,
                   "create it or choose another one");
    case EISDIR:
      return Error("this is a folder, not a file", where, "give the name of a file inside it");
    case EACCES:
    case EPERM:
      return Error("no permission to write here", where, "choose another folder, or change it with chmod +w");
    case EROFS:
      return Error("this disk is read-only", where, "choose another one");
    case EFBIG:
      return Error("the file would be too large", where, "the system or the disk sets a limit on file sizes");
    case ENAMETOOLONG:
      return Error("the name is too long", where, "choose a shorter one");
    default:
      return Error(std::string("the file cannot be written: ") + std::strerror(code), where,
                   "choose another place");
  }
}

// Returns 0, or the error's number.
int write_all(int descriptor, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    done += static_cast<std::size_t>(written);
  }
  return 0;
}

// A device or pipe (/dev/stdout) has no older content to protect, and must not be replaced by a file.
void write_in_place(const fs::path& path, const std::string& bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.open()) throw write_error(path, errno);
  if (const int code = write_all(file.number(), bytes)) throw write_error(path, code);
  if (!file.close()) throw write_error(path, errno);
}

// A new hidden file beside the target, under a name that is short whatever the target's is and that no other
// process or thread uses. Returns its descriptor, or -1 with errno set.
int create_beside(const fs::path& target, fs::path& temporary) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string name =
        ".headlight-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    temporary = target.parent_path() / name;
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;  // EEXIST: left behind by a crash
  }
  return -1;
}

// Returns 0, or the error's number.
int fill_and_sync(Descriptor& file, const std::string& bytes) {
  if (const int code = write_all(file.number(), bytes)) return code;
  if (::fsync(file.number()) != 0) return errno;
  return file.close() ? 0 : errno;
}

// So that the new name survives a power cut. Not every file system can do it; the file is whole either way.
void sync_folder(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) ::fsync(descriptor.number());
}

}  // namespace

std::uint64_t require_file(const fs::path& path, std::uint64_t limit) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw read_error(path, errno);
  if (S_ISDIR(status.st_mode)) throw read_error(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error("this is a device or a pipe, not a file", path.string(), "save it to a file first");
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) throw read_error(path, errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit)
    throw Error("the file has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) +
                    " that can be opened here",
                path.string(), "save a part of it");
  return size;
}

std::string read_file(const fs::path& path) {
  return read_piece(path, 0, require_file(path, std::numeric_limits<std::uint64_t>::max()));
}

std::string read_piece(const fs::path& path, std::uint64_t begin, std::uint64_t count) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) throw read_error(path, errno);
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        ::pread(file.number(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw read_error(path, errno);
    if (got == 0) break;  // the end, or it became shorter while we read
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

void write_file_atomically(const fs::path& path, const std::string& bytes) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw write_error(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  // A rename needs no permission on the old file itself: respect a file that was made read-only.
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) throw write_error(path, errno);
  // Behind a link stands the file to replace, not the link.
  std::error_code failure;
  const fs::path target = exists ? fs::canonical(path, failure) : path;
  if (failure) throw write_error(path, failure.value());
  fs::path temporary;
  Descriptor file(create_beside(target, temporary));
  if (!file.open()) throw write_error(path, errno);
  if (exists) ::fchmod(file.number(), status.st_mode & 0777);
  int code = fill_and_sync(file, bytes);
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    throw write_error(path, code);
  }
  sync_folder(target);
}

}  // namespace headlight
