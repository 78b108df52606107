// What is said of a session that was kept, before it is opened.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

#include "app/recovery/recovery_files.h"
#include "app/ui/dialogs/recovery_dialog.h"

namespace headlight {

// Reads the session and its own file where both are small; of large ones only the number of changes is told.
RecoveryEntry describe_recovered(const UnsavedSessions& kept, std::size_t at, Counting counting);

// Whether the session's own file holds all of it: the process ended just after it was saved. False where that
// would take long to find out.
bool is_saved_already(const UnsavedSessions& kept, std::size_t at);

// Whether the file holds this very session, however large the two are.
bool is_in_file(const Session& session, const std::filesystem::path& file);

// "today, 14:32", "yesterday, 09:05", "3 November 2026, 14:32", in local time.
std::string time_in_words(std::chrono::system_clock::time_point time,
                          std::chrono::system_clock::time_point now);

}  // namespace headlight
