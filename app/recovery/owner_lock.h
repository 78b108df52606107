// Who owns the files of a name in the recovery folder: the process that holds the lock on NAME.lock. The
// system takes the lock away with the process, however that ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace headlight {

class OwnerLock {
 public:
  // Of a name that nobody has had before. Throws Error when the folder can't be written to.
  static OwnerLock of_new_name(const std::filesystem::path& folder);
  // Of files whose owner is gone; none while the owner lives, or somebody else has claimed them.
  static std::optional<OwnerLock> claim(const std::filesystem::path& folder, const std::string& name);
  ~OwnerLock();  // lets go; the file of the lock stays
  OwnerLock(OwnerLock&& other) noexcept;
  OwnerLock& operator=(OwnerLock&& other) noexcept;
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  const std::string& name() const { return name_; }
  std::filesystem::path file(const std::string& ending) const { return folder_ / (name_ + ending); }
  // Removes the file of the lock, behind all others of its name, and lets go.
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
