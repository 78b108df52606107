// Ownership of the files with a common name in the recovery folder: the process that holds the lock on
// NAME.lock. The system releases the lock when the process ends, also after a crash.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace headlight {

class OwnerLock {
 public:
  // Locks a new, unique name; creates the folder if necessary. Throws Error if it cannot be written to.
  static OwnerLock of_new_name(const std::filesystem::path& folder);
  // Locks an existing name whose owner has ended; none if another process holds the lock.
  static std::optional<OwnerLock> claim(const std::filesystem::path& folder, const std::string& name);
  ~OwnerLock();  // releases the lock; the lock file remains
  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&& other) noexcept;
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  const std::string& name() const { return name_; }
  std::filesystem::path file(const std::string& ending) const { return folder_ / (name_ + ending); }
  // Removes the lock file and releases the lock. Call after the other files of the name are removed.
  void remove();

 private:
  OwnerLock(std::filesystem::path folder, std::string name, int descriptor)
      : folder_(std::move(folder)), name_(std::move(name)), descriptor_(descriptor) {}
  void let_go();

  std::filesystem::path folder_;
  std::string name_;
  int descriptor_ = -1;
};

inline constexpr const char* kLockEnding = ".lock";

}  // namespace headlight
