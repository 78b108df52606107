#include "app/recovery/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// The time, for users who look into the folder, and a random number that makes the name unique.
std::string new_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y%m%d-%H%M%S-", &local);
  std::random_device chance;
  std::snprintf(text + size, sizeof text - size, "%08x", chance());
  return text;
}

int open_lock(const fs::path& path, int flags) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

// Whether `path` is still the opened file: another process may have removed it before it was locked.
bool is_file_of(int descriptor, const fs::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

OwnerLock OwnerLock::of_new_name(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error("the folder cannot be made: " + failed.message(), folder.string(),
                "set XDG_STATE_HOME to a folder that can be written to");
  ::chmod(folder.c_str(), 0700);
  const std::string name = new_name();
  // Renamed to its final name once it is locked, so that no other process finds it unlocked.
  const fs::path unnamed = folder / ("." + name + kLockEnding), named = folder / (name + kLockEnding);
  const int descriptor = open_lock(unnamed, O_EXCL);
  if (descriptor < 0)
    throw Error(std::string("no file can be made here: ") + std::strerror(errno), folder.string(),
                "free some space, or set XDG_STATE_HOME to a folder that can be written to");
  OwnerLock lock(folder, name, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || ::rename(unnamed.c_str(), named.c_str()) != 0) {
    const int code = errno;
    ::unlink(unnamed.c_str());
    throw Error(std::string("no file can be locked here: ") + std::strerror(code), folder.string(),
                "set XDG_STATE_HOME to a folder on another disk");
  }
  return lock;
}

std::optional<OwnerLock> OwnerLock::claim(const fs::path& folder, const std::string& name) {
  const fs::path path = folder / (name + kLockEnding);
  const int descriptor = open_lock(path, 0);
  if (descriptor < 0) return std::nullopt;
  OwnerLock lock(folder, name, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !is_file_of(descriptor, path)) return std::nullopt;
  return lock;
}

OwnerLock::~OwnerLock() {
  let_go();
}

OwnerLock::OwnerLock(OwnerLock&& other) noexcept
    : folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OwnerLock& OwnerLock::operator=(OwnerLock&& other) noexcept {
  if (this == &other) return *this;
  let_go();
  folder_ = std::move(other.folder_);
  name_ = std::move(other.name_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

void OwnerLock::remove() {
  if (descriptor_ >= 0) ::unlink(file(kLockEnding).c_str());
  let_go();
}

void OwnerLock::let_go() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace headlight
