// The recovery files of a session: NAME.headlight, the session as it was last written whole, NAME.journal
// with the changes since (journal.h), and NAME.lock (owner_lock.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/recovery/journal.h"
#include "app/recovery/owner_lock.h"
#include "engine/session/session.h"

namespace headlight {

// "recovery" in state_folder(); none if there is no such folder.
std::optional<std::filesystem::path> recovery_folder();

// The user's file that a session belongs to, and its stamp.
struct RecoveryOrigin {
  std::optional<std::filesystem::path> path;
  std::optional<FileStamp> stamp;
};

// The files of the session that this process has open. Not thread-safe; all functions throw Error.
class RecoveryFiles {
 public:
  explicit RecoveryFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~RecoveryFiles();  // leaves the files in place

  // Replaces the files, each one atomically. `changes`: unsaved changes in the session.
  void write_whole(const Session& session, const RecoveryOrigin& origin, std::uint64_t changes);
  // Precondition: there().
  void append(const std::string& records);
  // Removes the files, if there are any.
  void remove();

  bool there() const { return journal_ >= 0; }
  std::size_t journal_size() const { return journal_size_; }

 private:
  void close_journal();

  std::filesystem::path folder_;
  std::optional<OwnerLock> lock_;
  int journal_ = -1;
  std::size_t journal_size_ = 0;
};

// A session with unsaved changes, described without reading the session file.
struct UnsavedSession {
  std::string name;
  std::optional<std::filesystem::path> path;  // the user's file
  std::optional<FileStamp> stamp;
  std::uint64_t changes = 0;                    // unsaved changes
  std::chrono::system_clock::time_point since;  // time of the last of them
  std::uint64_t bytes = 0;                      // size of NAME.headlight
};

struct RecoveredSession {
  Session session;
  std::vector<Step> steps;  // the journal's changes, which can be undone
};

// The sessions that ended processes have left, newest first. Holds their locks: no other window offers them.
class UnsavedSessions {
 public:
  UnsavedSessions() = default;
  // A missing folder gives an empty list. Throws no Error: unreadable files are ignored and remain.
  explicit UnsavedSessions(const std::filesystem::path& folder);

  const std::vector<UnsavedSession>& list() const { return list_; }
  std::filesystem::path file(std::size_t at) const { return locks_[at].file(".headlight"); }
  // With all changes of the journal. Throws Error if the session file is damaged.
  Session load(std::size_t at) const { return recover(at).session; }
  RecoveredSession recover(std::size_t at) const;
  void remove(std::size_t at);

 private:
  void add(OwnerLock lock);

  std::vector<UnsavedSession> list_;
  std::vector<OwnerLock> locks_;
};

}  // namespace headlight
