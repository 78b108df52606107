// Stores the open session on disk while it has unsaved changes, on a separate thread: a small session is
// written whole after each change, a large one once, and further changes are appended to a journal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/recovery/recovery_files.h"

namespace headlight {

struct AutosaveOptions {
  std::filesystem::path folder;
  // Pause between two writes during a series of changes; the first change is written at once.
  std::chrono::milliseconds pause{250};
  Index small = 1 << 16;  // a session with at most this many numbers is written whole each time
  std::size_t longest_journal = 32U << 20;  // bytes; beyond, the session is written whole again
  // Called on the writer's thread when take_trouble() has a message; needs_session() may be true then.
  std::function<void()> on_trouble = {};
};

class AutosaveWriter {
 public:
  // Throws Error if no thread can be started.
  explicit AutosaveWriter(AutosaveOptions options);
  // Writes pending changes and leaves the files in the folder.
  ~AutosaveWriter();
  AutosaveWriter(const AutosaveWriter&) = delete;
  AutosaveWriter& operator=(const AutosaveWriter&) = delete;

  // Call when the open session was saved: removes the recovery files. `origin`: that of the session from now
  // on.
  void follow_saved(const RecoveryOrigin& origin);
  // Call when another session was opened: removes the recovery files. `opened` must not change; it is copied
  // at the first change, on the writer's thread.
  void follow_opened(const RecoveryOrigin& origin, std::shared_ptr<const Session> opened);
  // Call after a change of the session of follow_opened() or keep(), which is then `changes` steps away from
  // the saved one (0: the recovery files are removed).
  void note(Change change, std::uint64_t changes);
  // Copies the session and stores it.
  void keep(const Session& session, std::uint64_t changes);
  // The writer has lost its copy of the session, for example for lack of memory: call keep().
  bool needs_session() const { return needs_session_; }

  // Waits up to `limit` for pending changes; returns whether all of them are on disk. For any thread.
  bool write_now(std::chrono::milliseconds limit);
  // Removes the recovery files; waits for at most ten seconds.
  void forget();
  // The error that prevents writing; none if it was returned before.
  std::optional<std::string> take_trouble();

 private:
  struct Item {  // absent parts do not change
    std::unique_ptr<Session> whole;
    std::shared_ptr<const Session> opened;  // another session
    std::optional<Change> change;
    std::optional<RecoveryOrigin> origin;
    std::uint64_t changes = 0;  // 0: nothing is unsaved
  };

  void add(Item item);
  void work();
  bool carry_out(std::vector<Item>& items);
  void copy_referenced(Item& item);
  void write();
  void report(const std::string& trouble);

  AutosaveOptions options_;
  std::mutex mutex_;
  std::condition_variable came_, tried_;
  std::vector<Item> waiting_;
  std::uint64_t noted_ = 0, written_ = 0;  // numbers of items
  std::uint64_t attempts_ = 0;             // number of writes, failed ones included
  bool ending_ = false, urgent_ = false, busy_ = false, failing_ = false;
  std::optional<std::string> trouble_;
  std::atomic<bool> needs_session_{false};

  // Used by the writer's thread only.
  RecoveryFiles files_;
  std::shared_ptr<const Session> opened_;  // until its first change
  std::unique_ptr<Session> mirror_;
  RecoveryOrigin origin_;
  std::uint64_t changes_ = 0;
  bool whole_ = true;      // the next write is of the whole session
  std::string unwritten_;  // records of changes that are in mirror_ but not in the journal
  std::thread thread_;
};

}  // namespace headlight
