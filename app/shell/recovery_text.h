// Descriptions of recoverable sessions.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "app/recovery/recovery_files.h"
#include "app/ui/dialogs/recovery_dialog.h"

namespace headlight {

// Reads the session and its own file if both are small; for large ones states only the number of changes.
RecoveryEntry describe_recovered(const UnsavedSessions& kept, std::size_t at, Counting counting);

// Whether the session's own file has the same contents, because the process ended just after saving. False if
// the comparison would take long.
bool is_saved_already(const UnsavedSessions& kept, std::size_t at);

// Whether the file holds an equal session, regardless of size.
bool is_in_file(const Session& session, const std::filesystem::path& file);

// "today, 14:32", "yesterday, 09:05", "3 November 2026, 14:32", in local time.
std::string time_in_words(std::chrono::system_clock::time_point time,
                          std::chrono::system_clock::time_point now);

}  // namespace headlight
