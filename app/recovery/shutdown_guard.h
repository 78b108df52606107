// The ends that nobody chose: a signal, a display that is gone, an exception that nothing caught. What is not
// written yet is written then, and the process ends as it would have.
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
  // From now on SIGTERM, SIGINT and SIGHUP (those that were not ignored before) are told by signal() after
  // `wake` was called. The program then ends by itself, by end_by(); when it has not done so after some
  // seconds, `save` is called and the process ends by the signal. `save` is also called when the process is
  // about to be ended by std::terminate. Both are called on other threads; `save` must come to an end.
  // One at a time. Throws Error where no thread can be started, and everything is as it was.
  ShutdownGuard(std::function<void()> wake, std::function<void()> save);
  ~ShutdownGuard();  // everything as it was before
  ShutdownGuard(const ShutdownGuard&) = delete;
  ShutdownGuard& operator=(const ShutdownGuard&) = delete;

  // The signal that the process was asked to end by.
  std::optional<int> signal() const;
  // Ends the process as the signal does when nobody handles it.
  [[noreturn]] static void end_by(int signal);
  // Calls `save` of the one that there is, unless that is done already. For any thread.
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
