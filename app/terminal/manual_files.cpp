#include "app/terminal/manual_files.h"

#include <algorithm>

#include "app/settings/assets.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

ManualPage read_page(const std::string& name) {
  return parse_manual_page(name, read_file(manual_folder() / (name + ".md")));
}

}  // namespace

fs::path manual_folder() {
  const fs::path assets = asset_folder();
  for (const fs::path& folder : {assets / "manual", assets.parent_path() / "app" / "manual"})
    if (fs::exists(folder / "index.md")) return folder;
  throw Error("the manual is missing", (assets / "manual").string(), "install the program whole");
}

std::vector<std::string> manual_pages() {
  std::vector<std::string> names = {"index"};
  for (const ManualBlock& block : read_page("index").blocks)
    for (const auto& row : block.rows)
      for (const ManualRun& run : row.empty() ? ManualText{} : row.front())
        if (!run.link.empty()) names.push_back(run.link);
  return names;
}

ManualPage read_manual_page(const std::string& name) {
  const std::vector<std::string> names = manual_pages();
  if (std::find(names.begin(), names.end(), name) != names.end()) return read_page(name);
  std::string list;
  for (const std::string& known : names)
    list += (list.empty() ? "" : ", ") + known;
  throw Error("the manual has no such page", "page \"" + name + "\"", "its pages are " + list);
}

}  // namespace headlight
