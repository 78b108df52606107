// The content of a folder as the file browser shows it.
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
  std::optional<std::filesystem::file_time_type> written = {};  // none where it cannot be told
};

struct FolderListing {
  std::vector<FolderEntry> entries;  // folders first, each group by name regardless of case
  std::string error;                 // why it could not be read; empty when it could
};

// Hidden entries and files with another extension than `extension` (".png") and those of `also` are left out.
FolderListing list_folder(const std::filesystem::path& folder, const std::string& extension,
                          const std::vector<std::string>& also = {});

// "1.2 MB", "340 bytes", and "2026-03-14 09:26" in the time of this place.
std::string size_text(std::uintmax_t bytes);
std::string date_text(std::filesystem::file_time_type time);

// The first entry whose name begins with `prefix`, regardless of case; -1 when none does.
int find_entry(const std::vector<FolderEntry>& entries, const std::string& prefix);

}  // namespace headlight
