#include "app/recovery/shutdown_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};

// Used by handlers that may run at any moment: never destroyed. A signal handler only writes to the pipe.
int pipe_ends[2] = {-1, -1};
std::array<struct sigaction, kSignals.size()> actions_before;
std::terminate_handler terminate_before = nullptr;
std::atomic<const std::function<void()>*> save_at_the_end{nullptr};

void note_signal(int signal) {
  const int error = errno;
  const auto number = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &number, 1);
  errno = error;
}

[[noreturn]] void save_and_terminate() {
  ShutdownGuard::last_words();
  if (terminate_before) terminate_before();
  std::abort();
}

void open_pipe() {
  if (pipe_ends[0] >= 0) return;
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw Error("there is no pipe left", "signals", "close other programs");
  ::fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
}

}  // namespace

ShutdownGuard::ShutdownGuard(std::function<void()> wake, std::function<void()> save)
    : wake_(std::move(wake)), save_(std::move(save)) {
  open_pipe();
  watcher_ = start_thread("signals", [this] { watch(); });  // first, because it can throw
  save_at_the_end = &save_;
  terminate_before = std::set_terminate(save_and_terminate);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], nullptr, &actions_before[i]);
    // An ignored signal stays ignored: nohup lets the program outlive its terminal.
    if (actions_before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

ShutdownGuard::~ShutdownGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &actions_before[i], nullptr);
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  const unsigned char nothing = 0;
  [[maybe_unused]] const ssize_t written = ::write(pipe_ends[1], &nothing, 1);
  watcher_.join();
  std::set_terminate(terminate_before);
  save_at_the_end = nullptr;
}

std::optional<int> ShutdownGuard::signal() const {
  const int signal = signal_;
  return signal == 0 ? std::nullopt : std::optional<int>(signal);
}

void ShutdownGuard::last_words() {
  if (const auto* save = save_at_the_end.exchange(nullptr)) (*save)();
}

void ShutdownGuard::end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

void ShutdownGuard::watch() {
  constexpr std::chrono::seconds kPatience{5};
  unsigned char number = 0;
  while (::read(pipe_ends[0], &number, 1) < 0 && errno == EINTR) {
  }
  if (number == 0) return;
  signal_ = number;
  wake_();
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kPatience, [this] { return ending_; })) return;
  save_();
  end_by(number);
}

}  // namespace headlight
