#include "app/settings/assets.h"

#include <algorithm>
#include <cstdlib>
#include <source_location>
#include <system_error>

#include "engine/core/error.h"

namespace headlight {
namespace {

// The assets of the source tree that this very file was compiled in.
std::filesystem::path source_assets() {
  const std::filesystem::path this_file = std::source_location::current().file_name();
  return (this_file.parent_path() / "../../assets").lexically_normal();
}

std::vector<std::filesystem::path> candidates() {
  std::vector<std::filesystem::path> folders;
  if (const char* chosen = std::getenv("HEADLIGHT_ASSETS"); chosen != nullptr && *chosen != '\0')
    folders.emplace_back(chosen);
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    folders.push_back((program.parent_path() / "../../assets").lexically_normal());
    folders.push_back((program.parent_path() / "../assets").lexically_normal());
  }
  folders.push_back(source_assets());
  return folders;
}

}  // namespace

std::filesystem::path asset_folder() {
  std::error_code failed;
  for (const std::filesystem::path& folder : candidates())
    if (std::filesystem::is_directory(folder / "lessons", failed)) return folder;
  throw Error("the folder of lessons is missing", source_assets().string(),
              "set HEADLIGHT_ASSETS to the folder that holds lessons/");
}

std::vector<std::filesystem::path> lesson_files() {
  std::vector<std::filesystem::path> files;
  for (const char* name : {"lessons", "examples"}) {
    const std::filesystem::path folder = asset_folder() / name;
    if (!std::filesystem::is_directory(folder)) continue;
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".headlight") files.push_back(entry.path());
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

}  // namespace headlight
