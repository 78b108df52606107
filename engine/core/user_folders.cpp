#include "engine/core/user_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  return folder.is_absolute() && folder.lexically_normal() != folder.root_path();
}

std::optional<fs::path> home_of_user_list() {
  constexpr std::size_t kEnough = 1 << 16;  // bytes of one entry
  std::vector<char> buffer(kEnough);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return std::nullopt;
  if (!found->pw_dir || !is_home(found->pw_dir)) return std::nullopt;
  return fs::path(found->pw_dir);
}

std::optional<fs::path> own_folder(const char* variable, const char* below_home) {
  // The specification requires that a relative path is ignored.
  if (const char* folder = std::getenv(variable); folder && fs::path(folder).is_absolute())
    return fs::path(folder) / "headlight";
  const std::optional<fs::path> home = user_home();
  if (!home) return std::nullopt;
  return *home / below_home / "headlight";
}

}  // namespace

std::optional<fs::path> user_home() {
  if (const char* home = std::getenv("HOME"); home && is_home(home)) return fs::path(home);
  return home_of_user_list();
}

std::optional<fs::path> config_folder() {
  return own_folder("XDG_CONFIG_HOME", ".config");
}

std::optional<fs::path> state_folder() {
  return own_folder("XDG_STATE_HOME", ".local/state");
}

std::optional<fs::path> cache_folder() {
  return own_folder("XDG_CACHE_HOME", ".cache");
}

}  // namespace headlight
