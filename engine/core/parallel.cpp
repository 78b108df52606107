#include "engine/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

// Waits a short time for the condition without giving the processor away: in a pass over a model one loop
// follows the other, and waking a thread takes as long as a small loop. Returns whether it is met.
template <class Condition>
bool comes_soon(const Condition& condition) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kPatience{200};
  constexpr int kLooks = 32;  // between two looks at the clock
  const Clock::time_point end = Clock::now() + kPatience;
  do {
    for (int look = 0; look < kLooks; ++look) {
      if (condition()) return true;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  } while (Clock::now() < end);
  return false;
}

// Persistent threads, because starting one takes as long as a small stage. They are detached and never end:
// joining them would block forever in a forked copy of the process, which does not have these threads.
class Pool {
 public:
  Pool() {
    // If the system cannot create a thread, the pool has fewer; work then takes longer.
    try {
      for (Index i = 1; i < thread_count(); ++i, ++threads_)
        std::thread([this] { wait_for_jobs(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  // Runs the job on every thread of the pool and on this one. Returns false without running it if another job
  // is active: of another thread, or the one that contains this call.
  bool run(const std::function<void()>& job) {
    if (busy_.exchange(true)) return false;
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      running_ = threads_;
      ++jobs_;
    }
    begin_.notify_all();
    job();
    const auto done = [this] { return running_ == 0; };
    if (!comes_soon(done)) {
      std::unique_lock lock(mutex_);
      end_.wait(lock, done);
    }
    busy_ = false;
    return true;
  }

 private:
  [[noreturn]] void wait_for_jobs() {
    std::uint64_t seen = 0;
    while (true) {
      const auto begun = [&] { return jobs_ != seen; };
      if (!comes_soon(begun)) {
        std::unique_lock lock(mutex_);
        begin_.wait(lock, begun);
      }
      ++seen;  // run() waits for every thread: none misses a job
      (*job_)();
      if (--running_ > 0) continue;
      // With the lock, run() cannot begin to wait between its look at running_ and the notification.
      const std::lock_guard lock(mutex_);
      end_.notify_one();
    }
  }

  std::atomic<bool> busy_{false};
  std::mutex mutex_;  // held to change jobs_, and to notify
  std::condition_variable begin_, end_;
  const std::function<void()>* job_ = nullptr;  // written before jobs_, read after it
  std::atomic<std::uint64_t> jobs_{0};          // started so far
  std::atomic<Index> running_{0};               // threads that have not finished the current job
  Index threads_ = 0;                           // in the pool
};

}  // namespace

std::thread start_thread(const std::string& what, std::function<void()> work) {
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& failure) {
    throw Error("no thread can be started for " + what + ": " + failure.code().message(), "",
                "close other programs, or raise the limits on processes and memory (ulimit -u, ulimit -v)");
  }
}

Index thread_count() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void for_each_index(Index count, double work, const std::function<void(Index)>& body) {
  constexpr double kLeastParallelCells =
      100'000;  // cells: some 100 us of work; waking a thread takes some 10
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_turns = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  const auto on_all_threads = [&] {
    static Pool& pool = *new Pool;
    return pool.run(take_turns);
  };
  if (count < 2 || work < kLeastParallelCells || !on_all_threads()) take_turns();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headlight
