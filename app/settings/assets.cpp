#include "app/settings/assets.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "engine/core/error.h"
#include "engine/core/user_folders.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The data folders of the XDG base directories, which require that relative paths are ignored.
void add_data_folders(std::vector<fs::path>& folders) {
  std::string home = variable("XDG_DATA_HOME");
  if (home.empty())
    if (const std::optional<fs::path> person = user_home()) home = (*person / ".local/share").string();
  std::string shared = variable("XDG_DATA_DIRS");
  if (shared.empty()) shared = "/usr/local/share:/usr/share";
  const std::string all = home + ":" + shared;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path folder = all.substr(begin, end - begin);
    if (folder.is_absolute()) folders.push_back(folder / "headlight");
    begin = end + 1;
  }
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> folders;
  if (const std::string chosen = variable("HEADLIGHT_ASSETS"); !chosen.empty()) folders.emplace_back(chosen);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed)
    for (const char* from_program : {"../assets", "assets", HEADLIGHT_DATA_FROM_PROGRAM})
      folders.push_back((program.parent_path() / from_program).lexically_normal());
  add_data_folders(folders);
  return folders;
}

}  // namespace

fs::path asset_folder() {
  std::error_code failed;
  for (const fs::path& folder : candidates()) {
    if (!fs::is_directory(folder / "lessons", failed)) continue;
    // A build folder has a link to the folder in the sources: resolved, so that files have their real paths.
    const fs::path real = fs::canonical(folder, failed);
    return failed ? folder : real;
  }
  throw Error("the folder of lessons is missing", "lessons",
              "install the program whole, or set HEADLIGHT_ASSETS to the folder that holds lessons/");
}

std::vector<fs::path> lesson_files() {
  std::vector<fs::path> files;
  const fs::path assets = asset_folder();
  for (const char* name : {"lessons", "examples"}) {
    const fs::path folder = assets / name;
    if (!fs::is_directory(folder)) continue;
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".headlight") files.push_back(entry.path());
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

fs::path bundled_model() {
  const fs::path session = asset_folder() / "examples/words/who-gave-what.headlight";
  std::error_code missing;
  return fs::exists(session, missing) ? session : fs::path();
}

std::vector<fs::path> icon_files() {
  std::vector<fs::path> files;
  std::error_code failed;
  const fs::path folder = asset_folder() / "icons";
  for (const char* size : {"16", "24", "32", "48", "64", "128"})
    if (const fs::path file = folder / ("headlight-" + std::string(size) + ".png"); fs::exists(file, failed))
      files.push_back(file);
  return files;
}

}  // namespace headlight
