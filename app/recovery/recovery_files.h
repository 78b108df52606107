// The files by which a session outlives its process: NAME.headlight, the session as it was written whole,
// NAME.journal with what was changed since, and NAME.lock (owner_lock.h).
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

// "recovery" in the state_folder(); none where there is no such folder.
std::optional<std::filesystem::path> recovery_folder();

// Whose session it is, beside the session itself.
struct RecoveryOrigin {
  std::optional<std::filesystem::path> path;
  std::optional<FileStamp> stamp;
};

// Of the session that this process has open. Not for two threads at once; everything throws Error.
class RecoveryFiles {
 public:
  explicit RecoveryFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~RecoveryFiles();  // leaves what is there

  // Replaces what was kept, each file atomically. `changes`: in the session since it was saved.
  void write_whole(const Session& session, const RecoveryOrigin& origin, std::uint64_t changes);
  // Precondition: there().
  void append(const std::string& records);
  // Does nothing when nothing is there.
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

// What a session that was kept says of itself, without being read whole.
struct UnsavedSession {
  std::string name;
  std::optional<std::filesystem::path> path;  // the person's file
  std::optional<FileStamp> stamp;
  std::uint64_t changes = 0;                    // since it was saved
  std::chrono::system_clock::time_point since;  // the last of them
  std::uint64_t bytes = 0;                      // of the whole session
};

struct RecoveredSession {
  Session session;
  std::vector<Step> steps;  // that the journal still knows how to take back
};

// The sessions that others have left behind, newest first. They are claimed as long as this object lives: no
// other window offers them meanwhile.
class UnsavedSessions {
 public:
  UnsavedSessions() = default;
  // A folder that is not there holds none. Throws nothing: what can't be read is left where it is.
  explicit UnsavedSessions(const std::filesystem::path& folder);

  const std::vector<UnsavedSession>& list() const { return list_; }
  std::filesystem::path file(std::size_t at) const { return locks_[at].file(".headlight"); }
  // With all changes of the journal. Throws Error when the file is damaged.
  Session load(std::size_t at) const { return recover(at).session; }
  RecoveredSession recover(std::size_t at) const;
  void remove(std::size_t at);

 private:
  void add(OwnerLock lock);

  std::vector<UnsavedSession> list_;
  std::vector<OwnerLock> locks_;
};

}  // namespace headlight
