// Saves before an unexpected end of the process: a signal, a lost display, an uncaught exception. The process
// then ends as it would have without the guard.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace headlight {

class ShutdownGuard {
 public:
  // From now on signal() returns SIGTERM, SIGINT or SIGHUP (those that were not ignored before) when one
  // arrives, and `wake` is called. The program shall then end itself by end_by(); if it has not done so after
  // 5 s, `save` is called and the process ends by the signal. std::terminate calls `save` too. Both are
  // called on other threads; `save` must return. Only one guard at a time. Throws Error, without effect, if
  // there is no pipe or thread.
  ShutdownGuard(std::function<void()> wake, std::function<void()> save);
  ~ShutdownGuard();  // restores the signal handlers and the terminate handler
  ShutdownGuard(const ShutdownGuard&) = delete;
  ShutdownGuard& operator=(const ShutdownGuard&) = delete;

  // The signal that has arrived, if any.
  std::optional<int> signal() const;
  // Ends the process by the signal's default action.
  [[noreturn]] static void end_by(int signal);
  // Calls `save` of the present guard, if there is one, at most once. For any thread.
  static void last_words();

 private:
  void watch();

  std::function<void()> wake_, save_;
  std::atomic<int> signal_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread watcher_;
};

}  // namespace headlight
