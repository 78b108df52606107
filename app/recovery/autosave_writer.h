// Keeps the open session on disk while it has changes that are not saved, on a thread of its own: a small one
// is written whole after each change, a large one once, and then what is changed is appended to a journal.
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

struct KeeperOptions {
  std::filesystem::path folder;
  // Between two writes while changes keep coming; the first one is written at once.
  std::chrono::milliseconds pause{250};
  Index small = 1 << 16;                    // numbers: at most so many are written whole each time
  std::size_t longest_journal = 32U << 20;  // bytes: then the session is written whole again
  std::function<void()> on_trouble =
      {};  // wakes the window: take_trouble() has something, or needs_session()
};

class AutosaveWriter {
 public:
  // Throws Error where no thread can be started.
  explicit AutosaveWriter(KeeperOptions options);
  // Writes what is not written yet and leaves it there.
  ~AutosaveWriter();
  AutosaveWriter(const AutosaveWriter&) = delete;
  AutosaveWriter& operator=(const AutosaveWriter&) = delete;

  // Another session is open, or this one was saved: there is nothing to lose. What was kept goes. `origin`:
  // of what is open from now on.
  void follow(const RecoveryOrigin& origin, bool same_session);
  // A change was carried out; `session` is as it has become, `changes` steps from what was saved: with none
  // there is nothing to lose. Copies the session for the first change behind follow(), else the change only.
  void note(Change change, const Session& session, std::uint64_t changes);
  // Keeps the session as it is.
  void keep(const Session& session, std::uint64_t changes);
  // The keeper has lost track, for want of memory: it asks for keep().
  bool needs_session() const { return needs_session_; }

  // Returns whether everything noted so far is on disk; waits for it until `limit` has passed. For any
  // thread.
  bool write_now(std::chrono::milliseconds limit);
  // Nothing is at stake any more, and nothing is left in the folder.
  void forget();
  // What keeps it from writing, once.
  std::optional<std::string> take_trouble();

 private:
  struct Item {  // what is absent stays as it was
    std::unique_ptr<Session> whole;
    std::optional<Change> change;
    std::optional<RecoveryOrigin> origin;
    std::uint64_t changes = 0;  // 0: nothing is at stake
    bool other_session = false;
  };

  void add(Item item);
  void work();
  bool carry_out(std::vector<Item>& items);
  void take_over(Item& item);
  void write();
  void report(const std::string& trouble);

  KeeperOptions options_;
  std::mutex mutex_;
  std::condition_variable came_, tried_;
  std::vector<Item> waiting_;
  std::uint64_t noted_ = 0, written_ = 0;  // items
  std::uint64_t attempts_ = 0;             // to write
  bool ending_ = false, urgent_ = false, busy_ = false, failing_ = false;
  std::optional<std::string> trouble_;
  std::atomic<bool> needs_session_{false};
  bool mirrored_ = false;  // of the window's thread: the keeper has the session

  // Of the keeper's thread.
  RecoveryFiles files_;
  std::unique_ptr<Session> mirror_;
  RecoveryOrigin origin_;
  std::uint64_t changes_ = 0;
  bool whole_ = true;      // the next write is one of the whole session
  std::string unwritten_;  // records that the mirror has and the journal does not
  std::thread thread_;
};

}  // namespace headlight
