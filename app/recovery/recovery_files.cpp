#include "app/recovery/recovery_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/user_folders.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSessionEnding = ".headlight";
constexpr const char* kJournalEnding = ".journal";
constexpr std::chrono::minutes kYoungLock{1};

void remove_files(OwnerLock& lock) {
  std::error_code gone;
  fs::remove(lock.file(kSessionEnding), gone);
  fs::remove(lock.file(kJournalEnding), gone);
  lock.remove();
}

std::optional<Journal> read_journal(const OwnerLock& lock) {
  try {
    return parse_journal(read_file(lock.file(kJournalEnding)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether the records apply to this session file: the process may have ended after it wrote a new session and
// before it wrote the new journal.
bool applies_to(const Journal& journal, const fs::path& session) {
  std::error_code unreadable;
  return fs::file_size(session, unreadable) == journal.header.base_size &&
         content_hash(session) == journal.header.base_hash;
}

std::chrono::system_clock::time_point time_of(const fs::path& path) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::nanoseconds(stamp ? stamp->modified_ns : 0)));
}

void write_all(int descriptor, const std::string& bytes, const fs::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw Error(std::string("the file cannot be written: ") + std::strerror(errno), path.string(),
                  "free some space");
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace

std::optional<fs::path> recovery_folder() {
  const std::optional<fs::path> state = state_folder();
  if (!state) return std::nullopt;
  return *state / "recovery";
}

RecoveryFiles::~RecoveryFiles() {
  close_journal();
}

void RecoveryFiles::write_whole(const Session& session, const RecoveryOrigin& origin, std::uint64_t changes) {
  if (!lock_) lock_ = OwnerLock::of_new_name(folder_);
  close_journal();
  const fs::path whole = lock_->file(kSessionEnding), journal = lock_->file(kJournalEnding);
  // The journal is written before the session, so that a crash between the two leaves a journal that matches
  // no session but still names the user's file.
  if (!fs::exists(journal))
    write_file_atomically(journal, journal_start({0, 0, changes, origin.path, origin.stamp}));
  save_session(session, whole, SessionForm::Recovery);
  const JournalHeader header{fs::file_size(whole), content_hash(whole), changes, origin.path, origin.stamp};
  const std::string start = journal_start(header);
  write_file_atomically(journal, start);
  journal_ = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (journal_ < 0)
    throw Error(std::string("the file cannot be opened: ") + std::strerror(errno), journal.string(),
                "save the session (Ctrl+S): until then its changes are not kept for the case of a crash");
  journal_size_ = start.size();
}

void RecoveryFiles::append(const std::string& records) {
  try {
    write_all(journal_, records, lock_->file(kJournalEnding));
  } catch (const Error&) {
    close_journal();  // it may end with half a record, so that no other record can follow
    throw;
  }
  ::fdatasync(journal_);
  journal_size_ += records.size();
}

void RecoveryFiles::remove() {
  close_journal();
  if (!lock_) return;
  remove_files(*lock_);
  lock_.reset();
}

void RecoveryFiles::close_journal() {
  if (journal_ >= 0) ::close(std::exchange(journal_, -1));
}

UnsavedSessions::UnsavedSessions(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code unreadable;
  for (fs::directory_iterator at(folder, unreadable), end; !unreadable && at != end;
       at.increment(unreadable)) {
    const fs::path& file = at->path();
    const std::string ending = file.extension().string(), stem = file.stem().string();
    if (ending != kSessionEnding && ending != kJournalEnding && ending != kLockEnding) continue;
    // A lock without its final name may be one that another process is about to take.
    if (stem.starts_with('.') && std::chrono::system_clock::now() - time_of(file) < kYoungLock) continue;
    names.insert(stem);
  }
  // From the newest to the oldest, because names begin with the time.
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    if (std::optional<OwnerLock> lock = OwnerLock::claim(folder, *name)) add(std::move(*lock));
}

void UnsavedSessions::add(OwnerLock lock) {
  std::error_code missing;
  const std::uint64_t bytes = fs::file_size(lock.file(kSessionEnding), missing);
  // The process ended before the session was written, or while the files were being removed.
  if (missing) return remove_files(lock);
  UnsavedSession kept;
  kept.name = lock.name();
  kept.bytes = bytes;
  kept.since = time_of(lock.file(kSessionEnding));
  if (std::optional<Journal> journal = read_journal(lock)) {
    kept.path = std::move(journal->header.path);
    kept.stamp = journal->header.stamp;
    kept.changes = journal->changes;
    kept.since = std::max(kept.since, time_of(lock.file(kJournalEnding)));
  }
  list_.push_back(std::move(kept));
  locks_.push_back(std::move(lock));
}

RecoveredSession UnsavedSessions::recover(std::size_t at) const {
  const OwnerLock& lock = locks_[at];
  const fs::path whole = lock.file(kSessionEnding);
  RecoveredSession recovered{load_session(whole), {}};
  const std::optional<Journal> journal = read_journal(lock);
  if (!journal || !applies_to(*journal, whole)) return recovered;
  for (const Change& change : journal->records)
    recovered.steps.push_back(apply_change_as_step(change, recovered.session));
  return recovered;
}

void UnsavedSessions::remove(std::size_t at) {
  remove_files(locks_[at]);
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(at));
  locks_.erase(locks_.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace headlight
