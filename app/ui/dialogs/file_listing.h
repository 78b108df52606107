// The contents of a folder for the file browser.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::uintmax_t bytes = 0;                                     // of a file
  std::optional<std::filesystem::file_time_type> written = {};  // nullopt if unknown
};

struct FolderListing {
  std::vector<FolderEntry> entries;  // folders first, each group by name regardless of case
  std::string error;                 // why the folder could not be read; empty if it was
};

// Leaves out hidden entries and files whose extension is neither `extension` (".png") nor in `also`.
FolderListing list_folder(const std::filesystem::path& folder, const std::string& extension,
                          const std::vector<std::string>& also = {});

// "2026-03-14 09:26" in local time.
std::string date_text(std::filesystem::file_time_type time);

// The first entry whose name begins with `prefix`, regardless of case; -1 if there is none.
int find_entry(const std::vector<FolderEntry>& entries, const std::string& prefix);

}  // namespace headlight
