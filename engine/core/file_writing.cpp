// Writing files: atomically, or directly into a device or pipe.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

#include "engine/core/descriptor.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

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

// Returns 0 or errno.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// A device or pipe (/dev/stdout) has no older content to protect, and must not be replaced by a file.
void write_in_place(const fs::path& path, const std::string& bytes) {
  // Opening a pipe without a reader blocks; with O_NONBLOCK it fails with ENXIO instead.
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open() && errno == ENXIO)
    throw Error("this is a pipe that nobody reads from", path.string(),
                "give the name of a file, or start what reads from it first");
  if (!file.open()) throw write_error(path, errno);
  ::fcntl(file.number(), F_SETFL, ::fcntl(file.number(), F_GETFL) & ~O_NONBLOCK);
  if (const int code = write_all(file.number(), bytes)) throw write_error(path, code);
  if (!file.close()) throw write_error(path, errno);
}

constexpr std::string_view kBegins = ".headlight-", kEnds = ".tmp";

// Names such as ".headlight-4711-0.tmp", which create_beside makes.
bool is_temporary(std::string_view name) {
  if (!name.starts_with(kBegins) || !name.ends_with(kEnds) || name.size() <= kBegins.size() + kEnds.size())
    return false;
  const std::string_view middle = name.substr(kBegins.size(), name.size() - kBegins.size() - kEnds.size());
  return std::all_of(middle.begin(), middle.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

// Deletes temporary files of processes that were killed while they wrote. Each process holds a lock on its
// file, which the system releases when the process ends, for whatever reason and on whichever machine it ran.
void sweep(const fs::path& folder) {
  DIR* listing = ::opendir(folder.c_str());
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing)) {
    if (!is_temporary(entry->d_name)) continue;
    const fs::path path = folder / entry->d_name;
    const Descriptor file(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    const bool left = file.open() && ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
                      ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
    if (left) ::unlink(path.c_str());
  }
  ::closedir(listing);
}

// Locks the new file. False if a concurrent sweep() has locked or deleted it. On a file system without locks
// it returns true, and sweep() deletes nothing.
bool take(const Descriptor& file) {
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 && status.st_nlink > 0;
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// Creates a new hidden file in the target's folder. Its name is short, however long the target's is, and
// unique among processes and threads. On failure errno has the reason.
Descriptor create_beside(const fs::path& target, fs::path& temporary) {
  static std::atomic<unsigned> counter{0};
  sweep(folder_of(target));
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = target.parent_path() / (std::string(kBegins) + std::to_string(::getpid()) + "-" +
                                        std::to_string(counter++) + std::string(kEnds));
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.open() ? take(file) : errno != EEXIST) return file;
  }
  return Descriptor(-1);
}

// Makes the rename survive a power failure, if the file system can; the file is complete either way.
void sync_folder(const fs::path& target) {
  const Descriptor descriptor(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.open()) ::fsync(descriptor.number());
}

// Whether the path exists; fills `status`. Throws Error for a folder.
bool find_existing(const fs::path& path, struct stat& status) {
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw write_error(path, EISDIR);
  return exists;
}

}  // namespace

struct AtomicFile::State {
  fs::path path, target, temporary;  // as requested; links resolved; being written
  Descriptor file{-1};
};

AtomicFile::AtomicFile(const fs::path& path) : state_(std::make_unique<State>()) {
  struct stat status {};
  const bool exists = find_existing(path, status);
  if (exists && !S_ISREG(status.st_mode))
    throw Error("this is a device or a pipe, not a file", path.string(), "give the name of a file");
  // A rename needs no permission on the old file itself, so a read-only file is checked for here.
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) throw write_error(path, errno);
  // The target of a symbolic link is replaced, not the link.
  std::error_code failure;
  state_->path = path;
  state_->target = exists ? fs::canonical(path, failure) : path;
  if (failure) throw write_error(path, failure.value());
  state_->file = create_beside(state_->target, state_->temporary);
  if (!state_->file.open()) throw write_error(path, errno);
  if (exists) ::fchmod(state_->file.number(), status.st_mode & 0777);
}

AtomicFile::~AtomicFile() {
  if (state_ && state_->file.open()) ::unlink(state_->temporary.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (const int code = write_all(state_->file.number(), bytes)) throw write_error(state_->path, code);
}

void AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(state_->file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw write_error(state_->path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::commit() {
  if (::fsync(state_->file.number()) != 0) throw write_error(state_->path, errno);
  // Renamed before it is closed: the lock protects the temporary name from sweep().
  if (::rename(state_->temporary.c_str(), state_->target.c_str()) != 0)
    throw write_error(state_->path, errno);
  if (!state_->file.close()) throw write_error(state_->path, errno);
  sync_folder(state_->target);
}

void write_file_atomically(const fs::path& path, const std::string& bytes) {
  struct stat status {};
  if (find_existing(path, status) && !S_ISREG(status.st_mode)) return write_in_place(path, bytes);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace headlight
