#include "app/ui/dialogs/file_listing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <utility>

#include "engine/core/ascii.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

}  // namespace

FolderListing list_folder(const fs::path& folder, const std::string& extension,
                          const std::vector<std::string>& also) {
  FolderListing listing;
  const auto wanted = [&](const std::string& ending) {
    return ending == extension || std::find(also.begin(), also.end(), ending) != also.end();
  };
  std::error_code failure;
  fs::directory_iterator at(folder, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;  // a broken link is neither a folder nor a file
    const bool is_folder = at->is_directory(ignored);
    if (name.starts_with('.')) continue;
    if (!is_folder && (!at->is_regular_file(ignored) || !wanted(lowered(at->path().extension().string()))))
      continue;
    FolderEntry entry = {name, is_folder};
    if (!is_folder) entry.bytes = at->file_size(ignored);
    if (ignored) entry.bytes = 0;
    const fs::file_time_type written = at->last_write_time(ignored);
    if (!ignored) entry.written = written;
    listing.entries.push_back(std::move(entry));
  }
  if (failure) listing.error = folder.string() + " cannot be read: " + failure.message();
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    if (a.folder != b.folder) return a.folder;
    const std::string lower_a = lowered(a.name), lower_b = lowered(b.name);
    return lower_a != lower_b ? lower_a < lower_b : a.name < b.name;
  });
  return listing;
}

std::string date_text(fs::file_time_type time) {
  const auto system =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
  const std::time_t seconds = std::chrono::system_clock::to_time_t(system);
  std::tm local = {};
  if (!localtime_r(&seconds, &local)) return "";
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local)};
}

int find_entry(const std::vector<FolderEntry>& entries, const std::string& prefix) {
  const std::string wanted = lowered(prefix);
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const FolderEntry& entry) {
    return lowered(entry.name).starts_with(wanted);
  });
  return at == entries.end() ? -1 : static_cast<int>(at - entries.begin());
}

}  // namespace headlight
