// The content of a folder as the file browser shows it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

struct FolderEntry {
  std::string name;
  bool folder = false;
};

struct FolderListing {
  std::vector<FolderEntry> entries;  // folders first, each group by name regardless of case
  std::string error;                 // why it could not be read; empty when it could
};

// Hidden entries and files with another extension than `extension` (".png") and those of `also` are left out.
FolderListing list_folder(const std::filesystem::path& folder, const std::string& extension,
                          const std::vector<std::string>& also = {});

// The first entry whose name begins with `prefix`, regardless of case; -1 when none does.
int find_entry(const std::vector<FolderEntry>& entries, const std::string& prefix);

}  // namespace headlight
