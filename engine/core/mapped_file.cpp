#include "engine/core/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {

// Never freed, because the signal handler may be reading it: a few bytes remain per mapped file.
struct FaultRange {
  FaultRange(std::uintptr_t from, std::size_t count) : begin(from), size(count) {}
  const std::uintptr_t begin;
  const std::size_t size;
  std::atomic<bool> watched{true}, faulted{false};
  FaultRange* next = nullptr;
};

namespace {

// Globals that the signal handler reads.
std::atomic<FaultRange*> newest_range{nullptr};
struct sigaction action_before;
std::uintptr_t page_size = 0;

FaultRange* range_at(std::uintptr_t address) {
  for (FaultRange* range = newest_range; range; range = range->next)
    if (range->watched && address >= range->begin && address - range->begin < range->size) return range;
  return nullptr;
}

// Maps zeros from the page of the address to the end of the range: one fault covers the whole missing part.
bool put_zeros(FaultRange& range, void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t in_page = address % page_size;
  range.faulted = true;  // before any thread can read a zero
  return ::mmap(static_cast<char*>(at) - in_page, range.begin + range.size - (address - in_page), PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Runs on the thread that accessed the page, which then continues with zeros. Faults outside watched ranges
// recur after the return and have the effect of the previous handler.
void on_bus_error(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const bool sent = info->si_code <= 0;  // by a process, not by a page fault
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  FaultRange* const range = sent ? nullptr : range_at(address);
  if (!range || !put_zeros(*range, info->si_addr)) {
    ::sigaction(signal, &action_before, nullptr);
    if (sent) ::raise(signal);
  }
  errno = error;
}

void handle_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &action_before);
  });
}

}  // namespace

FaultWatch::FaultWatch(const char* begin, std::size_t size)
    : range_(new FaultRange(reinterpret_cast<std::uintptr_t>(begin), size)) {
  handle_bus_errors();
  range_->next = newest_range;
  while (!newest_range.compare_exchange_weak(range_->next, range_)) {
  }
}

FaultWatch::~FaultWatch() {
  range_->watched = false;
}

bool FaultWatch::faulted() const {
  return range_->faulted;
}

namespace {

constexpr const char* kOpenAgain = "open its folder again to go on with what it holds now";

Error mapping_error(const std::filesystem::path& path) {
  return Error(std::string("the file cannot be read: ") + std::strerror(errno), path.string(),
               "try a copy of it");
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : path_(path),
      file_((require_file(path, std::numeric_limits<std::uint64_t>::max()),
             ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))) {
  if (!file_.open()) throw mapping_error(path);
  stamp_ = stamp_now();
  size_ = static_cast<std::size_t>(stamp_.size);
  if (size_ == 0) return;
  void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (at == MAP_FAILED) throw mapping_error(path);
  data_ = static_cast<const char*>(at);
  watch_.emplace(data_, size_);
}

MappedFile::~MappedFile() {
  watch_.reset();
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::drop_pages(std::string_view bytes) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<std::size_t>(bytes.data() - data_);
  const std::size_t begin = (offset + page - 1) / page * page, end = (offset + bytes.size()) / page * page;
  if (begin < end) ::madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

MappedFile::Stamp MappedFile::stamp_now() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw mapping_error(path_);
  return {static_cast<std::uint64_t>(status.st_size),
          status.st_nlink,
          status.st_uid,
          status.st_gid,
          status.st_mode,
          nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

// A writer can reset the modification time (mtime) but not the change time (ctime). A new name, owner or
// permission also sets the change time, so those are checked separately.
bool MappedFile::unchanged() const {
  const Stamp now = stamp_now();
  if (now.size != stamp_.size || now.written_ns != stamp_.written_ns) return false;
  if (now.changed_ns == stamp_.changed_ns) return true;
  const bool other_rights = now.links != stamp_.links || now.owner != stamp_.owner ||
                            now.group != stamp_.group || now.mode != stamp_.mode;
  if (other_rights) return true;
  struct stat here {
  }, named{};
  return ::fstat(file_.number(), &here) == 0 &&
         (::stat(path_.c_str(), &named) != 0 || named.st_ino != here.st_ino || named.st_dev != here.st_dev);
}

void MappedFile::require_unchanged() const {
  if (!changed_ && !unchanged()) changed_ = true;
  if (changed_) throw Error("the file was changed while it was open", path_.string(), kOpenAgain);
  if (watch_ && watch_->faulted())
    throw Error("a part of the file cannot be read any more", path_.string(), kOpenAgain);
}

}  // namespace headlight
