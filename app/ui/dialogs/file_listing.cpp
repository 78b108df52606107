#include "app/ui/dialogs/file_listing.h"

#include <algorithm>
#include <cctype>

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

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
    if (!is_folder && (!at->is_regular_file(ignored) || !wanted(lower(at->path().extension().string()))))
      continue;
    listing.entries.push_back({name, is_folder});
  }
  if (failure) listing.error = folder.string() + " cannot be read: " + failure.message();
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    if (a.folder != b.folder) return a.folder;
    const std::string lower_a = lower(a.name), lower_b = lower(b.name);
    return lower_a != lower_b ? lower_a < lower_b : a.name < b.name;
  });
  return listing;
}

int find_entry(const std::vector<FolderEntry>& entries, const std::string& prefix) {
  const std::string wanted = lower(prefix);
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const FolderEntry& entry) {
    return lower(entry.name).starts_with(wanted);
  });
  return at == entries.end() ? -1 : static_cast<int>(at - entries.begin());
}

}  // namespace headlight
